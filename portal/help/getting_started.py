"""Preparation lists for the getting started page: what each program requires, with estimated times."""

from dataclasses import dataclass

from django.utils.translation import gettext as _, ngettext

from integrations.programs.requirements import FulfillingParty, Requirement, RequirementKind
from integrations.programs.schema import Program
from integrations.programs.selectors import get_edition_in_force
from integrations.submissions.models import Integration, IntegrationDraft
from portal.accounts.models import User
from portal.accounts.requests import AnyUser

# estimated minutes of work by requirement kind, without building the integration
MINUTES = {
    RequirementKind.FORM: 15,
    RequirementKind.DOCUMENT: 10,
    RequirementKind.ATTESTATION: 2,
    RequirementKind.MEETING: 45,
    RequirementKind.CREDENTIALS: 10,
    RequirementKind.AGREEMENT: 20,
}


@dataclass(frozen=True, slots=True)
class PreparationList:
    """Requirements of a program with their estimated minutes, the number of automated checks, and the total minutes."""

    program: Program
    needs: tuple[tuple[Requirement, int], ...]
    check_count: int
    minutes: int
    review_days: int

    @property
    def hours(self) -> str:
        """Return the total time, rounded up to half hours, such as "about 2 hours"."""
        halves = -(-self.minutes // 30)
        hours = "" if halves == 1 else str(halves // 2)
        if halves % 2:
            hours += "½"
        return ngettext("about %(hours)s hour", "about %(hours)s hours", 2 if halves > 2 else 1) % {"hours": hours}


def build_preparation_list(program: Program) -> PreparationList:
    """Return the preparation list for the edition of new integrations."""
    edition = get_edition_in_force(program.key)
    requirements = edition.list_requirements()
    needs = tuple(
        (each, MINUTES[each.kind])
        for each in requirements
        if each.responsible_party in (FulfillingParty.PARTNER, FulfillingParty.BOTH)
        and each.kind != RequirementKind.CHECK
    )
    return PreparationList(
        program=program,
        needs=needs,
        check_count=sum(len(each.checks) for each in requirements),
        minutes=sum(minutes for each, minutes in needs if not each.optional),
        review_days=edition.review_days,
    )


def get_next_step(
    user: AnyUser, row: Integration | None, draft: IntegrationDraft | None
) -> tuple[str, str, tuple[object, ...]]:
    """Return the next step of the user as text, the URL name, and the URL arguments."""
    if not isinstance(user, User):
        return _("Find your program. You don't need an account."), "submissions:choose_program", ()
    if not user.memberships.filter(ended_at=None).exists():
        return _("Create your company or join it."), "partners:create", ()
    if row:
        text = _("%(name)s: %(action)s.") % {"name": row.name, "action": row.next_action_label}
        return text, "submissions:detail", (row.uuid,)
    if draft:
        text = _("Continue your draft “%(name)s”.") % {"name": draft.data.get("name") or _("Unnamed draft")}
        return text, "submissions:draft", (draft.uuid,)
    return _("Enter the address of your repository."), "discovery:address", ()
