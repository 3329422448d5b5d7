"""Sitemap and robots.txt."""

from django.contrib.auth.decorators import login_not_required
from django.contrib.sitemaps import GenericSitemap, Sitemap
from django.contrib.sitemaps.views import sitemap as render_sitemap
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.cache import cache_control

from integrations.programs.registry import PROGRAMS
from portal.core.site_urls import build_absolute_url
from portal.core.value_types import NamedValues
from portal.directory.feeds import MAX_AGE_SECONDS
from portal.directory.models import Listing
from portal.directory.search import STATUSES_BY_STANDING
from verification.checks.types import CHECKS

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

CURRENT_LISTINGS = Listing.objects.filter(listing_status__in=STATUSES_BY_STANDING[""]).order_by("integration")


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


class PartnerSitemap(Sitemap):
    """Pages of partners with listed integrations."""

    def items(self) -> QuerySet[Listing, str]:
        return CURRENT_LISTINGS.order_by("publisher_slug").values_list("publisher_slug", flat=True).distinct()

    def location(self, item: str) -> str:
        return reverse("directory:partner", args=[item])


SITEMAPS: NamedValues = {
    "pages": PageSitemap,
    "listings": GenericSitemap({"queryset": CURRENT_LISTINGS.only("uuid", "changed_at"), "date_field": "changed_at"}),
    "partners": PartnerSitemap,
}


@login_not_required
@cache_control(public=True, max_age=MAX_AGE_SECONDS, must_revalidate=True)
def show_sitemap(request: HttpRequest) -> HttpResponse:
    """Return the sitemap."""
    return render_sitemap(request, sitemaps=SITEMAPS).render()


@login_not_required
@cache_control(public=True, max_age=3600, must_revalidate=True)
def show_robots_txt(_request: HttpRequest) -> HttpResponse:
    """Return robots.txt."""
    lines = ["User-agent: *", *(f"Disallow: {path}" for path in DISALLOWED_PATHS), f"Allow: {reverse('api:docs')}"]
    lines += ["", f"Sitemap: {build_absolute_url('directory:sitemap')}"]
    return HttpResponse("\n".join(lines) + "\n", content_type="text/plain; charset=utf-8")
