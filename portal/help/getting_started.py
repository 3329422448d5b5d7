"""What does a partner need at hand, and how long does it take? Reckoned from what each program asks."""

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from integrations.programs.registry import PROGRAMS
from integrations.programs.schema import FulfillingParty, Program, Requirement, RequirementKind
from integrations.submissions.services.creation import get_entry_edition

# minutes of one person's work, as a rule of thumb; agreements and what is built take their own time
MINUTES = {
    RequirementKind.FORM: 15,
    RequirementKind.DOCUMENT: 10,
    RequirementKind.ATTESTATION: 2,
    RequirementKind.MEETING: 45,
    RequirementKind.CREDENTIALS: 10,
    RequirementKind.AGREEMENT: 20,
}
MACHINE_LINE = gettext_noop("answered by machine from your repository and its releases")


@dataclass(frozen=True, slots=True)
class PreparationItem:
    """One thing to have at hand; `minutes` of work, 0 where it takes what it takes."""

    title: str
    why: str
    minutes: int
    optional: bool


@dataclass(frozen=True, slots=True)
class PreparationList:
    """What a program asks of a company. `machine`: how many things a machine looks at; `minutes` in all."""

    program: Program
    needs: tuple[PreparationItem, ...]
    machine: int
    minutes: int
    review_days: int

    @property
    def hours(self) -> str:
        """ "about 2 hours", rounded up to the half hour."""
        halves = -(-self.minutes // 30)
        whole = f"{halves // 2}" if halves % 2 == 0 else f"{halves // 2}½" if halves > 1 else "½"
        return ngettext("about %(hours)s hour", "about %(hours)s hours", 2 if halves > 2 else 1) % {"hours": whole}


def build_preparation_list(program: Program) -> PreparationList:
    """What one needs for the edition that a new integration enters."""
    edition = get_entry_edition(program.key)
    requirements = edition.requirements()
    needs = tuple(
        _build_item(each)
        for each in requirements
        if each.who in (FulfillingParty.PARTNER, FulfillingParty.BOTH) and each.kind != RequirementKind.CHECK
    )
    return PreparationList(
        program=program,
        needs=needs,
        machine=sum(len(each.checks) for each in requirements),
        minutes=sum(each.minutes for each in needs if not each.optional),
        review_days=edition.review_days,
    )


def list_preparation_lists() -> list[PreparationList]:
    return [build_preparation_list(program) for program in PROGRAMS.values()]


def _build_item(requirement: Requirement) -> PreparationItem:
    return PreparationItem(requirement.title, requirement.why, MINUTES.get(requirement.kind, 0), requirement.optional)


def get_next_step(user: Any, rows: Any, drafts: Any) -> tuple[str, str, tuple[Any, ...]]:
    """The reader's own next step: (sentence, name of the page, parts of its address)."""
    if not user.is_authenticated:
        return _("Look which program is yours. You need no account for that."), "start", ()
    if not user.memberships.filter(ended_at=None).exists():
        return _("Say for which company you work."), "company_new", ()
    if rows:
        sentence = _("%(name)s: %(turn)s.") % {"name": rows[0].name, "turn": rows[0].next_action_label}
        return sentence, "integration", (rows[0].uuid,)
    if drafts:
        return (
            _("Go on with your draft “%(name)s”.") % {"name": drafts[0].data.get("name") or _("without a name")},
            "draft",
            (drafts[0].uuid,),
        )
    return _("Choose your program and paste the address of your repository."), "start", ()
