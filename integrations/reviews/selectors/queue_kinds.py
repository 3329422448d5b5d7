"""Kinds of items in the review queue. Each kind selects rows of its model as items with the same columns.

Apps above this one register their kinds with `register_kind`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import (
    Case,
    CharField,
    DateTimeField,
    F,
    Field,
    IntegerField,
    Min,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
)
from django.db.models.expressions import Combinable, RawSQL
from django.db.models.functions import Cast, Coalesce, Concat
from django.utils.translation import gettext as _, gettext_noop

from integrations.partners.models import Partner, VerificationState
from integrations.programs.registry import AGREEMENTS, get_edition, list_agreement_requirement_ids
from integrations.reviews.models import QueueItem
from integrations.submissions.models import Integration, IntegrationQuerySet, RequirementFulfillment
from integrations.submissions.workflow.actions import SIGNATURE_ACTIONS
from integrations.submissions.workflow.evidence import PAUSED_FOR_APPEAL
from integrations.submissions.workflow.next_action import render_action_text
from integrations.submissions.workflow.states import (
    FINAL_STAGES,
    FULFILLED_STATUSES,
    ListingStatus,
    ResponsibleParty,
    Status,
)
from portal.audit.models import AuditEvent
from portal.core.value_types import NamedValues

# A unique object, because a real value could equal another parameter of the query.
NOW_PARAMETER = object()  # stands for the time of a query in SQL that is compiled once
NOW = RawSQL("%s", (NOW_PARAMETER,), DateTimeField())
ITEM_COLUMNS: Mapping[str, "Field[Any, Any]"] = {
    field.attname: field for field in QueueItem._meta.concrete_fields if field.column == field.attname
}


@dataclass(frozen=True, slots=True)
class QueueKind:
    """Kind of items.

    Attributes:
        key: The value of the filter.
        rows: The rows that are items for some user.
        columns: Expressions of ITEM_COLUMNS. Others are NULL or blank.
        url_name: The page where the item is decided.
        url_columns: The columns with the arguments of its URL.
        url_query: Opens the form for the decision on that page.
        list_tasks: Returns what the item waits for, or None for the reasons of an integration.
        is_integration: Whether the rows are integrations, which have a reviewer and can be snoozed.
    """

    key: str
    label: str
    rows: QuerySet[Any]
    columns: Mapping[str, Combinable]
    url_name: str
    url_columns: tuple[str, ...] = ("uuid",)
    url_query: str = ""
    list_tasks: Callable[[NamedValues], list[str]] | None = None
    is_integration: bool = False

    def select_items(self) -> QuerySet[Any, tuple[Any, ...]]:
        """Return the rows as tuples of ITEM_COLUMNS, which are `item_NAME` in SQL."""
        columns = {"kind": Value(self.key), **self.columns}
        expressions = {f"item_{name}": _convert(columns.get(name), field) for name, field in ITEM_COLUMNS.items()}
        return self.rows.order_by().annotate(**expressions).values_list(*expressions)


def _convert(value: Combinable | None, field: "Field[Any, Any]") -> Combinable:
    """Return a column, NULL or blank without a value."""
    if value is None:
        # docs/decisions/0078: PostgreSQL applies the conditions of a query inside a union only if the types of its
        # columns are equal.
        blank = "" if isinstance(field, CharField) else 0 if isinstance(field, IntegerField) else None
        return Cast(Value(blank), getattr(field, "target_field", field))
    return Cast(value, field) if isinstance(field, CharField) and not isinstance(value, F) else value


KINDS: dict[str, QueueKind] = {}


def register_kind(kind: QueueKind) -> None:
    """Add a kind to the queue."""
    KINDS[kind.key] = kind


def build_integration_columns(*names: str) -> dict[str, Combinable]:
    """Return columns of the integration of rows: these, and those that permissions depend on."""
    names = ("partner_id", "program_key", "step", "stage", "category", "created_by_id", *names)
    return {name: F(f"integration__{name}") for name in names}


def _get_requirement_title(values: NamedValues) -> str:
    requirement = get_edition(values["program_key"], values["edition_date"]).get_requirement(values["slug"])
    return requirement.title if requirement else values["slug"]


def _list_waiver_tasks(values: NamedValues) -> list[str]:
    return [_("Decide on the waiver of “%(title)s”") % {"title": _get_requirement_title(values)}]


def _list_agreement_tasks(values: NamedValues) -> list[str]:
    action = SIGNATURE_ACTIONS[values["next_action_params"]["method"]]
    return [render_action_text(action, {"title": _get_requirement_title(values)})]


def list_stale_listings(now: datetime | Combinable) -> IntegrationQuerySet:
    """Return listed integrations with a check result that is older than its check allows, and no waiver.

    The portal repeats checks every night, so this means that they fail to run. Items that wait for the program for
    another reason are already in the queue.
    """
    results = RequirementFulfillment.objects.filter(~Q(waiver_expires_at__gt=now), valid_until__lte=now)
    is_listed = Q(listing_status__in=(ListingStatus.LISTED, ListingStatus.ON_NOTICE, ListingStatus.SUSPENDED))
    rows = Integration.objects.in_support().filter(is_listed, pk__in=results.values("integration"))
    return rows.exclude(responsible_party=ResponsibleParty.PROGRAM)


IS_APPEAL = Q(deadline_pause_reason=PAUSED_FOR_APPEAL, responsible_party=ResponsibleParty.PROGRAM)
STALE_SINCE = RequirementFulfillment.objects.filter(integration=OuterRef("pk")).order_by().values("integration")
# A requirement that was fulfilled, or an integration that has ended, needs no waiver anymore. A result that is too old,
# as after a long outage, fulfills nothing.
WAIVER_REQUESTS = (
    RequirementFulfillment.objects.filter(waiver_requested_at__isnull=False)
    .filter(~Q(status__in=FULFILLED_STATUSES) | Q(valid_until__lte=NOW))
    .exclude(integration__stage__in=FINAL_STAGES)
)
AGREEMENT_IDS = {key: list_agreement_requirement_ids(key) for key in AGREEMENTS}
AGREEMENT_KEY = Case(*(When(requirement_id__in=ids, then=Value(key)) for key, ids in AGREEMENT_IDS.items()))
# An integration whose next action is the program's signature: list_actions has other actions of the program before it.
SIGNATURE_CODES = tuple(SIGNATURE_ACTIONS.values())
IS_ONLY_UNSIGNED = Q(next_action_code__in=SIGNATURE_CODES)
IS_DUE = Q(
    integration__next_action_code__in=SIGNATURE_CODES,
    integration__next_action_target=Concat(Value("requirement:"), "requirement_id"),
)
# The partner signed. One signature counts for all integrations of the partner, so queue_items selects the most urgent
# one that the reader can sign for.
UNSIGNED_AGREEMENTS = (
    RequirementFulfillment.objects.annotate(
        agreement=AGREEMENT_KEY, due_at=Case(When(IS_DUE, then=F("integration__action_due_at")))
    )
    .filter(agreement__isnull=False, status=Status.AWAITING_OTHER_PARTY, data__waits_for=ResponsibleParty.PROGRAM)
    .exclude(integration__stage__in=FINAL_STAGES)
)
DECISION_REQUESTS = AuditEvent.objects.filter(partner=OuterRef("pk"), event_type="partner.decision_requested")
REQUESTED_AT = Subquery(DECISION_REQUESTS.order_by("-pk").values("at")[:1])
INTEGRATION_COLUMNS: Mapping[str, Combinable] = {
    "integration_id": F("pk"),
    **{field.attname: F(field.attname) for field in Integration._meta.concrete_fields if field.attname in ITEM_COLUMNS},
}
for _kind in (
    QueueKind(
        "review",
        gettext_noop("Review"),
        Integration.objects.all(),
        {**INTEGRATION_COLUMNS, "waiting_since": F("responsible_since")},
        "reviews:review",
        is_integration=True,
    ),
    QueueKind(
        "appeal",
        gettext_noop("Appeal"),
        Integration.objects.filter(IS_APPEAL),
        {**INTEGRATION_COLUMNS, "waiting_since": F("appealed_at")},
        "reviews:review",
        is_integration=True,
    ),
    QueueKind(
        "partner",
        gettext_noop("Partner"),
        Partner.objects.filter(verification_state=VerificationState.NEEDS_DECISION),
        {
            "slug": F("slug"),
            "name": F("name"),
            "name_key": F("name_key"),
            "detail": F("domain"),
            "partner_id": F("pk"),
            # A company that was renamed waits since the renaming, not since it was created.
            "waiting_since": Coalesce(REQUESTED_AT, F("created_at")),
        },
        "reviews:partner",
        ("slug",),
        list_tasks=lambda _values: [_("Decide on the partner")],
    ),
    QueueKind(
        "waiver",
        gettext_noop("Waiver"),
        WAIVER_REQUESTS,
        {
            **build_integration_columns("uuid", "name", "name_key", "edition_date"),
            "slug": F("requirement_id"),
            "waiting_since": F("waiver_requested_at"),
        },
        "submissions:requirement",
        ("uuid", "slug"),
        "?open=waive",
        _list_waiver_tasks,
    ),
    QueueKind(
        "agreement",
        gettext_noop("Agreement"),
        UNSIGNED_AGREEMENTS,
        {
            **build_integration_columns("uuid", "name", "name_key", "edition_date", "claim_expires_at"),
            "slug": F("requirement_id"),
            # This item is the only one of an integration that waits for nothing else, so it's snoozed with it.
            "integration_id": Case(When(IS_DUE, then=F("integration_id"))),
            "next_action_params": F("data"),
            "reviewer_id": Coalesce("integration__reviewer_id", "integration__partner__alliances_manager_id"),
            "action_due_at": F("due_at"),
            "waiting_since": F("submitted_at"),
        },
        "submissions:requirement",
        ("uuid", "slug"),
        list_tasks=_list_agreement_tasks,
    ),
    QueueKind(
        "stale",
        gettext_noop("Stale listing"),
        list_stale_listings(NOW),
        {
            # docs/decisions/0078: a stale listing is never overdue, because its due date is that of the partner's next
            # action.
            **{name: value for name, value in INTEGRATION_COLUMNS.items() if name != "action_due_at"},
            "waiting_since": Subquery(STALE_SINCE.annotate(since=Min("valid_until")).values("since")),
        },
        "reviews:review",
        list_tasks=lambda _values: [_("Check results are out of date")],
        is_integration=True,
    ),
):
    register_kind(_kind)
