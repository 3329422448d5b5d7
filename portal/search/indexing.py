"""Updates of the search index, in the transaction that changes an object, and its rebuild."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from django.conf import settings
from django.db import transaction
from django.db.models import Model, QuerySet
from django.db.models.signals import post_save
from django.utils import translation

from integrations.partners.models import Membership, Partner
from integrations.programs.models import RegistryProvider
from integrations.programs.services.registry_import import providers_imported
from integrations.sla.github.event_store import issues_changed
from integrations.sla.models import SupportIssue
from integrations.submissions.models import Finding, Integration
from portal.accounts.models import User
from portal.audit.models import AuditEvent
from portal.core.bulk_changes import skip_in_bulk_changes
from portal.search.entries import build_integration_entries, build_issue_entry, build_partner_entries, get_source
from portal.search.models import SearchEntry
from portal.search.public_entries import DOCUMENTATION_SOURCE, build_documentation_entries, build_provider_entry

Row = TypeVar("Row", bound=Model)
BATCH_SIZE = 500
IDENTITY = ("kind", "object_id")
COLUMNS = [
    field.attname
    for field in SearchEntry._meta.concrete_fields
    if not field.primary_key and field.attname not in IDENTITY
]


def write_entries(sources: Iterable[str], new_entries: Iterable[SearchEntry]) -> int:
    """Make these the only entries of the sources. Return how many were written or deleted."""
    existing = {_get_identity(row): row for row in SearchEntry.objects.filter(source__in=sources)}
    changed = []
    for entry in new_entries:
        row = existing.pop(_get_identity(entry), None)
        if row is None or any(getattr(row, name) != getattr(entry, name) for name in COLUMNS):
            changed.append(entry)
    if existing:
        SearchEntry.objects.filter(pk__in=[row.pk for row in existing.values()]).delete()
    SearchEntry.objects.bulk_create(
        changed, batch_size=BATCH_SIZE, update_conflicts=True, unique_fields=IDENTITY, update_fields=COLUMNS
    )
    return len(existing) + len(changed)


def _get_identity(entry: SearchEntry) -> tuple[int, str]:
    return entry.kind, entry.object_id


def index_partners(partners: Sequence[Partner]) -> int:
    members: dict[int, list[Membership]] = defaultdict(list)
    for membership in Membership.objects.filter(partner__in=partners, ended_at=None).select_related("user"):
        members[membership.partner_id].append(membership)
    current = [partner for partner in partners if partner.merged_into_id is None]
    entries = (entry for partner in current for entry in build_partner_entries(partner, members[partner.pk]))
    return write_entries(map(get_source, partners), entries)


def index_integrations(integrations: Sequence[Integration]) -> int:
    findings: dict[int, list[Finding]] = defaultdict(list)
    for finding in Finding.objects.filter(integration__in=integrations):
        findings[finding.integration_id].append(finding)
    entries = (entry for row in integrations for entry in build_integration_entries(row, findings[row.pk]))
    return write_entries(map(get_source, integrations), entries)


def index_issues(issues: Sequence[SupportIssue]) -> int:
    return write_entries(map(get_source, issues), map(build_issue_entry, issues))


def index_providers(providers: Sequence[RegistryProvider]) -> int:
    return write_entries(map(get_source, providers), map(build_provider_entry, providers))


def index_documentation() -> int:
    with translation.override(settings.LANGUAGE_CODE):
        return write_entries([DOCUMENTATION_SOURCE], build_documentation_entries())


@skip_in_bulk_changes
def index_event(event: AuditEvent) -> None:
    """Update the entries of the integration or the partner of an event."""
    if event.integration is not None:
        index_integrations([event.integration])
    elif event.partner is not None:
        index_partners([event.partner])
        if event.event_type in ("partner.profile_changed", "partner.merged"):
            _rebuild_rows(_select_integrations().filter(partner=event.partner), index_integrations)
            _rebuild_rows(_select_issues().filter(integration__partner=event.partner), index_issues)


@skip_in_bulk_changes
def _index_person(instance: User, update_fields: Iterable[str] | None, created: bool, **_: object) -> None:
    """Update the entries of a user after a change of the name or the email address."""
    if not created and (update_fields is None or {"name", "email"} & set(update_fields)):
        index_partners(list(Partner.objects.filter(memberships__user=instance, memberships__ended_at=None)))


@skip_in_bulk_changes
def _index_changed_issues(issue_ids: Iterable[int], **_: object) -> None:
    index_issues(list(_select_issues().filter(pk__in=issue_ids)))


def _index_imported_providers(**_: object) -> None:
    _rebuild_rows(RegistryProvider.objects.all(), index_providers)


def connect() -> None:
    """Register the changes that no audit event describes."""
    post_save.connect(_index_person, sender=User, dispatch_uid="search.person")
    issues_changed.connect(_index_changed_issues, dispatch_uid="search.issues")
    providers_imported.connect(_index_imported_providers, dispatch_uid="search.providers")


def rebuild() -> int:
    """Write all entries that are missing or outdated, and delete the rest. Return how many changed."""
    old_sources = set(SearchEntry.objects.values_list("source", flat=True))
    indexed_rows: tuple[tuple[QuerySet[Any], Callable[[Sequence[Any]], int]], ...] = (
        (Partner.objects.all(), index_partners),
        (_select_integrations(), index_integrations),
        (_select_issues(), index_issues),
        (RegistryProvider.objects.all(), index_providers),
    )
    sources = {DOCUMENTATION_SOURCE}
    count = index_documentation()
    for rows, index in indexed_rows:
        count += _rebuild_rows(rows, index)
        sources.update(f"{rows.model._meta.model_name}:{pk}" for pk in rows.values_list("pk", flat=True))
    deleted_sources = sorted(old_sources - sources)
    return count + sum(
        write_entries(deleted_sources[start : start + BATCH_SIZE], ())
        for start in range(0, len(deleted_sources), BATCH_SIZE)
    )


def _rebuild_rows(rows: QuerySet[Row], index: Callable[[Sequence[Row]], int]) -> int:
    """Index rows in batches. Rows that another process is changing are left to that process."""
    count = 0
    last_pk = 0
    while True:
        with transaction.atomic():
            locked = rows.select_for_update(skip_locked=True, no_key=True, of=("self",))
            batch = list(locked.filter(pk__gt=last_pk).order_by("pk")[:BATCH_SIZE])
            if not batch:
                return count
            count += index(batch)
        last_pk = batch[-1].pk


def _select_integrations() -> QuerySet[Integration]:
    return Integration.objects.select_related("partner")


def _select_issues() -> QuerySet[SupportIssue]:
    return SupportIssue.objects.select_related("monitored_repository", "integration")
