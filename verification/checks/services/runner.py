"""Execution of an integration's checks. Each result is stored at once, so that pages can show it during the run."""

import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from integrations.partners import permissions
from integrations.programs.requirements import Requirement, RequirementKind
from integrations.submissions.models import Integration
from integrations.submissions.selectors import context
from integrations.submissions.services.attestations import REASON_BY_SUBJECT
from integrations.submissions.services.requirements import discard_check_results, record_check_outcome
from integrations.submissions.services.transitions import perform_transition
from integrations.submissions.workflow.states import ResponsibleParty
from portal.github_access.clients import build_sources
from verification.checks import execution
from verification.checks.models import CheckResult, Observation
from verification.checks.services import observations
from verification.checks.services.results import restore_result, sanitize_result, store_result
from verification.checks.types import Subject, get_description
from verification.outcomes import Outcome, Result, get_worst_outcome
from verification.sources import Sources
from verification.sources.errors import SourceError, SourceNotFoundError

ResultsByKey = dict[str, Result]
RowsByKey = dict[str, CheckResult]
RETRY_DELAYS = tuple(timedelta(minutes=m) for m in (10, 30, 120, 360, 1440))
# Checks start within this time. The longest one, reading a release, may take 120 seconds more.
TIME_LIMIT_SECONDS = 150.0
# An error, so that the run is repeated and none of its requirements passes without the check.
DEFERRED_RESULT = Result(Outcome.ERROR, "Earlier checks took too long. We postponed this check.", is_deferred=True)
FREEZE_PREFIX = f"{observations.LAST_SEEN_PREFIX}frozen:"  # the key of the check follows


def calculate_retry_at(attempt: int, now: datetime) -> datetime:
    """Return when to retry after an outage. `attempt` counts from 1; the last pause repeats."""
    return now + RETRY_DELAYS[min(max(attempt, 1), len(RETRY_DELAYS)) - 1]


def list_checked_requirements(integration: Integration) -> tuple[Requirement, ...]:
    """Return the requirements of the edition that checks decide, those of tiers included."""
    requirements = integration.edition.list_all_requirements()
    return tuple(each for each in requirements if each.checks and context.is_applicable(each, integration))


def build_integration_subject(integration: Integration, now: datetime | None = None) -> Subject:
    """Return the integration as plain values, with what earlier runs recorded."""
    return replace(
        execution.build_subject(integration.program, integration.edition, integration.repository),
        name=integration.name,
        repository_id=integration.repository_id,
        repository_owner_id=integration.repository_owner_id,
        category=integration.category,
        tier=integration.tier,
        listing_status=str(integration.listing_status),
        homepage=integration.homepage,
        siblings=_list_sibling_repositories(integration),
        answers=_collect_answers(integration),
        known=observations.get_known_values(integration),
        now=now or timezone.now(),
    )


def build_integration_sources(integration: Integration, *, background: bool = False) -> Sources:
    """Build the clients of one run. A private repository is read with the GitHub access of who connected it.

    That person must still be able to edit for the partner.
    """
    reader = integration.repository_reader
    if not permissions.can_edit_partner(integration.partner, reader):
        reader = None
    return build_sources(integration.repository, reader, background=background)


def _list_sibling_repositories(integration: Integration) -> tuple[str, ...]:
    """Return the repositories of the partner's other active integrations in the program."""
    rows = Integration.objects.open().filter(partner=integration.partner_id, program_key=integration.program_key)
    siblings = rows.exclude(pk=integration.pk).exclude(repository="").order_by("repository")
    return tuple(siblings.values_list("repository", flat=True)[:100])


def _collect_answers(integration: Integration) -> dict[str, dict[str, object]]:
    """Return the answers from forms by requirement, in the order of the path."""
    fulfillments = integration.fulfillments_by_id
    requirements = integration.edition.list_all_requirements()
    form_ids = [requirement.id for requirement in requirements if requirement.kind == RequirementKind.FORM]
    return {id: fulfillments[id].data for id in form_ids if id in fulfillments and fulfillments[id].data}


