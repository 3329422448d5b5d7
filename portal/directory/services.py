"""How is a row of the directory kept? Derived in the transaction of whatever happened; figures follow within an hour.

`drawn()` is the whole rule for what follows from the integration itself, so that a drift check can derive it again.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from integrations.compliance.public_status import SHOWN
from integrations.partners.models import Partner
from integrations.submissions.models import Integration
from integrations.submissions.selectors import context
from integrations.submissions.services.transitions import lock
from portal.core.name_matching import plain
from portal.directory.listing_content import listing_of
from portal.directory.models import Listing, ListingChange
from portal.directory.observed_versions import NOTHING, Seen, grown, seen_of
from portal.directory.support_metrics import Support, support_of

Kind = ListingChange.Kind
AGE = timedelta(hours=1)  # of figures and versions, before they are read again
BATCH = 500
MOST = 499  # letters of the platforms' text
READ_AGAIN = (
    "share", "settled", "median_hours", "answers", "rank", "version", "versions", "platforms", "changed_at",
    "figures_at",
)  # fmt: skip
GONE = {"community", "removed", "ended"}


def drawn(row: Integration) -> dict[str, Any]:
    """The columns that follow from the integration as it is now. Makes one query, for its answers."""
    found, program = listing_of(row), row.program
    standing = found.standing.key
    since = None if standing == "listed" else row.ended_at if standing == "ended" else row.standing_since
    summary = found.one_line[:300]
    said = (row.name, row.partner.name, found.category, program.product, program.name, row.repository, summary)
    return {
        "uuid": row.uuid,
        "partner_id": row.partner_id,
        "publisher": row.partner.name,
        "publisher_slug": row.partner.slug,
        "name": row.name,
        "name_plain": plain(row.name)[:200],
        "program": row.program_key,
        "product": program.product,
        "track": program.partners,
        "category": row.category,
        "category_name": found.category[:80],
        "tier": found.tier.key if found.tier else "",
        "tier_name": found.tier.name[:80] if found.tier else "",
        "standing": standing,
        "standing_since": since,
        "summary": summary,
        "blurb": found.blurb[:1000],
        "has_logo": found.has_logo,
        "words": " ".join(plain(each) for each in said if each),
        "listed_at": row.released_at,
    }


def keep(row: Integration, now: datetime) -> None:
    """Bring the row of an integration that was listed up to date, and write down what everyone may know changed.

    Call with the integration locked; `row` holds what is about to be saved.
    """
    if row.released_at is None:
        return
    context.forget(row)
    columns = drawn(row)
    old = Listing.objects.filter(pk=row.pk).first()
    if old is None:
        _begin(row, columns, now)
        return
    changes = list(_changes(old, columns))
    _write(old, columns, now if changes else old.changed_at)
    ListingChange.objects.bulk_create(ListingChange(listing=old, kind=k, said=s, at=now) for k, s in changes)


def keep_all(partner: Partner, now: datetime) -> None:
    """The same for everything that a company has listed."""
    for pk in Integration.objects.listed_once().filter(partner=partner).order_by("pk").values_list("pk", flat=True):
        row = lock(pk)  # whoever moves it at this moment ends first
        row.partner = partner
        keep(row, now)


def _begin(row: Integration, columns: dict[str, Any], now: datetime) -> None:
    """The first row, with the changes that led to it as far as they are known."""
    began: datetime = columns["listed_at"]
    listing = Listing(integration=row, figures_at=now, **columns, changed_at=columns["standing_since"] or began)
    listing.save(force_insert=True)
    told = [ListingChange(listing=listing, kind=Kind.NEW, said=f"Listed by the {row.program.name} program.", at=began)]
    if columns["standing"] != "listed":
        kind, said = _of_standing(columns["standing"])
        told.append(ListingChange(listing=listing, kind=kind, said=said, at=listing.changed_at))
    ListingChange.objects.bulk_create(told)
    read_again([listing], now)


def _write(listing: Listing, columns: dict[str, Any], changed_at: datetime) -> None:
    for name, value in columns.items():
        setattr(listing, name, value)
    listing.changed_at = changed_at
    listing.save(update_fields=[*(name.removesuffix("_id") for name in columns), "changed_at"])


def _of_standing(standing: str) -> tuple[str, str]:
    public = SHOWN[standing]
    kind = Kind.SUSPENDED if standing == "suspended" else Kind.REMOVED if standing in GONE else Kind.CHANGED
    return kind, public.sentence or "Listed again, in good standing."


def _changes(old: Listing, new: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """What everyone may know is different, each as (kind, sentence)."""
    if old.standing != new["standing"]:
        yield _of_standing(new["standing"])
    elif old.tier != new["tier"]:
        yield Kind.CHANGED, f"Its tier is {new['tier_name']}."
    if old.name != new["name"]:
        yield Kind.CHANGED, f"Its name is {new['name']}; it was {old.name}."
    if old.publisher != new["publisher"]:
        yield Kind.CHANGED, f"Its publisher’s name is {new['publisher']}; it was {old.publisher}."[:300]
    if old.summary != new["summary"]:
        yield Kind.CHANGED, "Its publisher describes it anew."


def read_again(listings: Iterable[Listing], now: datetime) -> int:
    """Figures and versions of these rows as of now. Returns how many rows there were."""
    rows = list(listings)
    pks = [row.pk for row in rows]
    support, seen = support_of(pks, now), seen_of(pks)
    for row in rows:
        _take(row, support[row.pk], seen.get(row.pk, NOTHING), now)
        row.figures_at = now
    Listing.objects.bulk_update(rows, READ_AGAIN, batch_size=100)
    return len(rows)


def _take(row: Listing, support: Support, seen: Seen, now: datetime) -> None:
    row.share, row.settled, row.rank = support.share, support.settled, support.rank
    row.median_hours, row.answers = support.median_hours, support.answers
    versions = grown(row.versions, seen) if seen.version else row.versions
    if seen.version and row.version and seen.version != row.version:
        what = "the newest again" if any(each["version"] == seen.version for each in row.versions) else "out"
        said = f"Version {seen.version} is {what}."
        ListingChange.objects.create(listing=row, kind=Kind.CHANGED, said=said, at=now)
        row.changed_at = now
    row.version, row.versions = seen.version or row.version, versions
    row.platforms = padded(platforms_of(row) or ())


def platforms_of(row: Listing) -> list[str] | None:
    """The platforms of the newest version; None where nobody told."""
    return next((each["platforms"] for each in row.versions if each["version"] == row.version), None)


def padded(platforms: Iterable[str]) -> str:
    """Platforms in one text in which each can be found between two spaces; as many as fit."""
    text = " "
    for platform in sorted(set(platforms)):
        text += f"{platform} " if len(text) + len(platform) < MOST else ""
    return text.rstrip() and text


def refresh_due(now: datetime) -> int:
    """Read figures and versions again that are older than an hour, and make the rows that are not there yet.

    Returns how many rows were looked at.
    """
    missing = Integration.objects.listed_once().filter(listing=None).order_by("pk").values_list("pk", flat=True)
    made = list(missing[:BATCH])
    for pk in made:
        with transaction.atomic():
            keep(lock(pk), now)
    with transaction.atomic():
        due = Listing.objects.filter(figures_at__lte=now - AGE).order_by("figures_at")
        return len(made) + read_again(due.select_for_update(skip_locked=True)[:BATCH], now)


def drift(row: Integration, listing: Listing | None) -> list[str]:
    """The columns in which a row is not what its integration says; "missing" where there is none."""
    if listing is None:
        return ["missing"]
    return [name for name, value in drawn(row).items() if getattr(listing, name) != value]
