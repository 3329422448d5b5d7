"""Services that derive the directory from integrations, within the transaction of each event.

`derive_columns` contains the complete rule, so that a check can compare the rows. Metrics follow within an hour.
"""

import logging
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from functools import partial

from django.db import transaction

from integrations.partners.models import Partner
from integrations.submissions.models import Integration
from integrations.submissions.public_status import ENDED_STATUS, LISTED_STATUS, PUBLIC_STATUSES_BY_KEY
from integrations.submissions.selectors import context
from integrations.submissions.services.transitions import lock_integration
from portal.core.name_matching import normalize_text
from portal.core.value_types import NamedValues
from portal.directory.listing_content import ListingContent, build_listing_content
from portal.directory.models import Listing, ListingChange
from portal.directory.observed_versions import ObservedVersions, get_observed_versions, merge_versions
from portal.directory.support_metrics import MetricColumns, get_support_metrics
from portal.jobs.batches import process_each
from verification.checks.services.facts import get_public_repository

logger = logging.getLogger(__name__)
Kind = ListingChange.Kind
CHANGE_KINDS = {"suspended": Kind.SUSPENDED, "delisted": Kind.DELISTED, "ended": Kind.ENDED}  # by listing status
REFRESH_INTERVAL = timedelta(hours=1)  # of metrics and versions
BATCH_SIZE = 500
HIDDEN_COLUMNS = ("is_public", "partner_id")
MAX_PLATFORMS_LENGTH = 499  # characters
VERSION_COLUMNS = ("version", "versions", "platforms", "changed_at", "figures_at")


def _get_status_date(row: Integration, listing_status: str) -> datetime | None:
    if listing_status == "listed":
        return None
    return row.ended_at if listing_status == "ended" else row.listing_status_since


def derive_columns(row: Integration, content: ListingContent | None = None) -> NamedValues:
    """Return the columns of a listing, derived from the integration with one query for its answers."""
    content = content or build_listing_content(row)
    program = row.program
    listing_status = content.listing_status.key
    summary = content.one_line[:300]
    searchable_texts = (
        row.name,
        row.partner.name,
        content.category,
        program.product,
        program.name,
        get_public_repository(row),
        summary,
    )
    return {
        "uuid": row.uuid,
        "partner_id": row.partner_id,
        "publisher": row.partner.name,
        "publisher_slug": row.partner.slug,
        "name": row.name,
        "name_plain": normalize_text(row.name)[:200],
        "program": row.program_key,
        "product": program.product,
        "track": program.partner_type,
        "category": row.category,
        "category_name": content.category[:80],
        "tier": content.tier.key if content.tier else "",
        "tier_name": content.tier.name[:80] if content.tier else "",
        "listing_status": listing_status,
        "listing_status_since": _get_status_date(row, listing_status),
        "summary": summary,
        "blurb": content.blurb[:1000],
        "has_logo": content.has_logo,
        "search_text": " ".join(normalize_text(text) for text in searchable_texts if text),
        "listed_at": row.released_at,
        "is_public": row.partner.is_verified,
    }


def build_preview(row: Integration, now: datetime) -> tuple[Listing, ListingContent]:
    """Return the listing that publishing the integration would create, without saving it."""
    content = build_listing_content(row, is_preview=True)
    columns = derive_columns(row, content) | {"listed_at": now}
    listing = Listing(integration=row, figures_at=now, changed_at=now, **columns)
    metrics = get_support_metrics([row.pk], now)
    observed_versions = get_observed_versions([row.pk])
    _apply_metrics(listing, metrics[row.pk], observed_versions[row.pk], now)
    return listing, content


def refresh_listing(row: Integration, now: datetime) -> None:
    """Update the listing of an integration and record its public changes.

    The caller has locked the integration. `row` contains the values that are about to be saved.
    """
    if row.released_at is None:
        return
    context.clear_cache(row)
    columns = derive_columns(row)
    listing = Listing.all_objects.filter(pk=row.pk).first()
    if listing is None:
        _create_listing(row, columns, now)
        return
    columns = _select_updates(columns)
    # Feeds must not name a hidden company, not even later.
    changes = list(_iterate_changes(listing, columns)) if columns["is_public"] else []
    # Not always: a job may have stored the time of a release since the row was read.
    if changes:
        columns["changed_at"] = now
    for name, value in columns.items():
        setattr(listing, name, value)
    listing.save(update_fields=list(columns))
    ListingChange.objects.bulk_create(
        ListingChange(listing=listing, kind=kind, summary=summary, at=now) for kind, summary in changes
    )


def _select_updates(columns: NamedValues) -> NamedValues:
    """Return the columns to update. Those of a hidden listing stay, so that no later change shows what was hidden."""
    return columns if columns["is_public"] else {name: columns[name] for name in HIDDEN_COLUMNS}


def refresh_partner_listings(partner: Partner, now: datetime) -> None:
    """Update all listings of a partner."""
    for pk in Integration.objects.filter_released().filter(partner=partner).order_by("pk").values_list("pk", flat=True):
        row = lock_integration(pk)  # waits for concurrent transitions
        row.partner = partner
        refresh_listing(row, now)


def _create_listing(row: Integration, columns: NamedValues, now: datetime) -> None:
    """Create a listing with its known changes."""
    listed_at: datetime = columns["listed_at"]
    changed_at = columns["listing_status_since"] or listed_at
    listing = Listing(integration=row, figures_at=now, changed_at=changed_at, **columns)
    listing.save(force_insert=True)
    summary = f"Listed by the {row.program.name} program."
    changes = [ListingChange(listing=listing, kind=Kind.NEW, summary=summary, at=listed_at)]
    if columns["listing_status"] != "listed":
        kind, summary = _describe_status_change(columns["listing_status"])
        changes.append(ListingChange(listing=listing, kind=kind, summary=summary, at=changed_at))
    ListingChange.objects.bulk_create(changes)
    refresh_metrics([listing], now)


