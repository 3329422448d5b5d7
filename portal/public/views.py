"""Which integrations are listed? Pages for everyone, without sign-in."""

from uuid import UUID

from django.contrib.auth.decorators import login_not_required
from django.db.models import Q
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path

from integrations.forms.lists import searched
from integrations.models import Integration
from integrations.programs import PROGRAMS
from integrations.views.common import page_of
from portal.public.listing import PICTURES, listing_of, logo_of


@login_not_required
def listed(request: HttpRequest) -> HttpResponse:
    """Every listed integration, newest first, by program and by words; those that left the listing on request."""
    program, words = request.GET.get("program", ""), searched(request.GET.get("q", ""))
    former = request.GET.get("show") == "former"
    found = Integration.objects.listed_once().former() if former else Integration.objects.listed()
    rows = found.select_related("partner").order_by("-released_at", "-pk")
    if program in PROGRAMS:
        rows = rows.filter(program_key=program)
    if words:
        rows = rows.filter(Q(name__icontains=words) | Q(partner__name__icontains=words))
    page = page_of(request, rows.prefetch_related("states"))
    context = {"page": page, "listings": [listing_of(row) for row in page], "programs": PROGRAMS.values()}
    return render(request, "public/listed.html", context | {"program": program, "q": words, "former": former})


@login_not_required
def listing(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """One integration that is or was listed, with what may be said of its standing."""
    row = listed_or_404(uuid)
    return render(
        request, "public/listing.html", {"listing": listing_of(row), "integration": row, "edition": row.edition}
    )


@login_not_required
def listing_logo(_request: HttpRequest, uuid: UUID) -> FileResponse:
    """The picture beside the listing: of a kind that holds no script, and in a sandbox all the same."""
    found = logo_of(listed_or_404(uuid))
    if found is None:
        raise Http404("There is no logo.")
    answer = FileResponse(found.file.open("rb"), content_type=PICTURES[found.kind])
    answer["Content-Disposition"] = "inline"
    answer["Content-Security-Policy"] = "default-src 'none'; sandbox"
    answer["X-Content-Type-Options"] = "nosniff"
    answer["Cache-Control"] = "public, max-age=3600"
    return answer


def listed_or_404(uuid: UUID) -> Integration:
    row = Integration.objects.listed_once().select_related("partner").filter(uuid=uuid).first()
    if row is None:
        raise Http404("This integration was never listed.")
    return row


urlpatterns = [
    path("listed/", listed, name="listed"),
    path("listed/<uuid:uuid>/", listing, name="listing"),
    path("listed/<uuid:uuid>/logo/", listing_logo, name="listing_logo"),
]
