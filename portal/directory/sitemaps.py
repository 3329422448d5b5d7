"""Sitemap, an index of parts with a limited number of pages, and robots.txt."""

from datetime import datetime

from django.contrib.sitemaps import Sitemap, views
from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.cache import cache_control

from integrations.partners.models import Partner
from integrations.programs.registry import PROGRAMS
from portal.core.public_views import ignore_session
from portal.core.site_urls import build_absolute_url
from portal.core.value_types import NamedValues
from portal.directory.feeds import MAX_AGE_SECONDS
from portal.directory.models import Listing
from portal.directory.search import STATUS_FILTERS
from portal.ui.components.markup import split_url
from portal.ui.pagination import ListPaginator
from verification.checks.types import CHECKS

# All pages of a part are read and rendered at once, so the number limits how long a request takes.
PAGES_PER_PART = 200
DISALLOWED_PATHS = ("/accounts/", "/admin/", "/api/", "/emails/", "/integrations/", "/drafts/", "/search/")
STATIC_URL_NAMES = (
    "dashboard:home",
    "directory:list",
    "directory:run_tasks",
    "submissions:programs",
    "submissions:choose_program",
    "discovery:address",
    "help:getting_started",
    "help:index",
    "help:glossary",
    "checks:help",
    "help:clock_help",
    "help:compliance_help",
    "directory:verify_badge",
    "status:index",
)

CURRENT_LISTINGS = Listing.objects.filter(listing_status__in=STATUS_FILTERS[""][1]).order_by("pk")


class PageSitemap(Sitemap):
    """Static public pages."""

    def items(self) -> list[tuple[str, tuple[str, ...]]]:
        program_pages = [
            (name, (key,)) for name in ("submissions:program", "submissions:start_program") for key in PROGRAMS
        ]
        return [
            *((name, ()) for name in STATIC_URL_NAMES),
            *program_pages,
            *(("checks:check_help", (key,)) for key in sorted(CHECKS)),
        ]

    def location(self, item: tuple[str, tuple[str, ...]]) -> str:
        return reverse(item[0], args=item[1])


class PagedSitemap(Sitemap):
    """Parts with pages of one kind."""

    limit = PAGES_PER_PART
    rows: QuerySet[Listing] | QuerySet[Partner, str]

    @property
    # Django's paginator would count all rows for each part.
    def paginator(self) -> ListPaginator:
        return ListPaginator(self.rows, self.limit)


class ListingSitemap(PagedSitemap):
    """Pages of listed integrations."""

    rows = CURRENT_LISTINGS.only("uuid", "changed_at")

    def location(self, item: Listing) -> str:
        return str(item.uuid).join(split_url("directory:listing"))

    def lastmod(self, item: Listing) -> datetime:
        return item.changed_at

    def get_latest_lastmod(self) -> None:
        """Leave the date out of the index, because Django would read all rows for it."""


class PartnerSitemap(PagedSitemap):
    """Pages of partners with listed integrations."""

    rows = (
        Partner.objects.filter(Exists(CURRENT_LISTINGS.order_by().filter(partner=OuterRef("pk"))))
        .order_by("pk")
        .values_list("slug", flat=True)
    )

    def location(self, item: str) -> str:
        return item.join(split_url("directory:partner"))


SITEMAPS: NamedValues = {"pages": PageSitemap, "listings": ListingSitemap, "partners": PartnerSitemap}


@ignore_session
@cache_control(public=True, max_age=MAX_AGE_SECONDS, must_revalidate=True)
def show_sitemap(request: HttpRequest, section: str = "") -> HttpResponse:
    """Return a part of the sitemap, or the list of its parts."""
    if section:
        return views.sitemap(request, sitemaps=SITEMAPS, section=section).render()
    return views.index(request, sitemaps=SITEMAPS, sitemap_url_name="directory:sitemap_part").render()


@ignore_session
@cache_control(public=True, max_age=3600, must_revalidate=True)
def show_robots_txt(_request: HttpRequest) -> HttpResponse:
    """Return robots.txt."""
    lines = ["User-agent: *", *(f"Disallow: {path}" for path in DISALLOWED_PATHS), f"Allow: {reverse('api:docs')}"]
    lines += ["", f"Sitemap: {build_absolute_url('directory:sitemap')}"]
    return HttpResponse("\n".join(lines) + "\n", content_type="text/plain; charset=utf-8")
