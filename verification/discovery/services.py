"""Services that read an address and start an integration from what was found."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from integrations.partners.models import Partner
from integrations.programs.registry import PROGRAMS
from integrations.programs.requirements import RequirementKind
from integrations.programs.selectors import get_edition_in_force
from integrations.submissions.forms.drafts import GITHUB_FIELDS
from integrations.submissions.models import Integration
from integrations.submissions.services import drafts
from integrations.submissions.services.creation import create_integration
from portal.accounts.models import User
from portal.core.errors import ActionRefused
from portal.core.json_text import clean_json
from portal.jobs.context import JobContext
from portal.jobs.definitions import Backoff, RetryLater, job
from portal.jobs.services import enqueue
from verification.checks import execution
from verification.checks.services.prefill import build_values
from verification.checks.types import Subject
from verification.discovery.addresses import parse_address
from verification.discovery.models import Discovery
from verification.discovery.reading import Reading, list_facts, read_address
from verification.discovery.recognition import find_category, recognize
from verification.sources import Sources, factory
from verification.sources.errors import SourceError, SourceNotFoundError

READ_JOB = "discovery.read"
RETRY = Backoff(first=timedelta(seconds=5), maximum=timedelta(minutes=1), give_up_after=timedelta(minutes=5))
MAX_PER_HOUR = 30  # addresses that a person can have read
REQUESTED_PRIORITY = 1  # somebody waits for it


@transaction.atomic
def start_discovery(text: str, *, actor: User, now: datetime, program: str = "") -> Discovery:
    """Have an address read. With `program`, its requirements are checked whatever is recognized.

    Raises:
        InvalidAddressError: The text is no address that the portal can read.
        ActionRefused: The person has had too many addresses read.
    """
    address = parse_address(text)
    recent = Discovery.objects.filter(requested_by=actor, created_at__gt=now - timedelta(hours=1))
    if recent.count() >= MAX_PER_HOUR:
        raise ActionRefused(_("You entered many addresses in the last hour. Try again later."))
    discovery = Discovery.objects.create(
        requested_by=actor,
        address=text.strip(),
        kind=str(address.kind),
        name=address.name,
        program_key=program,
        created_at=now,
    )
    _enqueue(discovery)
    return discovery


@transaction.atomic
def select_program(discovery: Discovery, program: str) -> None:
    """Check the requirements of another program."""
    Discovery.objects.filter(pk=discovery.pk, integration=None).update(
        program_key=program, results=[], finished_at=None, problem="", detail=""
    )
    _enqueue(discovery)


def _enqueue(discovery: Discovery) -> None:
    key = str(discovery.pk)
    enqueue(read_discovery, discovery_id=discovery.pk, dedup_key=key, priority=REQUESTED_PRIORITY)


def record_outage(message: str, *, discovery_id: int) -> None:
    """Record that the address couldn't be read, after the last attempt."""
    Discovery.objects.filter(pk=discovery_id).update(
        problem=Discovery.Problem.OUTAGE, detail=message[:500], finished_at=timezone.now()
    )


@job(READ_JOB, queue="checks", retry=RETRY, on_failure=record_outage)
def read_discovery(context: JobContext, *, discovery_id: int) -> None:
    """Read the address, then check the requirements of the selected or best program."""
    discovery = Discovery.objects.get(pk=discovery_id)
    sources = factory.build_sources()
    try:
        reading = read_address(discovery.target, sources)
    except SourceNotFoundError as error:
        discovery.problem, discovery.detail = Discovery.Problem.NOT_FOUND, str(error)[:500]
    except SourceError as error:
        Discovery.objects.filter(pk=discovery_id).update(problem=Discovery.Problem.OUTAGE, detail=str(error)[:500])
        raise RetryLater(str(error)) from error
    else:
        _record_reading(discovery, reading)
        run_program_checks(discovery, reading, sources, context)
    discovery.finished_at = timezone.now()
    discovery.save()


def _record_reading(discovery: Discovery, reading: Reading) -> None:
    candidates = recognize(reading)
    discovery.problem = discovery.detail = ""
    discovery.candidates = [candidate.as_dict() for candidate in candidates]
    discovery.facts = clean_json([fact.as_dict() for fact in list_facts(reading)])
    discovery.program_key = discovery.program_key or (candidates[0].program if candidates else "")
    discovery.values = clean_json(_build_form_values(discovery, reading))
    discovery.results, discovery.read_at = [], timezone.now()
    discovery.save()


