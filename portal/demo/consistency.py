"""Rules that everything in the demo world must satisfy, each a function that yields contradictions as sentences."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise

from integrations.programs.requirements import RequirementKind
from integrations.submissions.forms.drafts import IntegrationForm, get_naming_hint
from integrations.submissions.forms.requirements import RequirementForm
from integrations.submissions.models import Integration
from integrations.submissions.models.integration import DESCRIPTION_FIELDS
from integrations.submissions.selectors import context
from integrations.submissions.workflow.actions import determine_next_action
from integrations.submissions.workflow.states import Status
from portal.audit.models import AuditEvent
from portal.audit.verification import find_chain_faults
from portal.core.repository_urls import get_product_name
from portal.demo.checks import build_integration_sources, is_fictional
from portal.directory.models import Listing
from portal.directory.observed_versions import get_published_versions
from portal.directory.services import find_drift
from verification.checks import execution
from verification.checks.models import CheckResult, Observation
from verification.checks.services.results import build_check_result
from verification.checks.services.runner import build_integration_subject, list_checked_requirements
from verification.checks.types import Subject
from verification.outcomes import Outcome, get_worst_outcome
from verification.releases.artifacts import file_names
from verification.sources import Sources
from verification.terraform.versions import parse_constraint, parse_version, suggest_constraint

Rule = Callable[[Integration, datetime], Iterator[str]]
CONCURRENT_JOBS = timedelta(minutes=5)  # each records the time when it started
FULFILLED = (Status.SUBMITTED, Status.PASS)
CHECKED_STATUSES = frozenset(Outcome) - {Outcome.ERROR}  # an outage keeps the earlier results


def find_contradictions(now: datetime) -> Iterator[str]:
    """Yield every contradiction, after the name of the integration or the place in the audit log."""
    for integration in Integration.objects.select_related("partner").order_by("pk"):
        for rule in RULES:
            yield from (f"{integration.name}: {problem}" for problem in rule(integration, now))
    for fault in find_chain_faults(AuditEvent.objects.order_by("stream", "seq")):
        yield f"{fault.place}: {fault.message}"


def check_draft(integration: Integration, now: datetime) -> Iterator[str]:
    """Require that the draft form accepts the description of the integration without a hint."""
    data = {name: getattr(integration, name) for name in DESCRIPTION_FIELDS}
    data["repository_address"] = integration.repository_url
    form = IntegrationForm(integration.program, integration.edition, data=data)
    yield from (f"{name}: {message}" for name, errors in form.errors.items() for message in errors)
    if hint := get_naming_hint(integration.program, integration.repository_url):
        yield hint


def check_answers(integration: Integration, now: datetime) -> Iterator[str]:
    """Require that the form of each requirement accepts its answers, and that submitted statements are confirmed."""
    for requirement in integration.edition.list_all_requirements():
        state = integration.fulfillments_by_id.get(requirement.id)
        if state is None or state.status not in FULFILLED:
            continue
        if requirement.kind == RequirementKind.FORM:
            form = RequirementForm(requirement, data=state.data)
            yield from (f"{requirement.id}: {name}" for name in form.errors)
        if requirement.kind == RequirementKind.ATTESTATION and not state.data.get("confirmed"):
            yield f"{requirement.id} is not confirmed."


def check_path(integration: Integration, now: datetime) -> Iterator[str]:
    """Require that nothing is missing for an earlier step, unless a check failed or a waiver expired later."""
    if not integration.is_open:
        return
    for requirement in context.list_missing_at(integration, integration.position, now):
        state = integration.fulfillments_by_id.get(requirement.id)
        if state is None or state.status not in (Status.FAIL, Status.ERROR):
            yield f"{requirement.id} is missing in the stage {integration.stage}."


def check_history(integration: Integration, now: datetime) -> Iterator[str]:
    """Require that the history begins with the creation, is in order, and each transition continues the last."""
    events = list(integration.events.filter(stream=f"integration:{integration.pk}").order_by("seq"))
    if not events or events[0].event_type != "integration.created":
        yield "The history does not begin with the creation."
    yield from (
        f"{later.event_type} is older than {earlier.event_type}."
        for earlier, later in pairwise(events)
        if later.at < earlier.at - CONCURRENT_JOBS
    )
    positions = [(event.data["old"], event.data["new"]) for event in events if "old" in event.data]
    yield from (
        f"A transition starts at {begin}, but the last one ended at {end}."
        for (_, end), (begin, _) in pairwise(positions)
        if begin != end
    )
    if positions and positions[-1][1] != [integration.stage, integration.step]:
        yield f"The last transition led to {positions[-1][1]}."


def check_next_action(integration: Integration, now: datetime) -> Iterator[str]:
    """Require that the stored next action and counts are the derived ones."""
    # Time changes them at this moment, but a periodic job stores that, and none runs before the portal is started.
    if integration.next_refresh_at is not None:
        now = min(now, integration.next_refresh_at - timedelta(microseconds=1))
    action = determine_next_action(context.build_snapshot(integration, now))
    derived = (
        (str(action.responsible_party or ""), action.code, action.params, action.target) if action else ("", "", {}, "")
    )
    columns = ("responsible_party", "next_action_code", "next_action_params", "next_action_target")
    stored = tuple(getattr(integration, column) for column in columns)
    if derived != stored:
        yield f"The next action is {stored}, but should be {derived}."
    if integration.requirement_counts != context.count_requirements(integration, now):
        yield "The counts of requirements are outdated."


def check_results(integration: Integration, now: datetime) -> Iterator[str]:
    """Require that each check still returns its stored result, and that these results decide about the requirements."""
    if not is_fictional(integration):
        return
    stored = {row.key: row for row in CheckResult.objects.filter(integration=integration).conclusive()}
    for key, row in stored.items():
        result = execution.run_check(key, *_recall_run(integration, row.last_seen))
        if not row.has_same_content(build_check_result(integration, key, result, row.last_seen)):
            returned = f"“{result.outcome}: {result.summary}”"
            yield f"{key} is stored as “{row.outcome}: {row.summary}”, but returns {returned}."
    for requirement in list_checked_requirements(integration):
        state = integration.fulfillments_by_id.get(requirement.id)
        if state is None or state.status not in CHECKED_STATUSES:
            continue
        outcomes = [Outcome(stored[key].outcome) if key in stored else Outcome.NOT_RUN for key in requirement.checks]
        if (outcome := get_worst_outcome(outcomes)) != state.status:
            yield f"{requirement.id} has the status {state.status}, but the outcome of its checks is {outcome}."


def _recall_run(integration: Integration, at: datetime) -> tuple[Subject, Sources]:
    """Return what a run of checks read: the integration, what earlier runs had observed, and the sources."""
    earlier = Observation.objects.filter(integration=integration, since__lt=at)
    known = dict(earlier.values_list("key", "value"))
    subject = replace(build_integration_subject(integration, at), known=known)
    return subject, build_integration_sources(integration, at)


def check_listing(integration: Integration, now: datetime) -> Iterator[str]:
    """Require that the listing is current, and Terraform accepts its source address and version constraint."""
    if integration.released_at is None:
        return
    yield from (
        f"The listing is outdated: {name}."
        for name in find_drift(integration, Listing.all_objects.filter(pk=integration.pk).first())
    )
    owner, _, repository = integration.repository.partition("/")
    if not integration.is_listed or not file_names.REPOSITORY.fullmatch(repository):
        return
    published = get_published_versions(integration)
    if published is None or not published.newest:
        yield "The registry has no version of this listed provider."
        return
    if published.full_name != f"{owner}/{get_product_name(repository)}":
        yield f"The registry lists {published.full_name}, but the repository is {integration.repository}."
    versions = {parse_version(version): version for version in published.versions}
    if parse_constraint(suggest_constraint(parse_version(published.newest))).find_newest(versions) is None:
        yield f"No version satisfies the constraint for {published.newest}."


RULES: tuple[Rule, ...] = (
    check_draft,
    check_answers,
    check_path,
    check_history,
    check_next_action,
    check_results,
    check_listing,
)
