"""Kinds of items in the review queue. Each kind selects rows of its model as items with the same columns.

Apps above this one register their kinds with `register_kind`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import (
    BigIntegerField,
    CharField,
    DateTimeField,
    F,
    JSONField,
    Min,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    UUIDField,
    Value,
)
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast, Coalesce
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from integrations.partners import permission_conditions
from integrations.partners.models import Partner, VerificationState
from integrations.programs.registry import get_edition
from integrations.reviews.selectors.queue import build_tab_condition, filter_queue
from integrations.submissions.models import Integration, RequirementFulfillment
from integrations.submissions.workflow.evidence import PAUSED_FOR_APPEAL
from integrations.submissions.workflow.states import (
    FINAL_STAGES,
    FULFILLED_STATUSES,
    ListingStatus,
    ResponsibleParty,
)
from portal.accounts.models import User
from portal.audit.models import AuditEvent
from portal.core.value_types import NamedValues

Filters = Mapping[str, str]
NO_TEXT, NO_ID = Value("", CharField()), Cast(Value(None), BigIntegerField())
NO_TIME, NO_JSON = Cast(Value(None), DateTimeField()), Cast(Value(None), JSONField())
# Columns of all items with the value of kinds that don't have them
ITEM_COLUMNS: Mapping[str, Combinable] = {
    "uuid": Cast(Value(None), UUIDField()),
    "slug": NO_TEXT,
    "name": NO_TEXT,
    "name_key": NO_TEXT,
    "detail": NO_TEXT,
    "integration_id": NO_ID,
    "partner_id": NO_ID,
    "company": NO_TEXT,
    "company_state": NO_TEXT,
    "program_key": NO_TEXT,
    "edition_date": NO_TEXT,
    "step": NO_TEXT,
    "stage": NO_TEXT,
    "review_state": NO_TEXT,
    "review_round": Value(0),
    "responsible_party": NO_TEXT,
    "next_action_code": NO_TEXT,
    "next_action_params": NO_JSON,
    "action_due_at": NO_TIME,
    "began_at": NO_TIME,
    "reasons": NO_JSON,
    "requirement_counts": NO_JSON,
    "created_by_id": NO_ID,
    "first_approver_id": NO_ID,
    "reviewer_id": NO_ID,
    "reviewer_name": NO_TEXT,
    "reviewer_email": NO_TEXT,
    "claim_expires_at": NO_TIME,
}
COMPANY_PATHS = {"company": "name", "company_state": "verification_state"}
INTEGRATION_PATHS = {
    "integration_id": "pk",
    **{name: f"partner__{path}" for name, path in COMPANY_PATHS.items()},
}
INTEGRATION_COLUMNS: Mapping[str, Combinable] = {
    **{name: F(INTEGRATION_PATHS.get(name, name)) for name in ITEM_COLUMNS if name not in ("slug", "detail")},
    "reviewer_name": Coalesce("reviewer__name", NO_TEXT),
    "reviewer_email": Coalesce("reviewer__email", NO_TEXT),
}


@dataclass(frozen=True, slots=True)
class QueueKind:
    """Kind of items.

    Attributes:
        key: The value of the filter.
        list_rows: Returns the filtered rows on which the user can decide.
        columns: Expressions of ITEM_COLUMNS.
        url_name: The page where the item is decided.
        url_columns: The columns with the arguments of its URL.
        list_tasks: Returns what the item waits for, or None for the reasons of an integration.
        is_integration: Whether the rows are integrations, which have a reviewer and can be snoozed.
    """

    key: str
    label: str
    list_rows: Callable[[Filters, User, datetime], QuerySet[Any]]
    columns: Mapping[str, Combinable]
    url_name: str
    url_columns: tuple[str, ...] = ("uuid",)
    list_tasks: Callable[[NamedValues], list[str]] | None = None
    is_integration: bool = False

    def build_tab_condition(self, tab: str, user: User, now: datetime) -> Q | None:
        """Return the condition of a tab, or None if no item of the kind is in it."""
        if self.is_integration:
            return build_tab_condition(tab, user, now)
        return Q() if tab in ("all", "free") else None


KINDS: dict[str, QueueKind] = {}


def register_kind(kind: QueueKind) -> None:
    """Add a kind to the queue."""
    KINDS[kind.key] = kind


def list_kinds(user: User, filters: Filters) -> list[QueueKind]:
    """Return the kinds that a user can see. Only reviewers see decisions; all of them wait for the program."""
    waits_for_program = filters.get("holder", "") in ("", "any", ResponsibleParty.PROGRAM)
    if waits_for_program and user.is_reviewer and user.is_active:
        return list(KINDS.values())
    return [KINDS["review"]]


def build_integration_filter(filters: Filters, prefix: str = "") -> Q:
    """Return the condition of the filters on integrations, for rows whose integration is at the prefix."""
    columns = {"program_key": "program", "stage": "stage", "category": "category"}
    return Q(**{f"{prefix}{column}": filters[name] for column, name in columns.items() if filters.get(name)})


def filter_decidable(rows: QuerySet[Any], filters: Filters, user: User) -> QuerySet[Any]:
    """Return the filtered rows with an integration on which the user can decide."""
    condition = permission_conditions.build_decision_condition(user, "integration__")
    return rows.filter(condition, build_integration_filter(filters, "integration__"))


IS_APPEAL = Q(deadline_pause_reason=PAUSED_FOR_APPEAL, responsible_party=ResponsibleParty.PROGRAM)


def _build_appeal_condition(user: User) -> Q:
    """Return the condition for appeals on which the user can decide: not those against their own decision."""
    is_uninvolved = ~Q(notice_by=user) & ~Q(suspended_by=user)
    return IS_APPEAL & is_uninvolved & permission_conditions.build_decision_condition(user)


def _list_reviews(filters: Filters, user: User, now: datetime) -> QuerySet[Integration]:
    """Return the integrations in the queue, except those that are items of another kind for the user."""
    rows = filter_queue(filters, now)
    waits_for_company = Q(next_action_code="decide_on_company") & permission_conditions.build_decision_condition(user)
    if filters.get("holder") == "any" and KINDS["stale"] in list_kinds(user, filters):
        rows = rows.exclude(pk__in=_list_stale_listings(filters, user, now).values("pk"))
    return rows.exclude(waits_for_company).exclude(_build_appeal_condition(user))


def _list_appeals(filters: Filters, user: User, _now: datetime) -> QuerySet[Integration]:
    return Integration.objects.filter(_build_appeal_condition(user), build_integration_filter(filters))


def _list_stale_listings(filters: Filters, user: User, now: datetime) -> QuerySet[Integration]:
    """Return listed integrations with a check result that is older than its check allows, and no waiver.

    The portal repeats checks every night, so this means that they fail to run. Items that wait for the program for
    another reason are already in the queue.
    """
    is_waived = Q(waiver_expires_at__gt=now)
    stale = RequirementFulfillment.objects.filter(~is_waived, valid_until__lte=now).values("integration")
    is_listed = Q(listing_status__in=(ListingStatus.LISTED, ListingStatus.ON_NOTICE, ListingStatus.SUSPENDED))
    rows = (
        Integration.objects.in_support()
        .filter(is_listed, pk__in=stale)
        .exclude(responsible_party=ResponsibleParty.PROGRAM)
    )
    return rows.filter(permission_conditions.build_decision_condition(user), build_integration_filter(filters))


def _list_waiver_requests(filters: Filters, user: User, _now: datetime) -> QuerySet[RequirementFulfillment]:
    """Return open requirements for which the partner requested a waiver."""
    rows = RequirementFulfillment.objects.filter(waiver_requested_at__isnull=False)
    rows = rows.exclude(status__in=FULFILLED_STATUSES).exclude(integration__stage__in=FINAL_STAGES)
    return filter_decidable(rows, filters, user)


def _list_waiver_tasks(values: NamedValues) -> list[str]:
    requirement = get_edition(values["program_key"], values["edition_date"]).requirement(values["slug"])
    title = requirement.title if requirement else values["slug"]
    return [_("Decide on the waiver of “%(title)s”") % {"title": title}]


def _list_companies(filters: Filters, user: User, _now: datetime) -> QuerySet[Partner]:
    """Return the companies that need a decision. The other filters apply to their integrations."""
    rows = Partner.objects.filter(verification_state=VerificationState.NEEDS_DECISION)
    rows = rows.filter(permission_conditions.build_partner_decision_condition(user))
    if condition := build_integration_filter(filters):
        rows = rows.filter(pk__in=Integration.objects.filter(condition).values("partner"))
    return rows


STALE_SINCE = RequirementFulfillment.objects.filter(integration=OuterRef("pk")).order_by().values("integration")
DECISION_REQUESTS = AuditEvent.objects.filter(partner=OuterRef("pk"), event_type="partner.decision_requested")
REQUESTED_AT = Subquery(DECISION_REQUESTS.order_by("-pk").values("at")[:1])
for _kind in (
    QueueKind(
        "review", gettext_noop("Review"), _list_reviews, INTEGRATION_COLUMNS, "reviews:review", is_integration=True
    ),
    QueueKind(
        "appeal",
        gettext_noop("Appeal"),
        _list_appeals,
        {**INTEGRATION_COLUMNS, "began_at": F("appealed_at")},
        "reviews:review",
        is_integration=True,
    ),
    QueueKind(
        "company",
        gettext_noop("Company"),
        _list_companies,
        {
            "slug": F("slug"),
            "name": F("name"),
            "name_key": F("name_key"),
            "detail": F("domain"),
            "partner_id": F("pk"),
            "company_state": F("verification_state"),
            "began_at": Coalesce(REQUESTED_AT, F("created_at")),
        },
        "reviews:partner",
        ("slug",),
        lambda _values: [_("Decide on the company")],
    ),
    QueueKind(
        "waiver",
        gettext_noop("Waiver"),
        _list_waiver_requests,
        {
            "uuid": F("integration__uuid"),
            "slug": F("requirement_id"),
            "name": F("integration__name"),
            "name_key": F("integration__name_key"),
            "partner_id": F("integration__partner_id"),
            "company": F("integration__partner__name"),
            "company_state": F("integration__partner__verification_state"),
            "program_key": F("integration__program_key"),
            "edition_date": F("integration__edition_date"),
            "step": F("integration__step"),
            "stage": F("integration__stage"),
            "began_at": F("waiver_requested_at"),
        },
        "submissions:requirement",
        ("uuid", "slug"),
        _list_waiver_tasks,
    ),
    QueueKind(
        "stale",
        gettext_noop("Stale listing"),
        _list_stale_listings,
        {
            **INTEGRATION_COLUMNS,
            "action_due_at": NO_TIME,
            "began_at": Subquery(STALE_SINCE.annotate(since=Min("valid_until")).values("since")),
        },
        "reviews:review",
        list_tasks=lambda _values: [_("Check results are out of date")],
        is_integration=True,
    ),
):
    register_kind(_kind)
