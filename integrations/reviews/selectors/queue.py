"""Rows and figures of the review queue as plain values, in two queries for any length."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import TypedDict
from uuid import UUID

from django.core.paginator import Page, Paginator
from django.db.models import Count, Min, Q, QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language, gettext_noop
from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.partners.models import VerificationState
from integrations.programs.registry import PROGRAMS, get_edition
from integrations.submissions.models import Integration
from integrations.submissions.workflow.next_action import render_sentence
from integrations.submissions.workflow.states import ResponsibleParty, ReviewState, Stage
from portal.accounts.models import User
from portal.core.value_types import NamedValues
from portal.ui.components.moments import format_clock

PAGE_SIZE = 50
POSITION_COLUMNS = ("program_key", "edition_date", "step", "stage", "review_state", "review_round")
PLACEHOLDER_UUID = UUID(int=0)  # resolves each URL once for all rows
PLACEHOLDER_TEXT = str(PLACEHOLDER_UUID)
TAB_LABELS = {"all": gettext_noop("All"), "mine": gettext_noop("Mine"), "free": gettext_noop("Unclaimed")}
ROW_COLUMNS = (
    *POSITION_COLUMNS,
    "uuid",
    "name",
    "partner_id",
    "partner__name",
    "partner__verification_state",
    "responsible_party",
    "next_action_code",
    "next_action_params",
    "action_due_at",
    "responsible_since",
    "reasons",
    "requirement_counts",
    "reviewer_id",
    "reviewer__name",
    "reviewer__email",
    "claim_expires_at",
)
# Check outcomes in a narrow cell: a sign, and a word for screen readers.
OUTCOME_SIGNS = {
    "fail": ("✗", gettext_noop("failed")),
    "error": ("?", gettext_noop("error")),
    "expired": ("⟳", gettext_noop("stale")),
    "not_run": ("○", gettext_noop("not run")),
    "warn": ("!", gettext_noop("warning")),
    "waived": ("~", gettext_noop("waived")),
    "pass": ("✓", gettext_noop("passed")),
}


class QueueRow(TypedDict):
    """Row of the review queue. `claim` is the label of the button, blank without a button.

    A dictionary, because templates read keys several times faster than attributes and a page has fifty rows.
    """

    href: str
    name: str
    company: str
    program: str
    position: str
    reasons: list[str]
    due: datetime | None
    since: datetime | None
    checks: str
    checks_label: str
    reviewer: str
    is_mine: bool
    claim: str
    claim_href: str


@dataclass(frozen=True, slots=True)
class QueueSummary:
    """Figures above the review queue for the filtered rows."""

    due_today: int
    open: int
    oldest: str
    tabs: dict[str, int]


def filter_queue(filters: dict[str, str], now: datetime) -> QuerySet[Integration]:
    """Return the filtered integrations, most urgent first."""
    responsible_party = filters.get("holder") or ResponsibleParty.PROGRAM
    if responsible_party == ResponsibleParty.PROGRAM:
        rows = Integration.objects.in_queue()
    else:
        integrations = (
            Integration.objects.open()
            if responsible_party == "any"
            else Integration.objects.filter(responsible_party=responsible_party)
        )
        rows = integrations.order_by("responsible_since", "pk")
    filters_by_column = {"program_key": "program", "stage": "stage", "category": "category"}
    rows = rows.filter(**{column: filters[name] for column, name in filters_by_column.items() if filters.get(name)})
    if filters.get("age"):
        rows = rows.filter(responsible_since__lte=now - timedelta(days=int(filters["age"])))
    return rows


def build_tab_condition(tab: str, user: User, now: datetime) -> Q:
    """Return the condition of a tab. Unclaimed: without a reviewer, or with an expired claim."""
    is_free = Q(reviewer=None) | Q(claim_expires_at__lte=now)
    return {"mine": Q(reviewer=user), "free": is_free}.get(tab, Q())


def summarize_queue(rows: QuerySet[Integration], user: User, now: datetime) -> QueueSummary:
    """Return all figures with one query."""
    tomorrow = timezone.localtime(now).replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
    figures = rows.order_by().aggregate(
        all=Count("pk"),
        mine=Count("pk", filter=build_tab_condition("mine", user, now)),
        free=Count("pk", filter=build_tab_condition("free", user, now)),
        due_today=Count("pk", filter=Q(action_due_at__lt=tomorrow)),
        oldest=Min("responsible_since"),
    )
    oldest = _format_waiting_time(now - figures["oldest"]) if figures["oldest"] else ""
    return QueueSummary(figures["due_today"], figures["all"], oldest, {tab: figures[tab] for tab in TAB_LABELS})


def _format_waiting_time(duration: timedelta) -> str:
    """Return the days, or the hours below two days, such as "6 d"."""
    return f"{duration.days} d" if duration.days > 1 else f"{int(duration.total_seconds() // 3600)} h"


def build_page(
    rows: QuerySet[Integration], count: int, number: int | str | None, user: User, now: datetime
) -> tuple[Page, list[QueueRow]]:
    """Return a page and its rows. `count` is the total, known from the summary."""
    paginator = Paginator(rows.values_list(*ROW_COLUMNS), PAGE_SIZE)
    paginator.count = count  # type: ignore[misc]
    page = paginator.get_page(number)
    links = reverse("reviews:review", args=[PLACEHOLDER_UUID]), reverse("reviews:claim", args=[PLACEHOLDER_UUID])
    rows_by_column = [dict(zip(ROW_COLUMNS, values, strict=True)) for values in page.object_list]
    return page, [_build_row(values, links, user, now) for values in rows_by_column]


def _list_reasons(values: NamedValues) -> list[str]:
    """Return why the row is in the queue, or the next action when another party is responsible."""
    if values["responsible_party"] == ResponsibleParty.PROGRAM:
        return [render_sentence(**reason) for reason in values["reasons"]]
    return [render_sentence(values["next_action_code"], values["next_action_params"])]


def _build_row(values: NamedValues, links: tuple[str, str], user: User, now: datetime) -> QueueRow:
    href, claim_href = [link.replace(PLACEHOLDER_TEXT, str(values["uuid"])) for link in links]
    signs = [
        (values["requirement_counts"][outcome], sign, _(outcome_label))
        for outcome, (sign, outcome_label) in OUTCOME_SIGNS.items()
        if outcome in values["requirement_counts"]
    ]
    reviewer_label, claim = _describe_claim(values, user, now)
    return {
        "href": href,
        "name": values["name"],
        "company": _describe_company(values["partner__name"], values["partner__verification_state"]),
        "program": PROGRAMS[values["program_key"]].name,
        "position": _format_position(get_language(), *[values[column] for column in POSITION_COLUMNS]),
        "reasons": _list_reasons(values),
        "due": values["action_due_at"],
        "since": values["responsible_since"],
        "checks": " ".join([f"{count}{sign}" for count, sign, outcome_label in signs]),
        "checks_label": ", ".join([f"{count} {outcome_label}" for count, sign, outcome_label in signs])
        or _("no check results"),
        "reviewer": reviewer_label,
        "is_mine": values["reviewer_id"] == user.pk,
        "claim": claim,
        "claim_href": claim_href,
    }


def _describe_company(name: str, state: str) -> str:
    """Return the name of a company, with its state unless it is verified."""
    return name if state == VerificationState.VERIFIED else f"{name} · {VerificationState(state).label}"


@lru_cache(maxsize=2000)
def _format_position(
    _language: str | None, program: str, edition: str, step: str, stage: str, review: str, review_round: int
) -> str:
    name = get_edition(program, edition).step(step).name
    if stage != Stage.REVIEW or review != ReviewState.WAITING:
        return name
    round_label = _("new") if review_round == 1 else _("round %(number)s") % {"number": review_round}
    return f"{name} · {round_label}"


def _describe_claim(values: NamedValues, user: User, now: datetime) -> tuple[str, str]:
    """Return the reviewer label and the label of the claim button, blank without a button."""
    claim_expires_at, reviewer_id = values["claim_expires_at"], values["reviewer_id"]
    if values["partner_id"] in permissions.get_roles(user):
        return _("Your company"), ""
    button_label = _("Claim review") if user.is_reviewer else ""
    if reviewer_id is None:
        return _("Unclaimed"), button_label
    is_mine = reviewer_id == user.pk
    name = _("you") if is_mine else values["reviewer__name"] or values["reviewer__email"]
    if claim_expires_at is None:
        return (_("Assigned to you"), button_label) if is_mine else (_("Assigned to %(name)s") % {"name": name}, "")
    if claim_expires_at > now:
        return _("Claimed by %(name)s until %(time)s") % {"name": name, "time": format_clock(claim_expires_at)}, ""
    if is_mine:
        return _("Assigned to you (claim expired)"), button_label
    return _("Unclaimed (claim by %(name)s expired)") % {"name": name}, button_label
