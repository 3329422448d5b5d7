"""Operation for the review queue: the items, filters, and counts of its page."""

import base64
from datetime import UTC, datetime
from typing import Annotated
from uuid import UUID

from django.db.models import QuerySet
from django.utils import timezone
from ninja import Query, Schema
from pydantic import AwareDatetime, Field, TypeAdapter

from integrations.reviews.forms.queue import AGE_LABELS, PARTY_CHOICES, QueueFilterForm
from integrations.reviews.selectors import queue_items
from integrations.reviews.selectors.queue import TAB_LABELS
from integrations.reviews.selectors.queue_kinds import KINDS
from integrations.reviews.selectors.queue_rows import build_item_url, list_tasks
from integrations.submissions.models import Integration
from integrations.submissions.workflow.states import OPEN_STAGES
from portal.accounts.requests import AuthenticatedRequest
from portal.api.choices import CategoryFilter, FilterBy, OneOf, ProgramFilter
from portal.api.form_data import validate_form
from portal.api.pagination import CursorPage, PaginationParams, build_cursor_error, build_page
from portal.api.routing import MAX_ID, ScopedRouter
from portal.api.v1.integrations import require_program_staff
from portal.api.v1.schemas import submissions
from portal.core.compiled_queries import select_compiled
from portal.core.value_types import JsonObject, NamedValues

router = ScopedRouter("Reviews")
REVIEW_SCOPE = "reviews:write"
# Anyone can write a cursor, so its values must fit into the columns.
Moment = Annotated[AwareDatetime, Field(gt=datetime(2000, 1, 1, tzinfo=UTC), lt=datetime(9999, 1, 1, tzinfo=UTC))]
Key = Annotated[int, Field(ge=0, le=MAX_ID)]
Slug = Annotated[str, Field(pattern=r"^[\w-]*$")]
# Values of queue_items.MOST_URGENT_FIRST
POSITION = TypeAdapter(tuple[Moment | None, Key | None, Moment | None, UUID | None, Slug])


class ReviewQueueParams(PaginationParams):
    """Filters of the review queue."""

    after: str | None = Field(None, max_length=500, description="Cursor: the `next` value of the previous page.")
    kind: Annotated[str, FilterBy(KINDS)] = ""
    tab: Annotated[str, OneOf(TAB_LABELS)] = "all"
    program: ProgramFilter = ""
    stage: Annotated[str, FilterBy(OPEN_STAGES)] = ""
    category: CategoryFilter = ""
    age: Annotated[str, FilterBy(AGE_LABELS)] = Field("", description="Minimum waiting time in days.")
    responsible_party: Annotated[str, FilterBy(dict(PARTY_CHOICES))] = Field("", description="Empty means the program.")


class QueueItemOut(Schema):
    """Item of the review queue: a review, appeal, partner, waiver request, agreement to sign, stale
    listing, dispute, or label policy.

    `integration` and `checks` are those of reviews, appeals, and stale listings. `checks` counts checks by outcome.
    `claim_expires_at` is that of the review, also for an agreement.
    """

    kind: str
    name: str
    partner: str
    program: str = Field(validation_alias="program_key")
    reasons: list[str]
    due_at: datetime | None = Field(validation_alias="action_due_at")
    began_at: datetime | None
    href: str = Field(description="Page where the item is decided.")
    integration: submissions.IntegrationOut | None
    checks: JsonObject | None = Field(validation_alias="requirement_counts")
    claim_expires_at: datetime | None


class QueuePage(CursorPage[QueueItemOut]):
    """Page of the review queue. `counts` has the number of filtered items by kind and tab."""

    counts: dict[str, dict[str, int]]


@router.get("/queue", REVIEW_SCOPE, QueuePage)
def get_queue(request: AuthenticatedRequest, params: Query[ReviewQueueParams]) -> JsonObject:
    """List the items in the review queue, most urgent first, with the counts of its page."""
    require_program_staff(request)
    now = timezone.now()
    form = validate_form(QueueFilterForm(data=params.model_dump(exclude={"kind", "tab", "after", "limit"})))
    summary = queue_items.summarize_queue(form.cleaned_data, request.user, now)
    arguments = (summary, params.kind, params.tab, request.user, now)
    # The first page uses the compiled query of the HTML page. The query of a later page depends on its cursor.
    if params.after is None:
        items = queue_items.list_page_items(*arguments)
    else:
        after = queue_items.build_position_condition(_decode_cursor(params.after))
        items = queue_items.list_items(*arguments, after=after)
    rows = [dict(zip(queue_items.ITEM_NAMES, values, strict=True)) for values in items[: params.limit + 1]]
    page = build_page(request, rows, params, _encode_cursor)
    pks = tuple(values["integration_id"] for values in page.items if values["integration_id"])
    integrations = {row.pk: row for row in select_compiled(_list_integrations, integrations=pks)}
    serialized_items = [_serialize_item(values, integrations.get(values["integration_id"])) for values in page.items]
    return {"items": serialized_items, "next": page.next, "counts": summary.counts}


def _list_integrations(integrations: tuple[int, ...]) -> QuerySet[Integration]:
    return Integration.objects.filter(pk__in=integrations).select_related("partner", "reviewer").order_by()


def _serialize_item(values: NamedValues, integration: Integration | None) -> NamedValues:
    kind = KINDS[values["kind"]]
    return values | {
        "partner": values["partner_name"] or values["name"],
        "reasons": list_tasks(kind, values),
        "href": build_item_url(values),
        "integration": integration if kind.is_integration else None,
    }


def _encode_cursor(values: NamedValues) -> str:
    """Encode the item's position, because the item may move or leave before the next page."""
    position = tuple(values[name] for name in queue_items.MOST_URGENT_FIRST)
    return base64.urlsafe_b64encode(POSITION.dump_json(position)).decode().rstrip("=")


def _decode_cursor(text: str) -> tuple[object, ...]:
    """Decode a cursor to a position. Raises ApiError for an invalid cursor."""
    try:
        return POSITION.validate_json(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    except ValueError as error:
        raise build_cursor_error() from error
