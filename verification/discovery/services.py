"""Services that read an address and start an integration from what was found."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from integrations.partners.models import Partner
from integrations.programs.selectors import get_edition_in_force
from integrations.submissions.forms.drafts import GITHUB_FIELDS
from integrations.submissions.models import Integration
from integrations.submissions.services.creation import create_integration
from portal.accounts.models import User
from portal.core.errors import ActionRefused
from portal.core.json_text import clean_json
from portal.github_access.clients import build_sources
from portal.jobs.definitions import Backoff, JobContext, RetryLater, job
from portal.jobs.services import enqueue
from verification.checks import execution
from verification.checks.facts import Fact
from verification.checks.services.facts import store_facts
from verification.checks.services.prefill import build_values
from verification.discovery.addresses import AddressKind, parse_address
from verification.discovery.imports import build_rows
from verification.discovery.known_answers import draft_known_answers
from verification.discovery.models import Discovery
from verification.discovery.reading import Reading, list_facts, read_address
from verification.discovery.recognition import OK_STATUS, find_category, recognize
from verification.sources import Sources
from verification.sources.errors import (
    AccessDeniedError,
    LegallyWithheldError,
    RequestRefusedError,
    SourceError,
    SourceNotFoundError,
)

READ_JOB = "discovery.read"
# Short, because a person is waiting for the page.
RETRY = Backoff(first=timedelta(seconds=5), maximum=timedelta(minutes=1), give_up_after=timedelta(minutes=5))
MAX_PER_HOUR = 30  # addresses that a person can enter
FINAL_ERRORS = (SourceNotFoundError, LegallyWithheldError, AccessDeniedError, RequestRefusedError)
# Not program_key, which the person can change while the job runs.
READING_FIELDS = ("name", "candidates", "facts", "values", "providers", "results", "problem", "detail", "read_at")
HOUR = timedelta(hours=1)
REQUESTED_PRIORITY = 1  # someone waits for it


@transaction.atomic
def start_discovery(text: str, *, actor: User, now: datetime, program: str = "") -> Discovery:
    """Start to read an address. With `program`, its requirements are checked, whatever the portal recognizes.

    Raises:
        ValidationError: The portal can't read such an address.
        ActionRefused: The person entered too many addresses.
    """
    kind, name = parse_address(text)
    User.objects.select_for_update(no_key=True).get(pk=actor.pk)  # two requests at once count one after the other
    recent = Discovery.objects.filter(requested_by=actor, created_at__gt=now - HOUR).order_by("-created_at")
    if first := recent[MAX_PER_HOUR - 1 :].first():
        refusal = _("You entered many addresses in the last hour. Try again later.")
        raise ActionRefused(refusal, "rate-limited", retry_after=first.created_at + HOUR - now)
    discovery = Discovery.objects.create(
        requested_by=actor,
        address=text.strip(),
        kind=str(kind),
        name=name,
        program_key=program,
        created_at=now,
    )
    _enqueue(discovery)
    return discovery


@transaction.atomic
def select_program(discovery: Discovery, program: str) -> None:
    """Read the address again and check the requirements of a program; a blank key leaves the choice to recognition.

    A discovery from which an integration was started stays as it is.
    """
    if Discovery.objects.filter(pk=discovery.pk, integration=None).update(
        program_key=program, results=[], read_at=None, finished_at=None, problem="", detail=""
    ):
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
    repository = discovery.name if discovery.kind == AddressKind.REPOSITORY else ""
    sources = build_sources(repository, discovery.requested_by if repository else None)
    try:
        reading = read_address(discovery.kind, discovery.name, sources)
    except FINAL_ERRORS as error:
        discovery.problem = Discovery.Problem.NOT_FOUND
        discovery.detail = str(error)[:500]
    except SourceError as error:
        Discovery.objects.filter(pk=discovery_id).update(problem=Discovery.Problem.OUTAGE, detail=str(error)[:500])
        raise RetryLater(str(error)) from error
    else:
        _record_reading(discovery, reading)
        run_program_checks(discovery, reading, sources, context)
    discovery.finished_at = timezone.now()
    discovery.save(update_fields=["problem", "detail", "finished_at"])


def _record_reading(discovery: Discovery, reading: Reading) -> None:
    """Store what was read. A program that the person selects meanwhile stays selected, and this job runs again."""
    if reading.former_name and reading.repository is not None and discovery.kind == AddressKind.REPOSITORY:
        discovery.name = reading.repository.full_name
    candidates = recognize(reading)
    discovery.problem, discovery.detail = find_problem(reading)
    discovery.providers = build_rows(reading.providers)
    discovery.candidates = [asdict(candidate) for candidate in candidates]
    discovery.facts = clean_json([asdict(fact) for fact in list_facts(reading)])
    if candidates and not discovery.program_key:
        # Conditional, because the person may have selected a program since this job loaded the row.
        Discovery.objects.filter(pk=discovery.pk, program_key="").update(program_key=candidates[0].program)
        discovery.refresh_from_db(fields=["program_key"])
    discovery.values = clean_json(build_form_values(discovery.program_key, reading))
    discovery.results = []
    discovery.read_at = timezone.now()
    discovery.save(update_fields=READING_FIELDS)


def find_problem(reading: Reading) -> tuple[str, str]:
    """Return the code and the message of what couldn't be read, both blank if nothing is missing."""
    reply = reading.reply
    if reply is not None and not reply.status:
        return Discovery.Problem.ENDPOINT_UNREACHABLE, reply.message[:500]
    if reply is not None and reply.status != OK_STATUS:
        return Discovery.Problem.ENDPOINT_STATUS, reply.status_line
    return (Discovery.Problem.PARTIAL, " ".join(reading.unread)[:500]) if reading.unread else ("", "")


