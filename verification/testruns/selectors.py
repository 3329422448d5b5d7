"""What did the portal itself try of an integration, for whoever decides? One line each, with its verdict and place."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Model
from django.urls import reverse
from django.utils.translation import gettext as _

from integrations.programs.schema import Kind, Requirement
from integrations.submissions.models import Integration
from verification.checks.rules import nomad_plugin, run_task
from verification.outcomes import Outcome, worst
from verification.testruns.models import LifecycleRehearsal, NomadRehearsal, RunTaskRehearsal, SchemaReading

MOST, FEW = 6, 2
BIG = ("seen", "config", "base", "changed", "refused", "partial", "scenarios", "sealed")  # not needed for a line
# besides meetings, the requirements that it bears on: those that ask how the thing itself behaves
ASKED = frozenset({"TP-CODE", "TP-ACC", "TP-TAG", "TP-FRAME", "NO-3", "RT-3"})
CHECKS = frozenset({run_task.KEY, nomad_plugin.KEY})


@dataclass(frozen=True, slots=True)
class Tried:
    """`what` was tried, how it came out, when, and where all of it stands. `open`: (title, sentence) of what does not
    hold plainly, the worst first; `more`: how many of those are left out. `at` is None while it is under way.
    """

    what: str
    outcome: str
    summary: str
    href: str
    at: datetime | None = None
    open: tuple[tuple[str, str], ...] = ()
    more: int = 0


def for_page(row: Any) -> dict[str, Any]:
    """The verdicts of a rehearsal as its page shows them: once it has ended, what does not hold comes first."""
    over, verdicts = row.finished_at is not None, list(row.verdicts)
    held = sum(each["outcome"] == Outcome.PASS for each in verdicts)
    return {
        "verdicts": sorted(verdicts, key=lambda each: ORDER.index(each["outcome"])) if over else verdicts,
        "held": _held(held, len(verdicts)) if over and held < len(verdicts) else "",
    }


def _held(held: int, of: int) -> str:
    return _("%(held)s of %(all)s rules hold plainly.") % {"held": held, "all": of}


def bears_on(requirement: Requirement) -> bool:
    """Whether what was tried helps to decide on this requirement."""
    return requirement.kind == Kind.MEETING or requirement.id in ASKED or not CHECKS.isdisjoint(requirement.checks)


def tried(integration: Integration) -> list[Tried]:
    """The newest of each kind that has ended; one under way where none has."""
    found = (_newest(model, integration) for model in LINES)
    return [LINES[type(row)](row) for row in found if row is not None]


def light(model: type[Model]) -> Any:
    """The rows of a kind of rehearsal, the newest first, without what is not needed for a line about each."""
    heavy = [field.name for field in model._meta.concrete_fields if field.name in BIG]
    return model._default_manager.defer(*heavy).order_by("-pk")


def _newest(model: type[Model], integration: Integration) -> Any:
    rows = light(model).filter(integration=integration)
    return rows.exclude(finished_at=None).first() or rows.first()


def _run_task(row: RunTaskRehearsal) -> Tried:
    return _rehearsal(row, _("Run task rehearsal"), "rehearsal")


def _lifecycle(row: LifecycleRehearsal) -> Tried:
    return _rehearsal(row, _("Lifecycle of %(version)s, made, changed and destroyed") % {"version": row.version},
                      "lifecycle")  # fmt: skip


def _nomad(row: NomadRehearsal) -> Tried:
    return _rehearsal(row, _("Plugin %(version)s, asked as Nomad’s agent asks") % {"version": row.version},
                      "nomad_rehearsal")  # fmt: skip


def _rehearsal(row: Any, what: str, page: str) -> Tried:
    href = f"{reverse(page, args=[row.integration.uuid])}?of={row.pk}"
    verdicts = [(each["outcome"], each["title"], each["sentence"]) for each in row.verdicts]
    return _line(row, what, row.outcome, verdicts, href)


def _reading(row: SchemaReading) -> Tried:
    what = _("Schema of %(version)s, read from the provider itself") % {"version": row.version or _("the newest")}
    verdicts = [(each["outcome"], each["title"], each["summary"]) for each in row.results]
    outcome = str(worst(each for each, _title, _said in verdicts)) if verdicts else row.outcome
    return _line(row, what, outcome, verdicts, reverse("schemas", args=[row.integration.uuid]))


def _line(row: Any, what: str, outcome: str, verdicts: list[tuple[str, str, str]], href: str) -> Tried:
    if row.finished_at is None:
        return Tried(what, "open", _("Under way."), href)
    rest = sorted((one for one in verdicts if one[0] != Outcome.PASS), key=lambda one: ORDER.index(one[0]))
    summary = _held(len(verdicts) - len(rest), len(verdicts)) if verdicts else _("Nothing was seen.")
    if rest:
        summary = _("%(summary)s Look at: %(titles)s") % {"summary": summary, "titles": _titles(rest)}
    told = tuple((title, sentence) for _outcome, title, sentence in rest[:MOST])
    return Tried(what, outcome or Outcome.NOT_RUN, summary, href, row.finished_at, told, max(0, len(rest) - MOST))


def _titles(verdicts: list[tuple[str, str, str]]) -> str:
    """The first few, as one line: "A second plan changes nothing; Nothing is left; …"."""
    titles = [title for _outcome, title, _said in verdicts[:FEW]]
    return "; ".join([*titles, "…"] if len(verdicts) > FEW else titles)


ORDER = [str(each) for each in (Outcome.FAIL, Outcome.ERROR, Outcome.WARN, *Outcome)]
LINES: dict[type[Model], Any] = {
    RunTaskRehearsal: _run_task, LifecycleRehearsal: _lifecycle, NomadRehearsal: _nomad, SchemaReading: _reading,
}  # fmt: skip