def _build_form_values(discovery: Discovery, reading: Reading) -> dict[str, object]:
    """Return what the start form needs, without what nobody states."""
    values: dict[str, object] = {"offerings": []}
    if reading.repository is not None:
        values |= build_values(reading.repository, None)
        values["repository_address"] = reading.repository.full_name
        values["prefilled"] = [key for key in GITHUB_FIELDS if values[key]]
    if discovery.program_key:
        edition = get_edition_in_force(discovery.program_key)
        values["category"] = find_category(edition, reading.name)
        values["offerings"] = list(edition.offerings[:1])  # the product itself, before its paid editions
    return values


def run_program_checks(discovery: Discovery, reading: Reading, sources: Sources, context: JobContext) -> None:
    """Run the checks that need no person, and store each result as soon as it is known."""
    if discovery.program is None or reading.repository is None:
        return
    subject = _build_subject(discovery, reading)
    keys = execution.list_check_keys(get_edition_in_force(discovery.program_key), subject.category)
    for key in keys:
        result = execution.serialize_result(key, execution.run_check(key, subject, sources))
        discovery.results.append(clean_json(result))
        discovery.save(update_fields=["results"])
        context.report_progress(done=len(discovery.results), total=len(keys))


def _build_subject(discovery: Discovery, reading: Reading) -> Subject:
    repository = reading.repository
    assert repository is not None, "only repositories are checked"
    subject = execution.build_subject(
        PROGRAMS[discovery.program_key], get_edition_in_force(discovery.program_key), repository.full_name
    )
    return replace(
        subject,
        repository_id=repository.id,
        repository_owner_id=repository.owner_id,
        category=str(discovery.values.get("category", "")),
        homepage=repository.homepage,
        description=repository.description,
    )


def start_integration(
    discovery: Discovery, partner: Partner, values: Mapping[str, object], *, actor: User, now: datetime
) -> Integration:
    """Create the integration of a discovery exactly once, with drafts of the answers that are known.

    Raises:
        ActionRefused: The actor can't edit for the partner.
    """
    with transaction.atomic():
        locked = Discovery.objects.select_for_update(of=("self",)).select_related("integration").get(pk=discovery.pk)
        if locked.integration is not None:
            return locked.integration
        integration = create_integration(partner, locked.program_key, values, actor=actor, now=now)
        locked.integration = integration
        locked.save(update_fields=["integration"])
        _draft_known_answers(locked, integration, actor, now)
    return integration


def _draft_known_answers(discovery: Discovery, integration: Integration, actor: User, now: datetime) -> None:
    """Save a draft for each form of which an answer is known, so that nobody types it again."""
    known = list_known_answers(discovery, integration, actor)
    for requirement in integration.edition.requirements():
        data = {question.key: known[question.key] for question in requirement.fields if known.get(question.key)}
        is_answered = integration.fulfillments.filter(requirement_id=requirement.id).exclude(submitted_at=None).exists()
        if requirement.kind == RequirementKind.FORM and data and not is_answered:
            draft = drafts.get_or_create_answer_draft(integration, requirement.id, actor=actor, now=now)
            drafts.save_draft(draft, data, version=draft.version, actor=actor, now=now)


def list_known_answers(discovery: Discovery, integration: Integration, actor: User) -> dict[str, str]:
    """Return known answers by the key of the question, which means the same in every program."""
    facts = {fact["key"]: fact for fact in discovery.facts}
    listing_url = facts["listing"]["url"] if "listing" in facts else ""
    return {
        "contact_name": str(actor),
        "contact_email": actor.email,
        "use_case": integration.description,
        "text": integration.description,
        "page": integration.homepage,
        "documentation": f"{listing_url}/docs" if listing_url else facts.get("docs", {}).get("url", ""),
        "tracker": f"{integration.repository_url}/issues" if integration.repository else "",
        "endpoint": facts.get("endpoint", {}).get("value", ""),
        "provider": facts.get("listing", {}).get("value", ""),
    }
