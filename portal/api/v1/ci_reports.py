"""What becomes of results that a partner's CI reports? Kept as theirs; the portal looks itself at a sample.

Which reports are looked at follows from integration, commit and version alone, so that sending again changes nothing;
a secret of the portal goes in, so that nobody can choose a commit that is left out.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.crypto import salted_hmac

from integrations.partners import permissions
from integrations.submissions.models import Integration
from integrations.submissions.selectors import context
from integrations.submissions.services import findings
from integrations.submissions.services.requirements import require_open
from integrations.submissions.services.transitions import integration_changes
from portal.audit.services import record_event
from portal.core.errors import ActionRefused
from verification.checks.models import CheckResult, CiCheckReport
from verification.checks.runner import list_checked_requirements, list_required_check_keys
from verification.checks.services import runs
from verification.outcomes import Outcome, get_worst_outcome

SAMPLING_INTERVAL = 10
COMPARISON_PERIOD = timedelta(
    days=30
)  # for the portal's own answer, after which a report stays one that was never compared
GOOD_OUTCOMES = frozenset({Outcome.PASS, Outcome.WARN, Outcome.WAIVED})
DECISIVE_OUTCOMES = frozenset({*GOOD_OUTCOMES, Outcome.FAIL})


@dataclass(frozen=True, slots=True)
class ReportedResults:
    """A report as it came. `checks`: as the preflight prints them."""

    commit: str
    version: str
    program: str
    repository: str
    checks: Sequence[dict[str, Any]]


def report_ci_results(
    integration: Integration, reported_results: ReportedResults, *, actor: Any, now: datetime
) -> CiCheckReport:
    """Keep it, and have the portal look where it is sampled. Raises ActionRefused."""
    with integration_changes(integration, permissions.can_edit, actor=actor, now=now) as row:
        require_open(row)
        _refuse_other_subject(row, reported_results)
        sampling_reason = get_sampling_reason(row, reported_results, now)
        counted_checks = [
            check for check in reported_results.checks if not check.get("hint")
        ] or reported_results.checks
        ci_report = CiCheckReport.objects.create(
            integration=row,
            reported_by=str(actor)[:150],
            commit=reported_results.commit,
            version=reported_results.version,
            at=now,
            outcome=str(get_worst_outcome(Outcome(check["outcome"]) for check in counted_checks)),
            results=list(reported_results.checks),
            sampled=sampling_reason,
        )
        row.version -= 1  # a report makes nobody's page out of date
        record_event(
            row,
            "checks_reported",
            actor=actor,
            now=now,
            commit=reported_results.commit[:12],
            outcome=ci_report.outcome,
            sampled=sampling_reason,
        )
    if sampling_reason:
        runs.request_check_run(integration, actor, now, f"CI reported {reported_results.commit[:12]}")
    return ci_report


def _refuse_other_subject(row: Integration, reported_results: ReportedResults) -> None:
    """A report about something else was sent to the wrong place."""
    if reported_results.program and reported_results.program != row.program_key:
        raise ActionRefused(
            f"The report is about the program {reported_results.program}, this integration is in {row.program_key}."
        )
    if reported_results.repository and reported_results.repository.lower() != row.repository.lower():
        raise ActionRefused(
            f"The report is about {reported_results.repository}, this integration is "
            f"{row.repository or 'no repository'}."
        )


def get_sampling_reason(row: Integration, reported_results: ReportedResults, now: datetime) -> str:
    """Why the portal looks itself; blank where it does not."""
    if is_decisive(row, reported_results, now):
        return "it decides a requirement"
    sampling_key = f"{row.uuid}:{reported_results.commit}:{reported_results.version}"
    number = int(salted_hmac("portal.api.sample", sampling_key, algorithm="sha256").hexdigest()[:8], 16)
    return f"one in {SAMPLING_INTERVAL}, by lot" if number % SAMPLING_INTERVAL == 0 else ""


def is_decisive(row: Integration, reported_results: ReportedResults, now: datetime) -> bool:
    """Whether it says that something is in order which is not in order here."""
    fulfillments = context.get_fulfillments(row)
    unmet_check_keys = {
        key
        for requirement in list_checked_requirements(row)
        if requirement.id not in fulfillments or not fulfillments[requirement.id].is_met(now)
        for key in requirement.checks
    }
    return any(
        check["outcome"] in GOOD_OUTCOMES and check["id"] in unmet_check_keys for check in reported_results.checks
    )


def compare_due_reports(now: datetime | None = None, limit: int = 100) -> int:
    """Compare what was reported with what the portal found since. Returns how many reports were compared."""
    now = now or timezone.now()
    pending_reports = (
        CiCheckReport.objects.filter(compared_at=None, at__gt=now - COMPARISON_PERIOD)
        .exclude(sampled="")
        .order_by("pk")
    )
    return sum(compare_report(report, now) for report in pending_reports.select_related("integration")[:limit])


def compare_report(report: CiCheckReport, now: datetime) -> bool:
    """Compare one, once the portal has looked since it came. Returns whether it had."""
    results_by_key = get_results_since(report)
    if results_by_key is None:
        return False
    differences = find_disagreements(report, results_by_key)
    with transaction.atomic():
        pending_report = CiCheckReport.objects.filter(pk=report.pk, compared_at=None)
        if not pending_report.update(compared_at=now, disagreements=differences):
            return True
        if differences:
            _open_finding(report, differences, now)
    return True


def get_results_since(report: CiCheckReport) -> dict[str, CheckResult] | None:
    """The portal's results, once each that was reported was looked at since; None while any is out.

    Where the portal could not look, it has not looked: a report outlasts an outage of ours.
    """
    known_keys = set(list_required_check_keys(list_checked_requirements(report.integration)))
    reported_keys = {check["id"] for check in report.results} & known_keys
    newest_results = {row.key: row for row in CheckResult.objects.filter(integration=report.integration).newest()}
    missing_keys = [key for key in reported_keys if not _is_conclusive_since(newest_results.get(key), report.at)]
    return None if missing_keys else {key: newest_results[key] for key in reported_keys}


def _is_conclusive_since(row: CheckResult | None, reported_at: datetime) -> bool:
    return row is not None and row.last_seen >= reported_at and row.outcome != Outcome.ERROR


def find_disagreements(report: CiCheckReport, results_by_key: dict[str, CheckResult]) -> list[dict[str, str]]:
    """Where both said something and one said good, the other bad. An outage of ours speaks against nobody."""
    return [
        {"id": check["id"], "reported": check["outcome"], "found": results_by_key[check["id"]].outcome,
         "summary": results_by_key[check["id"]].summary}
        for check in report.results
        if check["id"] in results_by_key
        and {check["outcome"], results_by_key[check["id"]].outcome} <= DECISIVE_OUTCOMES
        and (check["outcome"] in GOOD_OUTCOMES) != (results_by_key[check["id"]].outcome in GOOD_OUTCOMES)
    ]  # fmt: skip


def _open_finding(report: CiCheckReport, differences: list[dict[str, str]], now: datetime) -> None:
    """One finding on the first requirement concerned, and one line in the history."""
    keys = [difference["id"] for difference in differences]
    requirement = next(
        candidate for candidate in list_checked_requirements(report.integration) if set(candidate.checks) & set(keys)
    )
    lines = [
        f"{difference['id']}: reported {difference['reported']}, found {difference['found']}. {difference['summary']}"
        for difference in differences
    ]
    text = f"CI reported otherwise than the portal found for {report.commit[:12]}:\n" + "\n".join(lines)
    with integration_changes(report.integration, permissions.is_machine, actor=None, now=now) as row:
        findings.open_automatic_finding(row, requirement.id, text, now=now)
        record_event(
            row, "checks_disagree", actor=None, now=now, note=text, requirement=requirement.id, title=requirement.title,
            commit=report.commit[:12],
        )  # fmt: skip
