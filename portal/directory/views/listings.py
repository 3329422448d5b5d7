"""Which integrations are listed? Pages for everyone, without sign-in, never kept unasked by any cache."""

from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.contrib.auth.decorators import login_not_required
from django.core.paginator import Paginator
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import path
from django.utils import timezone
from django.utils.functional import cached_property
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from django.views.decorators.cache import cache_control
from django.views.decorators.vary import vary_on_headers

from integrations.compliance.public_status import SHOWN
from integrations.partners import permissions
from integrations.partners.models import Partner
from integrations.submissions.models import Integration
from portal.directory import feeds, search, sitemaps
from portal.directory.listing_content import PICTURES, listing_of, logo_of
from portal.directory.listing_page import page_of
from portal.directory.models import Listing, ListingChange
from portal.directory.partner_page import RUN_TASKS, cards
from portal.directory.structured_data import item_list, organization, structured
from portal.directory.views import replies

ROWS, CHANGES = 24, 20
Page = Callable[..., HttpResponse]


def public(view: Page) -> Page:
    """A page for everyone, asked for anew each time, so that a removal shows at once."""

    @login_not_required
    @cache_control(no_cache=True)
    @wraps(view)
    def handle(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return view(request, *args, **kwargs)

    return handle


class Counted(Paginator):  # type: ignore[type-arg]
    """A paginator that need not count: the figures beside the filters know how many there are."""

    def __init__(self, rows: Any, size: int, count: int) -> None:
        super().__init__(rows, size)
        self._known = count

    @cached_property
    def count(self) -> int:
        return self._known


@public
@vary_on_headers("HX-Request")
def listed(request: HttpRequest) -> HttpResponse:
    """The directory: what the address asks for, and how many there would be for each other choice."""
    filters = search.read(request.GET.dict())
    sides = search.facets(filters)
    page = Counted(search.found(filters), ROWS, sides.count).get_page(request.GET.get("page"))
    context = {
        "filters": filters, "page": page, "rows": list(page.object_list), "groups": groups(filters, sides),
        "count": sides.count, "shown": SHOWN, "least": search.MINIMUM,
        "structured": item_list(page.object_list, page.start_index()) if sides.count else "",
        "narrowed": len(filters.given().keys() - {"q", "sort"}),
    }  # fmt: skip
    htmx: Any = request.htmx  # type: ignore[attr-defined]
    swap = bool(htmx) and not htmx.history_restore_request
    answer = render(request, f"directory/search.html{'#found' if swap else ''}", context | {"part": swap})
    if htmx and htmx.trigger == "directory-search":
        answer["HX-Replace-Url"] = f"{request.path}?{urlencode(filters.given())}".rstrip(
            "?"
        )  # without the blank fields
    return answer


TITLES = (
    ("product", gettext_noop("Product")),
    ("track", gettext_noop("Kind of partner")),
    ("program", gettext_noop("Program")),
    ("category", gettext_noop("Category")),
    ("tier", gettext_noop("Tier")),
    ("platform", gettext_noop("Platform")),
    ("standing", gettext_noop("Standing")),
)
OPEN = ("product", "track", "standing")


def groups(filters: search.Filters, sides: search.Facets) -> list[dict[str, Any]]:
    """Each filter with its choices as links: a choice that is made leads back to without it."""
    found = [of_company(filters, sides.count)] if filters.partner else []
    for name, title in TITLES:
        options = [(each, _link(filters, name, each)) for each in sides.options[name] if each.count or each.chosen]
        chosen = bool(getattr(filters, name))
        if len(options) > 1 or chosen:
            found.append({"name": name, "title": _(title), "options": options, "open": chosen or name in OPEN})
    return found


def of_company(filters: search.Filters, count: int) -> dict[str, Any]:
    """The one company that an address asks for, which only pages about it lead to."""
    name = Listing.objects.filter(publisher_slug=filters.partner).values_list("publisher", flat=True).first()
    option = search.Option(filters.partner, name or filters.partner, count, True)
    return {"name": "partner", "title": _("Company"), "options": [(option, _link(filters, "partner", option))],
            "open": True}  # fmt: skip


def _link(filters: search.Filters, name: str, option: search.Option) -> str:
    query = QueryDict(mutable=True)
    query.update(filters.given())
    if option.chosen or not option.value:
        query.pop(name, None)
    else:
        query[name] = option.value
    return f"?{query.urlencode()}"


@public
def listing(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """One integration that is or was listed, with what may be said of its standing."""
    row, found = listed_or_404(uuid)
    face = listing_of(row)
    context = {
        "listing": face, "integration": row, "edition": row.edition, "row": found, "program": row.program,
        "page": page_of(row, found, timezone.now()), "structured": structured(found, face),
        "may_reply": request.user.is_authenticated and permissions.may_edit(row, request.user),
        "changes": ListingChange.objects.filter(listing=found)[:CHANGES],
        "address": search.absolute(request.path), "is_gone": found.standing in search.GONE,
    }  # fmt: skip
    answer = render(request, "directory/listing.html", context)
    if context["is_gone"]:
        answer["X-Robots-Tag"] = "noindex"
    return answer


@login_not_required
@cache_control(public=True, max_age=feeds.AGE, must_revalidate=True)
def listing_logo(_request: HttpRequest, uuid: UUID) -> FileResponse:
    """The picture beside the listing: of a kind that holds no script, and in a sandbox all the same."""
    found = logo_of(listed_or_404(uuid)[0])
    if found is None:
        raise Http404(_("There is no logo."))
    answer = FileResponse(found.file.open("rb"), content_type=PICTURES[found.kind])
    answer["Content-Disposition"] = "inline"
    answer["Content-Security-Policy"] = "default-src 'none'; sandbox"
    answer["X-Content-Type-Options"] = "nosniff"
    return answer


@public
def partner_page(request: HttpRequest, slug: str) -> HttpResponse:
    """A company with what it has listed, what it had, and what changed. A company without is not there."""
    partner = Partner.objects.filter(slug=slug, listings__isnull=False).first()
    if partner is None:
        raise Http404(_("No company with something listed has this address."))
    rows = list(Listing.objects.filter(partner=partner).order_by("name_plain", "pk"))
    context = {
        "partner": partner, "now": [row for row in rows if row.standing not in search.GONE],
        "former": [row for row in rows if row.standing in search.GONE], "shown": SHOWN,
        "changes": ListingChange.objects.filter(listing__partner=partner).select_related("listing")[:CHANGES],
        "least": search.MINIMUM, "first": next((row for row in rows if row.has_logo), rows[0]),
        "structured": organization(partner, [row for row in rows if row.standing not in search.GONE]),
    }  # fmt: skip
    return render(request, "directory/partner.html", context)


@public
def run_tasks(request: HttpRequest) -> HttpResponse:
    """Everybody whose service takes part in a Terraform run: one card a partner, with its summary."""
    return render(request, "directory/run_tasks.html", {"cards": cards(), "program": RUN_TASKS})


def listed_or_404(uuid: UUID) -> tuple[Integration, Listing]:
    rows = Listing.objects.select_related("integration__partner").filter(uuid=uuid)
    found = rows.first()
    if found is None:
        raise Http404(_("This integration was never listed."))
    return found.integration, found


urlpatterns = [
    path("listed/", listed, name="listed"),
    path("listed/<uuid:uuid>/", listing, name="listing"),
    path("listed/<uuid:uuid>/logo/", listing_logo, name="listing_logo"),
    path("listed/<uuid:uuid>/reply/", replies.listing_reply, name="listing_reply"),
    path("partners/<slug:slug>/", partner_page, name="partner_page"),
    path("run-tasks/", run_tasks, name="run_tasks"),
    path("feeds/listed.atom", feeds.feed_atom, name="feed_atom"),
    path("feeds/listed.json", feeds.feed_json, name="feed_json"),
    path("sitemap.xml", sitemaps.sitemap, name="sitemap"),
    path("robots.txt", sitemaps.robots, name="robots"),
]
