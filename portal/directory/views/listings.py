"""Public directory pages, which caches must revalidate, and the pages where a partner previews and replies."""

from collections.abc import Callable
from urllib.parse import urlencode
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.vary import vary_on_headers

from integrations.partners import permissions
from integrations.partners.models import Partner
from integrations.submissions.access import load_visible_integration, require_permission
from integrations.submissions.models import Integration
from portal.accounts.requests import AuthenticatedRequest
from portal.directory import facets, feeds, search
from portal.directory.listing_content import IMAGE_CONTENT_TYPES, build_listing_content, get_logo
from portal.directory.listing_page import build_listing_details, get_current_reply, list_replies
from portal.directory.models import UNLISTED_STATUSES, Listing, ListingChange
from portal.directory.partner_page import RUN_TASK_PROGRAM, list_partner_cards
from portal.directory.partner_replies import ReplyForm, save_reply
from portal.directory.services import build_preview
from portal.directory.structured_data import build_item_list, build_organization, build_software_application
from portal.ui.htmx import is_fragment_request
from portal.ui.pagination import paginate
from portal.ui.refusals import add_refusals_to_form

PAGE_SIZE = 24
MAX_CHANGES = 20
PublicView = Callable[..., HttpResponse]


def make_public(view: PublicView) -> PublicView:
    """Make a view public and require revalidation, so that a delisting shows immediately."""
    return login_not_required(cache_control(no_cache=True)(view))


@make_public
@vary_on_headers("HX-Request")
def show_directory(request: HttpRequest) -> HttpResponse:
    """Show the directory with matching listings and facet counts."""
    filters = search.parse_filters(request.GET.dict())
    count, options_by_name = facets.count_facets(filters)
    page = paginate(request, search.list_listings(filters), PAGE_SIZE, count=count)
    context = {
        "filters": filters,
        "page": page,
        "groups": build_facet_groups(filters, count, options_by_name),
        "count": count,
        "min_sample_size": search.MIN_SAMPLE_SIZE,
        "structured": build_item_list(page.object_list, page.start_index()) if count else "",
        "filter_count": len(filters.get_parameters().keys() - {"q", "sort"}),
    }
    is_partial = is_fragment_request(request)
    response = render(
        request, f"directory/search.html{'#results' if is_partial else ''}", context | {"part": is_partial}
    )
    if request.headers.get("HX-Trigger") == "directory-search":
        query = urlencode(filters.get_parameters())  # without empty fields
        response["HX-Replace-Url"] = f"{request.path}?{query}" if query else request.path
    return response


OPEN_FACETS = ("product", "track", "listing_status")


def build_facet_groups(
    filters: search.ListingFilters, count: int, options_by_name: dict[str, list[facets.FacetOption]]
) -> list[dict[str, object]]:
    """Return the filters with their options as links. A selected option links to the page without it."""
    facet_groups = [build_partner_group(filters, count)] if filters.partner else []
    for name, title in facets.FACET_TITLES.items():
        options = [
            (option, _build_facet_url(filters, name, option))
            for option in options_by_name[name]
            if option.count or option.is_selected
        ]
        is_active = bool(getattr(filters, name))
        if len(options) > 1 or is_active:
            is_open = is_active or name in OPEN_FACETS
            facet_groups.append({"name": name, "title": _(title), "options": options, "open": is_open})
    return facet_groups


def build_partner_group(filters: search.ListingFilters, count: int) -> dict[str, object]:
    """Return the partner filter, which appears only if the query contains a partner."""
    name = Listing.objects.filter(publisher_slug=filters.partner).values_list("publisher", flat=True).first()
    option = facets.FacetOption(filters.partner, name or filters.partner, count, True)
    return {
        "name": "partner",
        "title": _("Partner"),
        "options": [(option, _build_facet_url(filters, "partner", option))],
        "open": True,
    }


def _build_facet_url(filters: search.ListingFilters, name: str, option: facets.FacetOption) -> str:
    parameters = filters.get_parameters() | {name: "" if option.is_selected else option.value}
    return f"?{urlencode({key: value for key, value in parameters.items() if value})}"