def run_integration_checks(
    integration: Integration,
    requirement_ids: Collection[str] | None = None,
    *,
    now: datetime,
    requested_at: datetime | None = None,
    sources: Sources | None = None,
    attempt: int = 1,
    report_progress: Callable[[str], None] = lambda key: None,
) -> datetime | None:
    """Run the checks of these requirements, or of all if None. Return when to retry after an outage.

    Args:
        requested_at: When the run was requested. For checks that don't start in time, results since then count.
        attempt: Number of the attempt, from 1; it decides when an outage is retried.
        report_progress: Called with each finished check.
    """
    checked = list_checked_requirements(integration)
    requirements = [each for each in checked if requirement_ids is None or each.id in requirement_ids]
    observations.select_history(integration, now)
    subject = build_integration_subject(integration, now)
    sources = sources or build_integration_sources(integration)
    results: ResultsByKey = {}
    deadline = time.monotonic() + TIME_LIMIT_SECONDS
    previous_rows = {row.key: row for row in CheckResult.objects.filter(integration=integration).newest()}
    earlier_rows = {key: row for key, row in previous_rows.items() if _counts_again(row, requested_at or now, now)}
    for key in _list_check_keys(requirements, previous_rows):
        is_late = time.monotonic() >= deadline
        # Without time left, a result of an earlier attempt counts.
        if not is_late or key not in earlier_rows:
            result = DEFERRED_RESULT if is_late else _run_check(integration, key, subject, sources, now)
            store_result(integration, key, result, now, previous_rows.get(key))
            results[key] = result
        report_progress(key)
    retry_at = _determine_retry_at(results, attempt, now)
    for requirement in requirements:
        _record_requirement_result(integration, requirement, results, earlier_rows, retry_at, now)
    _discard_other_results(integration, checked)
    _freeze_listing(integration, results, now)
    return retry_at


def _run_check(integration: Integration, key: str, subject: Subject, sources: Sources, now: datetime) -> Result:
    """Return the result of a check as it counts for the integration."""
    result = sanitize_result(execution.run_check(key, subject, sources), key)
    result = observations.apply_absence_grace_period(integration, subject, key, result, now)
    return _request_access_if_hidden(integration, subject, result, sources)


def _list_check_keys(requirements: Iterable[Requirement], previous_rows: RowsByKey) -> list[str]:
    """Return the checks, first those that the last attempt deferred, so that they aren't deferred forever."""
    deferred_keys = {key for key, row in previous_rows.items() if row.is_deferred}
    return sorted(execution.list_required_check_keys(requirements), key=lambda key: key not in deferred_keys)


def _counts_again(row: CheckResult, requested_at: datetime, now: datetime) -> bool:
    """Return whether an earlier attempt of the same run stored this result, which is conclusive and not stale."""
    is_current = requested_at <= row.last_seen and now < row.last_seen + get_description(row.key).max_age
    return row.outcome != Outcome.ERROR and is_current


def _is_hidden(integration: Integration, subject: Subject, sources: Sources) -> bool:
    """Return whether a repository that was readable before is now private, moved, or deleted."""
    if not observations.has_been_read(integration, subject):
        return False
    try:
        sources.github.get_repository(subject.repository)  # remembered: the checks of this run have read it
    except SourceError as error:
        return isinstance(error, SourceNotFoundError)
    return False


def _request_access_if_hidden(integration: Integration, subject: Subject, result: Result, sources: Sources) -> Result:
    """Return the result that asks the partner to connect GitHub if the repository is hidden.

    What is listed must be public, so its result stays.
    """
    if not result.missing_item or not _is_hidden(integration, subject, sources):
        return result
    if integration.is_listed:
        return replace(result, needs_access=True)
    problem = f"GitHub no longer shows {subject.repository} to us, so we couldn't run this check."
    summary = f"{problem} If it is private, connect GitHub."
    return replace(result, outcome=Outcome.NOT_RUN, summary=summary, observations={}, needs_access=True)


def _determine_retry_at(results: ResultsByKey, attempt: int, now: datetime) -> datetime | None:
    """Return when to retry after an outage: as the source says, else after a pause. None if there was no outage."""
    outages = [result for result in results.values() if result.outcome == Outcome.ERROR]
    requested_retries = [result.retry_at for result in outages if result.retry_at is not None and result.retry_at > now]
    # The last of several sources decides, because an earlier retry would end with another outage.
    return max(requested_retries, default=calculate_retry_at(attempt, now)) if outages else None


