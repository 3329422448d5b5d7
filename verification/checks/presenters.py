"""Presentation of check results: the last result of each check, its age, and its progress."""

from dataclasses import dataclass, replace
from datetime import datetime

from django.utils.translation import gettext as _

from integrations.submissions.models import Integration
from portal.core.value_types import JsonObject
from portal.ui.components.moments import format_short
from verification.checks.execution import list_required_check_keys
from verification.checks.models import CheckResult, CheckRun
from verification.checks.services.accepted_deviations import get_acceptable_value
from verification.checks.services.runner import list_checked_requirements
from verification.checks.types import get_description
from verification.outcomes import Outcome

OUTCOMES_WITHOUT_ADVICE = (Outcome.PASS, Outcome.WAIVED)


@dataclass(frozen=True, slots=True)
class CheckResultRow:
    """One check on the page.

    `advice` is set only if the reader can act; `next_attempt_at` after an error on our side. `since`: when this result
    was first returned; `at`: when it was last returned. `progress_text`: text while the check is running.
    """

    key: str
    title: str
    outcome: str
    summary: str
    advice: str = ""
    inspected_summary: str = ""
    version: int = 0
    at: datetime | None = None
    since: datetime | None = None
    next_attempt_at: datetime | None = None
    evidence: tuple[JsonObject, ...] = ()
    progress_text: str = ""
    accepts: tuple[str, str] = ("", "")  # what a reviewer can accept permanently, and its value

    @property
    def anchor(self) -> str:
        """Return the id of the row in the page."""
        return f"check-{self.key.replace('.', '-')}"


def list_check_results(integration: Integration, check_run: CheckRun | None, now: datetime) -> list[CheckResultRow]:
    """Return each check of the edition with its last result, in the order of the path."""
    check_results = CheckResult.objects.filter(integration=integration)
    newest_by_key = {result.key: result for result in check_results.newest()}
    conclusive_by_key = {result.key: result for result in check_results.conclusive()}
    waived_check_keys = list_waived_check_keys(integration, now)
    is_running = check_run is not None and check_run.is_under_way(now)
    finished_keys = set(check_run.finished_checks) if check_run is not None else set()
    attempt_at = check_run.next_attempt_at if check_run is not None and not is_running else None
    rows = []
    for key in list_required_check_keys(list_checked_requirements(integration)):
        newest = newest_by_key.get(key)
        row = _build_row(key, newest, conclusive_by_key.get(key), key in waived_check_keys, now)
        progress_text = _("Running…") if is_running and key not in finished_keys else ""
        next_attempt_at = attempt_at if newest is not None and newest.outcome == Outcome.ERROR else None
        rows.append(replace(row, progress_text=progress_text, next_attempt_at=next_attempt_at))
    return rows


def list_waived_check_keys(integration: Integration, now: datetime) -> set[str]:
    """Return the checks of requirements that are waived now, unless another requirement needs them too."""
    waived_ids = {id for id, fulfillment in integration.fulfillments_by_id.items() if fulfillment.is_waived(now)}
    requirements = list_checked_requirements(integration)
    waived_keys = list_required_check_keys(each for each in requirements if each.id in waived_ids)
    # A check can belong to several requirements, and a waiver of one of them exempts none of the others.
    required_keys = list_required_check_keys(each for each in requirements if each.id not in waived_ids)
    return set(waived_keys) - set(required_keys)


def _build_row(
    key: str, newest: CheckResult | None, conclusive: CheckResult | None, is_waived: bool, now: datetime
) -> CheckResultRow:
    description = get_description(key)
    # An outage doesn't replace the last conclusive result, which still counts until it is stale.
    result = conclusive or newest
    if result is None or newest is None:
        return CheckResultRow(key, _(description.title), Outcome.NOT_RUN, _("This check hasn't run yet."))
    outcome = _determine_outcome(result, is_waived, now)
    can_act = not {outcome, result.outcome}.intersection(OUTCOMES_WITHOUT_ADVICE) and result.outcome != Outcome.ERROR
    return CheckResultRow(
        key=key,
        title=_(description.title),
        outcome=outcome,
        summary=result.summary if result == newest else f"{result.summary} {newest.summary}",
        advice=(result.advice or (description.advice and _(description.advice))) if can_act else "",
        inspected_summary=_describe_state(result),
        version=result.version,
        at=result.last_seen,
        since=result.at,
        evidence=tuple(_add_timestamp(item) for item in result.evidence),
        accepts=get_acceptable_value(conclusive),
    )


def _determine_outcome(result: CheckResult, is_waived: bool, now: datetime) -> str:
    """Return the outcome of the result, or WAIVED or STALE if it doesn't count."""
    # An error on our side has no age, because it is tried again anyway, and a waiver doesn't change it.
    if result.outcome == Outcome.ERROR:
        return result.outcome
    is_stale = result.last_seen + get_description(result.key).max_age <= now
    outcome = Outcome.STALE if is_stale else result.outcome
    return Outcome.WAIVED if is_waived and outcome != Outcome.PASS else outcome


def _describe_state(result: CheckResult) -> str:
    """Describe the inspected state, the version of the check, and since when the result is the same, if any."""
    if not result.inspected_summary:
        return ""
    parts = [result.inspected_summary]
    if result.version > 1:
        parts.append(_("check version %(number)s") % {"number": result.version})
    if result.last_seen.date() != result.at.date():
        parts.append(_("unchanged since %(day)s") % {"day": format_short(result.at)})
    return ", ".join(parts)


def _add_timestamp(item: JsonObject) -> dict[str, object]:
    """Add the time of the statement to evidence that has one."""
    return item | {"moment": datetime.fromisoformat(item["at"])} if item.get("at") else item
