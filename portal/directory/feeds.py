"""What happened in the directory? Atom and JSON Feed of new, changed, suspended and removed listings.

Both say the same of the same changes; ids never change. A reader that names what it has gets 304.
"""

import hashlib
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.utils.cache import get_conditional_response
from django.utils.dateparse import parse_date, parse_datetime
from django.utils.feedgenerator import Atom1Feed
from django.utils.http import http_date, quote_etag
from django.utils.xmlutils import SimplerXMLGenerator
from django.views.decorators.http import require_safe

from integrations.programs.registry import PROGRAMS
from portal.core.text_fields import searched
from portal.directory.models import ListingChange
from portal.directory.search import absolute, listing_data

MOST = 200  # entries of a page
BEGINNING = datetime(2026, 1, 1, tzinfo=UTC)
AGE = 30  # seconds for which a copy may be kept unasked: a removal shows within a minute
TITLE = "Listed integrations: what is new, changed, suspended and removed"


def changes_of(request: HttpRequest) -> QuerySet[ListingChange]:
    """The changes that an address asks for by `program`, `partner`, `since` and `before`, the newest first."""
    rows = ListingChange.objects.select_related("listing")
    program, partner = (searched(request.GET.get(name, "")) for name in ("program", "partner"))
    if program:
        rows = rows.filter(listing__program=program)
    if partner:
        rows = rows.filter(listing__publisher_slug=partner)
    if since := moment_of(request.GET.get("since", "")):
        rows = rows.filter(at__gte=since)
    moment, _, number = request.GET.get("before", "").partition("_")
    if (before := moment_of(moment)) and number.isascii() and number.isdigit() and len(number) < 19:
        rows = rows.filter(Q(at__lt=before) | Q(at=before, pk__lt=int(number)))
    return rows


def next_of(request: HttpRequest, last: ListingChange) -> str:
    """The whole address of the page of earlier changes that follows this one."""
    query = request.GET.copy()
    query["before"] = f"{last.at.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%fZ}_{last.pk}"
    return absolute(f"{request.path}?{query.urlencode()}")


def moment_of(text: str) -> datetime | None:
    """A moment from an address: "2026-04-14" or "2026-04-14T09:00:00Z"; UTC where no zone is named. None for others."""
    text = text.replace(" ", "+")  # what a plus becomes in an address
    try:
        found = parse_datetime(text)
        if found is None and (day := parse_date(text)):
            found = datetime(day.year, day.month, day.day, tzinfo=UTC)
    except ValueError:
        return None
    if found is None or not 2000 <= found.year <= 2999:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


Write = Callable[[HttpRequest, list[ListingChange], datetime, str], HttpResponse]


def _feed(write: Write) -> Callable[[HttpRequest], HttpResponse]:
    """A feed that answers 304 to who has it already."""

    @login_not_required
    @require_safe
    def view(request: HttpRequest) -> HttpResponse:
        found = list(changes_of(request)[: MOST + 1])
        changes = found[:MOST]
        newest = changes[0].at if changes else BEGINNING
        whole = write(request, changes, newest, next_of(request, changes[-1]) if len(found) > MOST else "")
        etag = quote_etag(hashlib.sha256(whole.content).hexdigest()[:32])
        whole["ETag"], whole["Last-Modified"] = etag, http_date(newest.timestamp())
        whole["Cache-Control"] = f"public, max-age={AGE}, must-revalidate"
        whole["Access-Control-Allow-Origin"] = "*"
        return get_conditional_response(request, etag, int(newest.timestamp()), whole) or whole

    return view


def title_of(change: ListingChange) -> str:
    return f"{change.get_kind_display()}: {change.listing.name} by {change.listing.publisher}"  # type: ignore[attr-defined]


class PagedAtom(Atom1Feed):
    """Atom whose earlier entries are on further pages (RFC 5005, section 3)."""

    def add_root_elements(self, handler: SimplerXMLGenerator) -> None:
        super().add_root_elements(handler)
        if following := self.feed["following"]:
            handler.addQuickElement("link", "", {"rel": "next", "href": str(following)})


def _atom(request: HttpRequest, changes: list[ListingChange], newest: datetime, following: str) -> HttpResponse:
    own = absolute(request.get_full_path())
    feed = PagedAtom(TITLE, absolute(reverse("listed")), TITLE, feed_url=own, language="en", following=following)
    for change in changes:
        link = absolute(reverse("listing", args=[change.listing.uuid]))
        feed.add_item(
            title_of(change), link, change.said, unique_id=f"urn:uuid:{change.uuid}", pubdate=change.at,
            updateddate=change.at, author_name=change.listing.publisher,
            categories=(change.kind, PROGRAMS[change.listing.program].name),
        )  # fmt: skip
    feed.latest_post_date = lambda: newest  # type: ignore[method-assign]
    return HttpResponse(feed.writeString("utf-8"), content_type="application/atom+xml; charset=utf-8")


def _json(request: HttpRequest, changes: list[ListingChange], _newest: datetime, following: str) -> HttpResponse:
    feed: dict[str, Any] = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": TITLE,
        "home_page_url": absolute(reverse("listed")),
        "feed_url": absolute(request.get_full_path()),
        "language": "en",
        **({"next_url": following} if following else {}),
        "items": [item_of(change) for change in changes],
    }
    return JsonResponse(feed, content_type="application/feed+json", json_dumps_params={"ensure_ascii": False})


def item_of(change: ListingChange) -> dict[str, Any]:
    """One change as an item of a JSON Feed; `_listing` is the listing as it is now."""
    return {
        "id": f"urn:uuid:{change.uuid}",
        "url": absolute(reverse("listing", args=[change.listing.uuid])),
        "title": title_of(change),
        "content_text": change.said,
        "date_published": change.at.isoformat(),
        "authors": [{"name": change.listing.publisher}],
        "tags": [change.kind, change.listing.program],
        "_listing": listing_data(change.listing),
    }


feed_atom, feed_json = _feed(_atom), _feed(_json)
