"""Operations for the public directory and replies to support records."""

from typing import Annotated
from uuid import UUID

from django.http import Http404, HttpRequest
from django.utils import timezone
from ninja import Query
from pydantic import Field

from integrations.partners import permissions
from integrations.programs.registry import PROGRAMS
from integrations.submissions.access import load_visible_integration, require_permission
from portal.accounts.requests import AuthenticatedRequest
from portal.api.choices import CategoryFilter, FilterBy, OneOf, ProgramFilter, TierFilter
from portal.api.form_data import build_form_data, clean
from portal.api.pagination import CursorPage, Page, PaginationParams, paginate
from portal.api.problems import get_row
from portal.api.routing import MessageResponse, ScopedRouter, StrictSchema
from portal.core.value_types import JsonObject
from portal.directory import search
from portal.directory.models import Listing
from portal.directory.partner_replies import ReplyForm, save_reply

router = ScopedRouter("Directory")


class ListingFilterParams(PaginationParams):
    q: str = Field("", max_length=100)
    product: Annotated[str, FilterBy(program.product for program in PROGRAMS.values())] = ""
    track: Annotated[str, FilterBy(search.TRACK_LABELS)] = ""
    program: ProgramFilter = ""
    category: CategoryFilter = ""
    tier: TierFilter = ""
    listing_status: Annotated[str, OneOf(search.STATUS_FILTERS)] = Field("", description="Empty: listed or suspended.")
    platform: str = Field("", max_length=60, description="Such as linux_amd64.")
    partner: str = Field("", max_length=80)


class SupportReplyIn(StrictSchema):
    text: str


@router.get("/directory", "", CursorPage[JsonObject])
def list_directory(request: HttpRequest, params: Query[ListingFilterParams]) -> Page[JsonObject]:
    """List public listings, newest first, with the filters of the directory. Public."""
    filters = search.parse_filters(params.model_dump(exclude={"after", "limit"}))
    page = paginate(request, search.list_listings(filters), params)
    return Page([search.serialize_listing(row) for row in page.items], page.next)


@router.get("/directory/{uuid:uuid}", "", JsonObject)
def get_listing(request: HttpRequest, uuid: UUID) -> JsonObject:
    """Get a listing. Delisted integrations stay available with their status. Public."""
    return search.serialize_listing(get_row(Listing.objects.all(), "Listing not found.", uuid=uuid))


@router.post("/integrations/{uuid:uuid}/reply", "integrations:write", MessageResponse)
def reply_to_record(request: AuthenticatedRequest, uuid: UUID, body: SupportReplyIn) -> MessageResponse:
    """Publish a reply to the listing's support record. An empty text removes the reply."""
    row = load_visible_integration(request, uuid)
    require_permission(permissions.can_edit, row, request.user)
    if not Listing.objects.filter(uuid=uuid).exists():
        raise Http404("This integration has no listing.")
    text = clean(ReplyForm(data=build_form_data(text=body.text), row=row))["text"]
    save_reply(row, text, actor=request.user, now=timezone.now())
    return MessageResponse(message="Reply published." if text else "Reply withdrawn.")