def _describe_status_change(listing_status: str) -> tuple[str, str]:
    kind = CHANGE_KINDS.get(listing_status, Kind.CHANGED)
    return kind, PUBLIC_STATUSES_BY_KEY[listing_status].description or "The integration is listed again."


def _iterate_changes(listing: Listing, columns: NamedValues) -> Iterator[tuple[str, str]]:
    """Yield the public changes as kind and description."""
    new_status = columns["listing_status"]
    if listing.listing_status == ENDED_STATUS.key != new_status != LISTED_STATUS.key:
        # Only the undo of the end: what the program decided earlier didn't happen again.
        label = PUBLIC_STATUSES_BY_KEY[new_status].label
        yield Kind.CHANGED, f"The partner undid the end of support. The listing status is “{label}” again."
    elif listing.listing_status != new_status:
        yield _describe_status_change(new_status)
    elif listing.tier != columns["tier"]:
        tier = columns["tier_name"]
        yield Kind.CHANGED, f"The tier is now {tier}." if tier else "The integration no longer has a tier."
    if listing.name != columns["name"]:
        yield Kind.CHANGED, f"The name changed from {listing.name} to {columns['name']}."
    if listing.publisher != columns["publisher"]:
        yield Kind.CHANGED, f"The publisher's name changed from {listing.publisher} to {columns['publisher']}."[:300]
    if listing.summary != columns["summary"]:
        yield Kind.CHANGED, "The publisher changed the description."


def refresh_metrics(listings: Iterable[Listing], now: datetime) -> int:
    """Update the metrics and versions of listings and return the number of listings."""
    rows = list(listings)
    integration_ids = [row.pk for row in rows]
    metrics_by_id = get_support_metrics(integration_ids, now)
    observed_by_id = get_observed_versions(integration_ids)
    for row in rows:
        _apply_metrics(row, metrics_by_id[row.pk], observed_by_id[row.pk], now)
        row.figures_at = now
    metric_names = {name for metrics in metrics_by_id.values() for name in metrics}
    Listing.all_objects.bulk_update(rows, [*metric_names, *VERSION_COLUMNS], batch_size=100)
    return len(rows)


def _apply_metrics(row: Listing, metrics: MetricColumns, observed_versions: ObservedVersions, now: datetime) -> None:
    for name, value in metrics.items():
        setattr(row, name, value)
    newest = observed_versions.version
    # The first observed version doesn't show that there is a new release.
    if row.is_public and newest and row.version and newest != row.version:
        is_known = any(version_data["version"] == newest for version_data in row.versions)
        summary = f"Version {newest} is the latest version again." if is_known else f"Version {newest} was released."
        ListingChange.objects.create(listing=row, kind=Kind.CHANGED, summary=summary, at=now)
        row.changed_at = now
    if newest:
        row.version = newest
        row.versions = merge_versions(row.versions, observed_versions)
    newest_platforms = next((each["platforms"] for each in row.versions if each["version"] == row.version), None)
    row.platforms = join_platforms(newest_platforms or ())


def join_platforms(platforms: Iterable[str]) -> str:
    """Return the platforms as text with each between two spaces, limited in length."""
    text = " "
    for platform in sorted(set(platforms)):
        if len(text) + len(platform) < MAX_PLATFORMS_LENGTH:
            text += f"{platform} "
    return "" if text == " " else text


def refresh_due_listings(now: datetime) -> int:
    """Refresh listings older than an hour, create missing listings, and return the number of processed rows."""
    missing_ids = Integration.objects.filter_released().filter(listing=None).order_by("pk").values_list("pk", flat=True)
    created_ids = list(missing_ids[:BATCH_SIZE])
    try:
        created_count = process_each(
            created_ids, partial(_create_missing_listing, now=now), "create the listing of integration"
        )
    finally:
        # Also if no missing listing can be created, because the others are not affected by it.
        refreshed_count = _refresh_outdated_listings(now)
    return created_count + refreshed_count


def _refresh_outdated_listings(now: datetime) -> int:
    # Hidden listings are included. Otherwise, they would stay due and come first in every batch.
    due_listings = Listing.all_objects.filter(figures_at__lte=now - REFRESH_INTERVAL).order_by("figures_at")
    due_ids = list(due_listings.values_list("pk", flat=True)[:BATCH_SIZE])
    try:
        return _refresh_listings(due_ids, now)
    except Exception:
        # One faulty listing ends the transaction of the batch, and as the oldest it would be in the next one again.
        logger.exception("cannot refresh the listings of a batch at once")
    return process_each(due_ids, lambda pk: _refresh_listings([pk], now), "refresh the listing of integration")


@transaction.atomic
def _refresh_listings(pks: list[int], now: datetime) -> int:
    return refresh_metrics(Listing.all_objects.filter(pk__in=pks).select_for_update(skip_locked=True), now)


@transaction.atomic
def _create_missing_listing(pk: int, now: datetime) -> None:
    refresh_listing(lock_integration(pk), now)


def find_drift(row: Integration, listing: Listing | None) -> list[str]:
    """Return the columns that differ from the integration, or "missing" without a listing."""
    if listing is None:
        return ["missing"]
    return [name for name, value in _select_updates(derive_columns(row)).items() if getattr(listing, name) != value]
