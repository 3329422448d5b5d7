"""Preview of a listing before its publication, for members of the company and program staff."""

from uuid import UUID

from django.http import FileResponse, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import cache_control

from integrations.submissions.views.access import load_visible_integration
from portal.accounts.requests import AuthenticatedRequest
from portal.directory.listing_page import build_listing_details
from portal.directory.services import build_preview
from portal.directory.views.listings import respond_with_logo


def show_preview(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Show the listing as it will look, or redirect to it if it is public."""
    row, now = load_visible_integration(request, uuid), timezone.now()
    if row.released_at and row.partner.is_verified:
        return redirect("directory:listing", uuid)
    listing, content = build_preview(row, now)
    context = {
        "listing": content,
        "integration": row,
        "edition": row.edition,
        "row": listing,
        "program": row.program,
        "page": build_listing_details(row, listing, now),
        "is_preview": True,
    }
    response = render(request, "directory/listing_preview.html", context)
    response["X-Robots-Tag"] = "noindex"
    return response


@cache_control(private=True, no_store=True)
def show_preview_logo(request: AuthenticatedRequest, uuid: UUID) -> FileResponse:
    """Return the logo of an integration that isn't public yet."""
    return respond_with_logo(load_visible_integration(request, uuid))
