"""Import of several providers of a registry namespace at once."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from enum import StrEnum

from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Lower

from integrations.partners.models import Partner
from integrations.submissions.models import Integration
from integrations.submissions.services.creation import create_integration
from portal.accounts.models import User
from portal.core.badge_impersonation import is_badge_imitation
from portal.core.repository_urls import find_repository
from portal.core.value_types import JsonObject
from verification.checks.services.prefill import format_title
from verification.discovery.known_answers import draft_known_answers
from verification.discovery.models import Discovery
from verification.sources.registry.client import ProviderSummary


class ImportOutcome(StrEnum):
    """Result of the import of a selected provider, blank before the import."""

    NONE = ""
    CREATED = "created"
    EXISTS = "exists"
    NO_REPOSITORY = "no_repository"
    NAME_REFUSED = "name_refused"


@dataclass(slots=True)
class ProviderRow(ProviderSummary):
    """Provider of a namespace. `repository` is "owner/name" on the allowed host, or blank.

    `outcome` and `integration` (a UUID) are the result of the last import.
    """

    repository: str = ""
    outcome: str = ImportOutcome.NONE
    integration: str = ""

    @property
    def name(self) -> str:
        return self.full_name.rpartition("/")[2]


def build_rows(providers: Iterable[ProviderSummary]) -> list[JsonObject]:
    """Return the rows of a namespace as plain values for storage."""
    return [asdict(each) | {"repository": find_repository(each.source)} for each in providers]


def load_rows(discovery: Discovery) -> list[ProviderRow]:
    return [ProviderRow(**row) for row in discovery.providers]


def import_providers(
    discovery: Discovery,
    get_partner: Callable[[], Partner],
    categories: Mapping[str, str],
    offerings: Iterable[str],
    *,
    actor: User,
    now: datetime,
) -> list[ProviderRow]:
    """Create an integration for each selected provider of a namespace that the partner doesn't have yet.

    Args:
        discovery: The namespace.
        get_partner: Returns the company, or creates it. Its row is locked, so that two imports never create the same
            integration.
        categories: Category by full name of the selected providers.
        offerings: Compatible products of each of them.
        actor: Who imports.
        now: The current time.

    Returns:
        The selected rows without those that an earlier request imported, with their outcomes, which are stored too.

    Raises:
        ActionRefused: The actor can't edit for the partner, or the program has changed. Nothing is created.
    """
    with transaction.atomic():
        locked = discovery.lock()
        # The lock leaves out the key, so that new rows that refer to the company don't wait.
        locked_partner = Partner.objects.select_for_update(no_key=True).get(pk=get_partner().pk)
        rows = load_rows(locked)
        # A repeated request, such as a double click, creates nothing again.
        imported = [row for row in rows if row.full_name in categories and not _is_imported(row)]
        for row in imported:
            values = {"category": categories[row.full_name], "offerings": list(offerings)}
            _import_row(row, locked_partner, locked.program_key, values, actor=actor, now=now)
        locked.providers = [asdict(row) for row in rows]
        locked.save(update_fields=["providers"])
    return imported


def _is_imported(row: ProviderRow) -> bool:
    """Return whether an earlier import created an integration that hasn't ended since."""
    is_created = row.outcome == ImportOutcome.CREATED
    return is_created and Integration.objects.open().filter(uuid=row.integration).exists()


def _import_row(
    row: ProviderRow,
    partner: Partner,
    program: str,
    values: Mapping[str, object],
    *,
    actor: User,
    now: datetime,
) -> None:
    """Create the integration of a row, or record in the row why there is none."""
    name = format_title(row.name)
    existing = find_open_integrations([row]).filter(partner=partner).first()
    if existing is not None:
        row.outcome = ImportOutcome.EXISTS
        row.integration = str(existing.uuid)
    elif not row.repository:
        row.outcome = ImportOutcome.NO_REPOSITORY
    elif is_badge_imitation(name):
        row.outcome = ImportOutcome.NAME_REFUSED
    else:
        description = {"name": name[:80], "description": row.description[:2000], **values}
        # The registry doesn't state the owner's number, so the first check records it.
        repository = {"repository": row.repository, "repository_id": row.repository_id, "repository_owner_id": None}
        integration = create_integration(partner, program, description | repository, actor=actor, now=now)
        draft_known_answers(integration, {"listing": row.full_name}, actor=actor, now=now)
        row.outcome = ImportOutcome.CREATED
        row.integration = str(integration.uuid)


def find_open_integrations(rows: Iterable[ProviderRow]) -> QuerySet[Integration]:
    """Return the open integrations of all partners with the repository of one of the rows."""
    rows = list(rows)
    names = [row.repository.lower() for row in rows if row.repository]
    ids = [row.repository_id for row in rows if row.repository_id is not None]
    # By name, too, because an integration has no number if GitHub didn't answer when it started.
    integrations = Integration.objects.open().annotate(lower_repository=Lower("repository"))
    matches = integrations.filter(Q(lower_repository__in=names) | Q(repository_id__in=ids))
    return matches.select_related("partner").order_by("pk")