def build_form_values(program: str, reading: Reading) -> dict[str, object]:
    """Return what the start form needs, without details that no source states."""
    values: dict[str, object] = {"offerings": []}
    if reading.repository is not None:
        values |= build_values(reading.repository, None)
        values["repository_address"] = reading.repository.full_name
        values["private"] = reading.repository.private
        values["prefilled"] = [key for key in GITHUB_FIELDS if values[key]]
    if program:
        edition = get_edition_in_force(program)
        values["category"] = find_category(edition, reading.name)
        values["offerings"] = list(edition.offerings[:1])  # the product itself, before its paid editions
    return values


def run_program_checks(discovery: Discovery, reading: Reading, sources: Sources, context: JobContext) -> None:
    """Run the checks that need no person, and store each result as soon as it is known."""
    program = discovery.program
    repository = reading.repository
    if program is None or repository is None:
        return
    edition = get_edition_in_force(discovery.program_key)
    subject = replace(
        execution.build_subject(program, edition, repository.full_name),
        repository_id=repository.id,
        repository_owner_id=repository.owner_id,
        category=str(discovery.values.get("category", "")),
        homepage=repository.homepage,
    )
    keys = execution.list_check_keys(edition, subject.category)
    for key in keys:
        result = execution.serialize_result(key, execution.run_check(key, subject, sources))
        discovery.results.append(clean_json(result))
        discovery.save(update_fields=["results"])
        context.report_progress(done=len(discovery.results), total=len(keys))


def start_integration(
    discovery: Discovery,
    get_partner: Callable[[], Partner],
    values: Mapping[str, object],
    *,
    actor: User,
    now: datetime,
) -> Integration:
    """Create the integration of a discovery exactly once, with drafts of the answers that are known.

    `get_partner` returns the company, or creates it: a second request of a double click creates neither again.

    Raises:
        ActionRefused: The actor can't edit for the partner, the company can't be created, or the program has changed.
    """
    with transaction.atomic():
        locked = discovery.lock()
        if locked.integration is not None:
            return locked.integration
        # Without the number, the person entered a repository other than the one that was read with their access.
        is_private = bool(locked.values.get("private") and values.get("repository_id"))
        integration = create_integration(
            get_partner(), locked.program_key, values, actor=actor, now=now, reader=actor if is_private else None
        )
        locked.integration = integration
        locked.save(update_fields=["integration"])
        store_facts(integration, [Fact(**fact) for fact in locked.facts], locked.read_at or now)
        draft_known_answers(integration, get_known_facts(locked), actor=actor, now=now)
    return integration


def get_known_facts(discovery: Discovery) -> dict[str, str]:
    """Return the facts from which answers are known."""
    facts = {fact["key"]: fact for fact in discovery.facts}
    sources = {"listing": "value", "docs": "url", "endpoint": "value"}
    return {key: facts[key][attribute] for key, attribute in sources.items() if key in facts}