@make_public
def show_listing(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Show an integration that is or was listed."""
    row, listing_row = get_listing_or_404(uuid)
    content = build_listing_content(row)
    context = {
        "listing": content,
        "integration": row,
        "row": listing_row,
        "page": build_listing_details(row, listing_row, timezone.now()),
        "structured": build_software_application(listing_row, content),
        "can_reply": request.user.is_authenticated and permissions.can_edit(row, request.user),
        "changes": ListingChange.objects.filter(listing=listing_row)[:MAX_CHANGES],
    }
    response = render(request, "directory/listing.html", context)
    if listing_row.is_unlisted:
        # The page stays available for old links, but not in search results.
        response["X-Robots-Tag"] = "noindex"
    return response


def show_preview(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Show the listing as it will look, to the company and program staff, or redirect to it if it is public."""
    row = load_visible_integration(request, uuid)
    now = timezone.now()
    if row.released_at and row.partner.is_verified:
        return redirect("directory:listing", uuid)
    listing, content = build_preview(row, now)
    context = {
        "listing": content,
        "integration": row,
        "row": listing,
        "page": build_listing_details(row, listing, now),
        "is_preview": True,
    }
    response = render(request, "directory/listing_preview.html", context)
    response["X-Robots-Tag"] = "noindex"
    return response


def edit_reply(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Show the form for the reply with the previous replies."""
    row = Integration.objects.visible_to(request.user).select_related("partner").filter(uuid=uuid).first()
    listing = Listing.objects.filter(uuid=uuid).first()
    if row is None or listing is None:
        raise Http404(_("Listing not found. It doesn't exist, or you don't have access."))
    require_permission(permissions.can_edit, row, request.user)
    current_reply = get_current_reply(row)
    form_data = request.POST if request.method == "POST" else request.unsent()
    form = ReplyForm(data=form_data, row=row, initial={"text": current_reply.note if current_reply else ""})
    if request.method == "POST" and form.is_valid():
        text = form.cleaned_data["text"]
        with add_refusals_to_form(form):
            if save_reply(row, text, actor=request.user, now=timezone.now()) is not None:
                messages.success(request, _("Reply published.") if text else _("Reply withdrawn."))
            return redirect("directory:listing", uuid)
    context = {"form": form, "integration": row, "row": listing, "history": list_replies(row)[:50]}
    return render(request, "directory/reply.html", context, status=422 if request.method == "POST" else 200)


@login_not_required
@cache_control(public=True, max_age=feeds.MAX_AGE_SECONDS, must_revalidate=True)
def show_logo(_request: HttpRequest, uuid: UUID) -> FileResponse:
    """Return the logo of a listing."""
    return respond_with_logo(get_listing_or_404(uuid)[0])


@cache_control(private=True, no_store=True)
def show_preview_logo(request: AuthenticatedRequest, uuid: UUID) -> FileResponse:
    """Return the logo of an integration that isn't public yet."""
    return respond_with_logo(load_visible_integration(request, uuid))


def respond_with_logo(row: Integration) -> FileResponse:
    """Return the logo, which can't contain scripts and is sandboxed in addition, or raise Http404."""
    logo = get_logo(row)
    if logo is None:
        raise Http404(_("Logo not found."))
    response = FileResponse(logo.file.open("rb"), content_type=IMAGE_CONTENT_TYPES[logo.kind])
    response["Content-Disposition"] = "inline"
    # SVG logos contain styles.
    response["Content-Security-Policy"] = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
    response["X-Content-Type-Options"] = "nosniff"
    return response


@make_public
def show_partner(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a partner with its current and former listings, or raise Http404 without any.

    The page of a merged company leads to the company that took over its listings.
    """
    partner = Partner.objects.select_related("merged_into").filter(slug=slug).first()
    # Visitors must not learn of a company that had no public page, or who took it over.
    if partner is not None and partner.merged_into is not None and _was_listed(partner):
        return redirect("directory:partner", partner.merged_into.slug, permanent=True)
    rows = Listing.objects.filter(partner=partner).order_by("name_plain", "pk")
    first = rows.filter(has_logo=True).first() or rows.first()
    if partner is None or first is None:
        raise Http404(_("Partner not found."))
    current = paginate(request, rows.exclude(listing_status__in=UNLISTED_STATUSES), PAGE_SIZE)
    former = paginate(request, rows.filter(listing_status__in=UNLISTED_STATUSES), PAGE_SIZE, parameter="former")
    context = {
        "partner": partner,
        "current": current,
        "former": former,
        "changes": ListingChange.objects.filter(listing__partner=partner).select_related("listing")[:MAX_CHANGES],
        "min_sample_size": search.MIN_SAMPLE_SIZE,
        "first": first,
        "structured": build_organization(partner, current),
    }
    return render(request, "directory/partner.html", context)


def _was_listed(partner: Partner) -> bool:
    """Return whether an integration was listed for a company. Its events stay with it after a merge."""
    return partner.events.filter(event_type="integration.listed").exists()


@make_public
def show_run_tasks(request: HttpRequest) -> HttpResponse:
    """Show the partners with run tasks."""
    return render(request, "directory/run_tasks.html", {"cards": list_partner_cards(), "program": RUN_TASK_PROGRAM})


def get_listing_or_404(uuid: UUID) -> tuple[Integration, Listing]:
    listing_row = Listing.objects.select_related("integration__partner").filter(uuid=uuid).first()
    if listing_row is None:
        raise Http404(_("This integration was never listed."))
    return listing_row.integration, listing_row
