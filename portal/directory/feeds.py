"""Atom feed and JSON Feed of new, changed, suspended, delisted, and ended integrations.

IDs never change. Feed readers with a current copy get 304 Not Modified.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from urllib.parse import urlencode

from django.conf import settings
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.dateparse import parse_date, parse_datetime
from django.utils.feedgenerator import Atom1Feed
from django.utils.html import escape
from django.utils.http import http_date
from django.utils.xmlutils import SimplerXMLGenerator
from django.views.decorators.http import conditional_page, require_safe

from integrations.programs.registry import PROGRAMS
from portal.core.form_fields import clean_search_query
from portal.core.primary_keys import parse_pk
from portal.core.public_views import ignore_session
from portal.core.site_urls import build_absolute_url
from portal.core.value_types import JsonObject
from portal.directory.models import ListingChange
from portal.directory.search import serialize_listing

MAX_ENTRIES = 200  # per page
EMPTY_FEED_UPDATED_AT = datetime(2026, 1, 1, tzinfo=UTC)
MAX_AGE_SECONDS = 30  # a delisting shows within a minute
FEED_TITLE = "Directory changes: new, changed, suspended, delisted, and ended integrations"


def list_changes(request: HttpRequest) -> QuerySet[ListingChange]:
    """Return the changes that match the query parameters program, partner, since, and before, newest first."""
    rows = ListingChange.objects.select_related("listing")
    program, partner = (clean_search_query(request.GET.get(name, "")) for name in ("program", "partner"))
    if program:
        rows = rows.filter(listing__program=program)
    if partner:
        rows = rows.filter(listing__publisher_slug=partner)
    if changed_since := parse_moment(request.GET.get("since", "")):
        rows = rows.filter(at__gte=changed_since)
    before_text, _, before_key = request.GET.get("before", "").partition("_")
    changed_before = parse_moment(before_text)
    before_pk = parse_pk(before_key)
    if changed_before and before_pk is not None:
        # Changes of one transaction have the same time, so the key decides where the next page begins.
        rows = rows.filter(Q(at__lt=changed_before) | Q(at=changed_before, pk__lt=before_pk))
    return rows


def build_next_url(request: HttpRequest, last: ListingChange) -> str:
    """Return the absolute URL of the next page with earlier changes."""
    return build_feed_url(request, before=f"{last.at.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%fZ}_{last.pk}")


def build_feed_url(request: HttpRequest, **position: str) -> str:
    """Return the absolute URL of the feed with its filters, at a position or else its first page."""
    # In this order and without other parameters, because the URL is the ID of an Atom feed.
    filters = {name: request.GET.get(name, "") for name in ("program", "partner", "since")}
    text = urlencode({name: value for name, value in (filters | position).items() if value})
    return f"{settings.SITE_URL}{request.path}{'?' if text else ''}{text}"


def parse_moment(text: str) -> datetime | None:
    """Return the time of a query parameter such as "2026-04-14" or "2026-04-14T09:00:00Z" (UTC by default), or None."""
    text = text.replace(" ", "+")  # an unescaped plus sign in a query
    try:
        moment = parse_datetime(text)
        # Unlike parse_datetime, parse_date accepts dates without leading zeros.
        if moment is None and (day := parse_date(text)):
            moment = datetime(day.year, day.month, day.day, tzinfo=UTC)
    except ValueError:
        return None
    # Near the years 1 and 9999, a time zone would move a moment out of the range of `datetime`.
    if moment is None or not 2000 <= moment.year <= 2999:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


FeedRenderer = Callable[[HttpRequest, list[ListingChange], datetime, str], HttpResponse]


@ignore_session
@require_safe
@conditional_page
def show_feed(request: HttpRequest, render: FeedRenderer) -> HttpResponse:
    """Return a feed in the format of a renderer."""
    fetched_changes = list(list_changes(request)[: MAX_ENTRIES + 1])
    changes = fetched_changes[:MAX_ENTRIES]
    updated_at = changes[0].at if changes else EMPTY_FEED_UPDATED_AT
    next_url = build_next_url(request, changes[-1]) if len(fetched_changes) > MAX_ENTRIES else ""
    response = render(request, changes, updated_at, next_url)
    response["Last-Modified"] = http_date(updated_at.timestamp())
    response["Cache-Control"] = f"public, max-age={MAX_AGE_SECONDS}, must-revalidate"
    response["Access-Control-Allow-Origin"] = "*"
    return response


def build_title(change: ListingChange) -> str:
    return f"{change.get_kind_display()}: {change.listing.name} by {change.listing.publisher}"


class PaginatedAtom(Atom1Feed):
    """Atom feed with pages (RFC 5005, section 3)."""

    def add_root_elements(self, handler: SimplerXMLGenerator) -> None:
        super().add_root_elements(handler)
        if next_url := self.feed["following"]:
            handler.addQuickElement("link", "", {"rel": "next", "href": str(next_url)})


def render_atom(
    request: HttpRequest, changes: list[ListingChange], updated_at: datetime, next_url: str
) -> HttpResponse:
    feed_url = settings.SITE_URL + request.get_full_path()
    feed = PaginatedAtom(
        FEED_TITLE,
        build_absolute_url("directory:list"),
        FEED_TITLE,
        feed_url=feed_url,
        language="en",
        # All pages are one feed, and one with other filters is another (RFC 4287, section 4.2.6).
        feed_guid=build_feed_url(request),
        following=next_url,
    )
    for change in changes:
        link = build_absolute_url("directory:listing", change.listing.uuid)
        feed.add_item(
            build_title(change),
            link,
            escape(change.summary),  # as a summary in HTML
            # Feed readers recognize entries by this ID, so it must not depend on the address of the portal.
            unique_id=f"urn:uuid:{change.uuid}",
            pubdate=change.at,
            updateddate=change.at,
            author_name=change.listing.publisher,
            categories=(change.kind, PROGRAMS[change.listing.program].name),
        )
    feed.latest_post_date = lambda: updated_at  # type: ignore[method-assign]
    return HttpResponse(feed.writeString("utf-8"), content_type="application/atom+xml; charset=utf-8")


def render_json(
    request: HttpRequest, changes: list[ListingChange], _updated_at: datetime, next_url: str
) -> HttpResponse:
    feed: dict[str, object] = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": FEED_TITLE,
        "home_page_url": build_absolute_url("directory:list"),
        "feed_url": settings.SITE_URL + request.get_full_path(),
        "language": "en",
        **({"next_url": next_url} if next_url else {}),
        "items": [build_item(change) for change in changes],
    }
    return JsonResponse(feed, content_type="application/feed+json", json_dumps_params={"ensure_ascii": False})


def build_item(change: ListingChange) -> JsonObject:
    """Return a change as an item of a JSON Feed. `_listing` is the current listing."""
    return {
        "id": f"urn:uuid:{change.uuid}",
        "url": build_absolute_url("directory:listing", change.listing.uuid),
        "title": build_title(change),
        "content_text": change.summary,
        "date_published": change.at.isoformat(),
        "authors": [{"name": change.listing.publisher}],
        "tags": [change.kind, change.listing.program],
        "_listing": serialize_listing(change.listing),
    }
