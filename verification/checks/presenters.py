"""What does a page show of each check? Its last answer, how old that is, and what is going on."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils import dates
from django.utils.translation import gettext as _

from integrations.submissions.models import Integration
from integrations.submissions.selectors import context
from verification.checks.models import CheckResult, CheckRun
from verification.checks.runner import checked, fresh, keys_of
from verification.checks.services.accepted_deviations import acceptable
from verification.checks.types import CHECKS
from verification.outcomes import Outcome

IN_ORDER = (Outcome.PASS, Outcome.WAIVED)


@dataclass(frozen=True, slots=True)
class Shown:
    """One check on the page. `advice` only where something can be done; `next_try` after an outage of ours.

    `since`: when it was first found so; `at`: when it was last found so. `looking`: its answer is on its way.
    """

    key: str
    title: str
    outcome: str
    summary: str
    advice: str = ""
    looked_at: str = ""
    version: int = 0
    at: datetime | None = None
    since: datetime | None = None
    next_try: datetime | None = None
    evidence: tuple[dict[str, Any], ...] = ()
    looking: bool = False
    accepts: tuple[str, str] = ("", "")  # what a person of the program may accept for good, and its value

    @property
    def anchor(self) -> str:
        """The row's id in the page."""
        return f"check-{self.key.replace('.', '-')}"

    @property
    def going_on(self) -> str:
        return _("Being looked at…") if self.looking else ""


def shown_results(found: Integration, job: CheckRun | None, now: datetime) -> list[Shown]:
    """Each check of the edition with its last result, in the path's order."""
    mine = CheckResult.objects.filter(integration=found)
    newest = {result.key: result for result in mine.newest()}
    settled = {result.key: result for result in mine.settled()}
    waived = waived_keys(found, now)
    under_way = job is not None and job.is_under_way(now)
    done = set(job.done) if job is not None else set()
    return [
        _shown(key, newest.get(key), settled.get(key), job, key in waived, under_way and key not in done, now)
        for key in keys_of(checked(found))
    ]


def waived_keys(found: Integration, now: datetime) -> set[str]:
    """The checks of requirements that are waived now, unless another requirement asks for them too."""
    states = context.states_of(found)
    waived = {r.id for r in checked(found) if r.id in states and states[r.id].is_waived(now)}
    asked = {key for r in checked(found) if r.id not in waived for key in r.checks}
    return {key for r in checked(found) if r.id in waived for key in r.checks} - asked


def _shown(
    key: str, newest: CheckResult | None, settled: CheckResult | None, job: CheckRun | None,
    waived: bool, looking: bool, now: datetime,
) -> Shown:  # fmt: skip
    check = CHECKS.get(key)
    title = _(check.title) if check else key
    result = settled or newest
    if result is None or newest is None:
        return Shown(key, title, Outcome.NOT_RUN, _("Has not been run yet."), looking=looking)
    outage = newest.outcome == Outcome.ERROR
    outcome = _outcome(result, waived, now)
    advice = result.advice or (_(check.advice) if check else "")
    return Shown(
        key=key,
        title=title,
        outcome=outcome,
        summary=result.summary if result == newest else f"{result.summary} {newest.summary}",
        advice="" if outcome in IN_ORDER or result.outcome in (*IN_ORDER, Outcome.ERROR) else advice,
        looked_at=_looked_at(result),
        version=result.version,
        at=result.last_seen,
        since=result.at,
        next_try=job.due_at if job and outage and not job.is_under_way(now) else None,
        evidence=tuple(_dated(item) for item in result.evidence),
        looking=looking,
        accepts=acceptable(settled),
    )


def _outcome(result: CheckResult, waived: bool, now: datetime) -> str:
    """What was found, unless it is waived or too old to count."""
    if result.outcome == Outcome.PASS or result.outcome == Outcome.ERROR or not waived:
        old = result.outcome != Outcome.ERROR and result.last_seen + fresh(result.key) <= now
        return Outcome.STALE if old else result.outcome
    return Outcome.WAIVED


def _looked_at(result: CheckResult) -> str:
    """Which state of the world, by which version of the check, and since when the answer is the same."""
    parts = [result.seen] if result.seen else []
    if result.version > 1:
        parts.append(_("with version %(number)s of the check") % {"number": result.version})
    if result.last_seen.date() != result.at.date():
        parts.append(_("the same since %(day)s") % {"day": _day(result.at)})
    return ", ".join(parts)


def _day(at: datetime) -> str:
    weekday, month = dates.WEEKDAYS_ABBR[at.weekday()], dates.MONTHS_3[at.month]
    return f"{weekday} {at.day} {str(month).title()}"


def _dated(item: dict[str, Any]) -> dict[str, Any]:
    """The evidence with the moment that its source said so, where that is known."""
    return item | {"moment": datetime.fromisoformat(item["at"])} if item.get("at") else item
