"""Services for results that a partner's CI reports, which the portal verifies for a sample.

The sample depends only on the integration, commit, and version, so that repeating a report changes nothing. It also
depends on a secret of the portal, so that partners can't choose commits outside the sample.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import partial

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone, translation
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.submissions.models import Integration
from integrations.submissions.services import findings
from integrations.submissions.services.changes import change_integration
from portal.accounts.models import User
from portal.core.errors import ActionRefused
from portal.jobs.batches import process_each
from verification.checks.execution import list_required_check_keys
from verification.checks.models import CheckResult, CiCheckReport
from verification.checks.services import observations, runs
from verification.checks.services.runner import list_checked_requirements
from verification.outcomes import Outcome, get_worst_outcome

SAMPLING_INTERVAL = 10
COMPARISON_PERIOD = timedelta(days=30)  # older reports are never compared
GOOD_OUTCOMES = frozenset({Outcome.PASS, Outcome.WARN, Outcome.WAIVED})
DECISIVE_OUTCOMES = frozenset({*GOOD_OUTCOMES, Outcome.FAIL})


def report_ci_results(report: CiCheckReport, program: str, repository: str, *, actor: User, now: datetime) -> None:
    """Store a report and request a check run if it is sampled. Raises ActionRefused.

    Args:
        report: A row that isn't saved, with the checks as the preflight prints them.
        program: Key of the program that the report is for, blank if it doesn't say.
        repository: Name of the repository that the report is for, blank if it doesn't say.
    """
    integration = report.integration
    commit = report.commit[:12]
    with change_integration(integration, permissions.can_edit, actor=actor, now=now) as change:
        change.require_open()
        report.integration = change.integration
        _refuse_other_subject(change.integration, program, repository)
        report.reported_by = str(actor)[:150]
        report.at = now
        report.sampled = get_sampling_reason(report, now)
        # Hints block nothing here either, so they decide only if the report has nothing else.
        counted_checks = [check for check in report.results if not check.get("hint")] or report.results
        report.outcome = str(get_worst_outcome(check["outcome"] for check in counted_checks))
        report.save()
        change.integration.version -= 1  # a report doesn't make open pages stale
        change.record("check.ci_reported", commit=commit, outcome=report.outcome, sampled=report.sampled)
    if report.sampled:
        # All readers see the reason, so it doesn't depend on the language of the request.
        with translation.override(settings.LANGUAGE_CODE):
            reason = _("CI reported %(commit)s") % {"commit": commit}
        runs.request_check_run(integration, actor, now, reason)


def _refuse_other_subject(row: Integration, program: str, repository: str) -> None:
    """Refuse a report about another program or repository."""
    if program and program != row.program_key:
        raise ActionRefused(
            _("The report is for the program %(reported)s, but this integration is in %(program)s.")
            % {"reported": program, "program": row.program_key},
            "conflict",
        )
    if repository and repository.lower() != row.repository.lower():
        raise ActionRefused(
            _("The report is for %(reported)s, but this integration has %(repository)s.")
            % {"reported": repository, "repository": row.repository or _("no repository")},
            "conflict",
        )


def get_sampling_reason(report: CiCheckReport, now: datetime) -> str:
    """Return why the portal verifies the report, or an empty string."""
    if is_decisive(report, now):
        return "decides a requirement"
    sampling_key = f"{report.integration.uuid}:{report.commit}:{report.version}"
    number = int(salted_hmac("portal.api.sample", sampling_key, algorithm="sha256").hexdigest()[:8], 16)
    return f"random sample of one in {SAMPLING_INTERVAL}" if number % SAMPLING_INTERVAL == 0 else ""


def is_decisive(report: CiCheckReport, now: datetime) -> bool:
    """Return whether the report passes a check that no fulfilled requirement covers."""
    fulfillments = report.integration.fulfillments_by_id
    unmet_check_keys = list_required_check_keys(
        requirement
        for requirement in list_checked_requirements(report.integration)
        if requirement.id not in fulfillments or not fulfillments[requirement.id].is_met(now)
    )
    return any(check["outcome"] in GOOD_OUTCOMES and check["id"] in unmet_check_keys for check in report.results)


def compare_due_reports(now: datetime | None = None, limit: int = 100) -> int:
    """Compare due reports with the portal's results. Return the number of compared reports."""
    now = now or timezone.now()
    pending_reports = CiCheckReport.objects.filter(compared_at=None, at__gt=now - COMPARISON_PERIOD).exclude(sampled="")
    # The limit counts compared reports: those that wait for more results must not delay the others.
    is_new = Q(at__gte=OuterRef("at")) | Q(confirmed_at__gte=OuterRef("at"))
    new_results = CheckResult.objects.filter(is_new, integration=OuterRef("integration"))
    rows = pending_reports.filter(Exists(new_results)).select_related("integration").order_by("pk")
    return process_each(rows.iterator(), partial(compare_report, now=now), "compare CI report", limit=limit)


def compare_report(report: CiCheckReport, now: datetime) -> bool:
    """Compare a report if the portal has results for all reported checks since then. Return whether it has.

    Errors on our side don't count as results, so that a report waits until an outage is over. Nor do warnings about
    something that was just not found, because CI reports the same as a failure at once.
    """
    known_keys = set(list_required_check_keys(list_checked_requirements(report.integration)))
    reported_keys = {check["id"] for check in report.results} & known_keys
    undecided_keys = observations.list_absence_warnings(report.integration)
    results_by_key = {
        row.key: row
        for row in CheckResult.objects.filter(integration=report.integration).newest()
        if row.key in reported_keys - undecided_keys and row.last_seen >= report.at and row.outcome != Outcome.ERROR
    }
    if results_by_key.keys() != reported_keys:
        return False
    differences = list(find_disagreements(report, results_by_key))
    with transaction.atomic():
        pending_report = CiCheckReport.objects.filter(pk=report.pk, compared_at=None)
        # Another worker was faster, and the finding must not be opened twice.
        if not pending_report.update(compared_at=now, disagreements=differences):
            return True
        if differences:
            _open_finding(report, differences, now)
    return True


def find_disagreements(report: CiCheckReport, results_by_key: dict[str, CheckResult]) -> Iterator[dict[str, str]]:
    """Yield the checks that passed on one side and failed on the other."""
    for check in report.results:
        result = results_by_key.get(check["id"])
        # A check that wasn't run or ended with an error on either side contradicts nothing.
        if result is None or not {check["outcome"], result.outcome} <= DECISIVE_OUTCOMES:
            continue
        if (check["outcome"] in GOOD_OUTCOMES) != (result.outcome in GOOD_OUTCOMES):
            outcomes = {"reported_outcome": check["outcome"], "portal_outcome": result.outcome}
            yield {"id": check["id"], **outcomes, "summary": result.summary}


def _open_finding(report: CiCheckReport, differences: list[dict[str, str]], now: datetime) -> None:
    """Open a finding on the first affected requirement and record an event."""
    keys = {difference["id"] for difference in differences}
    requirements = list_checked_requirements(report.integration)
    requirement = next(each for each in requirements if not keys.isdisjoint(each.checks))
    lines = [
        f"{each['id']}: reported {each['reported_outcome']}, portal result {each['portal_outcome']}. {each['summary']}"
        for each in differences
    ]
    commit = report.commit[:12]
    text = f"The CI report for {commit} differs from the portal's results:\n" + "\n".join(lines)
    with change_integration(report.integration, permissions.is_machine, actor=None, now=now) as change:
        findings.open_automatic_finding(change.integration, requirement.id, text, now=now)
        change.record("check.disagreed", text, requirement=requirement.id, title=requirement.title, commit=commit)