def _discard_other_results(integration: Integration, checked: Iterable[Requirement]) -> None:
    """Discard the results of requirements that another category or edition removed, which would become stale."""
    discard_check_results(integration.fulfillments.exclude(requirement_id__in=[each.id for each in checked]))


def _record_requirement_result(
    integration: Integration,
    requirement: Requirement,
    results: ResultsByKey,
    earlier_rows: RowsByKey,
    retry_at: datetime | None,
    now: datetime,
) -> None:
    requirement_results = {
        key: results[key] if key in results else restore_result(earlier_rows[key]) for key in requirement.checks
    }
    outcome = get_worst_outcome(result.outcome for result in requirement_results.values())
    # Checks that read the same source often fail with the same sentence.
    summaries = dict.fromkeys(result.summary for result in requirement_results.values() if result.outcome == outcome)
    last_seen = {key: row.last_seen for key, row in earlier_rows.items() if key not in results}
    record_check_outcome(
        integration,
        requirement.id,
        outcome=outcome,
        summary=" ".join(summaries),
        detail=[_serialize_detail(key, result) for key, result in requirement_results.items()],
        retry_at=retry_at if outcome == Outcome.ERROR else None,
        # A requirement needs all of its checks, so the first one that becomes stale ends its validity.
        valid_until=min(last_seen.get(key, now) + get_description(key).max_age for key in requirement_results),
        now=now,
    )


def _list_freeze_reasons(integration: Integration) -> dict[str, str]:
    """Return the last reason for which each check has put the integration on hold, by the key of the check."""
    recorded = Observation.objects.filter(integration=integration, key__startswith=FREEZE_PREFIX)
    return {key.removeprefix(FREEZE_PREFIX): str(reason) for key, reason in recorded.values_list("key", "value")}


def _freeze_listing(integration: Integration, results: ResultsByKey, now: datetime) -> None:
    """Put a listed integration on hold if a reviewer has to decide first; once per reason, until it has ended."""
    reasons = {key: result.freeze_reason for key, result in results.items() if result.freeze_reason}
    recorded_reasons = _list_freeze_reasons(integration)
    if not (reasons or recorded_reasons):
        return
    # Read again: the checks took minutes, and someone may have acted on the integration in the meantime.
    current = Integration.objects.get(pk=integration.pk)
    if not current.is_listed or current.on_hold_for or current.repository != integration.repository:
        return
    _forget_ended_reasons(current, recorded_reasons, results)
    program = str(ResponsibleParty.PROGRAM)
    # All checks of a repository that GitHub withholds have the same reason.
    key = next((key for key, reason in reasons.items() if reason not in recorded_reasons.values()), "")
    if not key:
        return
    with transaction.atomic():  # a reason is recorded only if it does put the integration on hold
        observations.store_observation(current, key, {FREEZE_PREFIX + key: reasons[key]}, now)
        perform_transition(current, "put_on_hold", actor=None, note=reasons[key], now=now, waits_for=program, check=key)


def _forget_ended_reasons(integration: Integration, recorded_reasons: dict[str, str], results: ResultsByKey) -> None:
    """Forget the reasons of checks that have a result without one, so that the same reason counts again later."""
    ended = [
        key
        for key, result in results.items()
        if key in recorded_reasons
        and result.outcome in observations.CONCLUSIVE_OUTCOMES
        and not (result.freeze_reason or result.missing_item)
    ]
    for key in ended:
        del recorded_reasons[key]
    Observation.objects.filter(integration=integration, key__in=[FREEZE_PREFIX + key for key in ended]).delete()


def _serialize_detail(key: str, result: Result) -> dict[str, object]:
    """Return the details of a check as JSON for pages."""
    serialized = execution.serialize_result(key, result)
    # Pages read the key and the summary below.
    del serialized["id"], serialized["inspected_revisions"]
    return serialized | {
        "key": key,
        "unreachable": result.source,
        "needs_access": result.needs_access,
        "inspected_summary": ", ".join(f"{thing} {revision}" for thing, revision in result.inspected_revisions),
        "subjects": {thing: revision for thing, revision in result.inspected_revisions if thing in REASON_BY_SUBJECT},
    }
