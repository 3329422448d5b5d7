"""Rows of the review queue as plain values, in two queries for any number of rows."""

from datetime import datetime
from functools import lru_cache
from typing import TypedDict
from uuid import UUID

from django.core.paginator import Page, Paginator
from django.db.models import Count, F, Q, QuerySet
from django.urls import reverse
from django.utils.translation import get_language, gettext_noop, ngettext
from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.partners.models import VerificationState
from integrations.programs.registry import PROGRAMS, get_edition
from integrations.submissions.models import Integration, ReadMarker
from integrations.submissions.selectors.recent_changes import EXCLUDED_EVENT_TYPES
from integrations.submissions.workflow.next_action import render_sentence
from integrations.submissions.workflow.states import ResponsibleParty, ReviewState, Stage
from portal.accounts.models import User
from portal.core.value_types import NamedValues
from portal.ui.components.moments import format_clock

PAGE_SIZE = 50
POSITION_COLUMNS = ("program_key", "edition_date", "step", "stage", "review_state", "review_round")
PLACEHOLDER_UUID = UUID(int=0)  # resolves each URL once for all rows
PLACEHOLDER_TEXT = str(PLACEHOLDER_UUID)
ROW_COLUMNS = (
    *POSITION_COLUMNS,
    "pk",
    "uuid",
    "name",
    "partner_id",
    "partner__name",
    "partner__verification_state",
    "responsible_party",
    "next_action_code",
    "next_action_params",
    "action_due_at",
    "began_at",
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

    uuid: str
    href: str
    name: str
    company: str
    program: str
    position: str
    reasons: list[str]
    changes: str
    due: datetime | None
    since: datetime | None
    checks: str
    checks_label: str
    reviewer: str
    is_mine: bool
    claim: str
    claim_href: str


def build_page(
    rows: QuerySet[Integration], count: int, number: int | str | None, user: User, now: datetime
) -> tuple[Page, list[QueueRow]]:
    """Return a page and its rows. `count` is the total, known from the summary."""
    paginator = Paginator(rows.values_list(*ROW_COLUMNS), PAGE_SIZE)
    paginator.count = count  # type: ignore[misc]
    page = paginator.get_page(number)
    links = reverse("reviews:review", args=[PLACEHOLDER_UUID]), reverse("reviews:claim", args=[PLACEHOLDER_UUID])
    rows_by_column = [dict(zip(ROW_COLUMNS, values, strict=True)) for values in page.object_list]
    changes = _count_changes([values["pk"] for values in rows_by_column], user)
    return page, [_build_row(values, links, user, now, _describe_changes(changes, values)) for values in rows_by_column]


def _count_changes(pks: list[int], user: User) -> dict[int, int]:
    """Return by integration how many events of others are newer than the user's read marker."""
    is_new = Q(integration__events__seq__gt=F("seq")) & ~Q(integration__events__event_type__in=EXCLUDED_EVENT_TYPES)
    by_others = Q(integration__events__actor_id=None) | ~Q(integration__events__actor_id=user.pk)
    markers = ReadMarker.objects.filter(user=user, integration__in=pks).order_by()
    return dict(markers.values_list("integration").annotate(n=Count("integration__events", filter=is_new & by_others)))


def _describe_changes(changes: dict[int, int], values: NamedValues) -> str:
    """Return what is new for the user, blank if nothing is."""
    count = changes.get(values["pk"])
    if count is None:
        return _("Not viewed yet")
    return ngettext("%(count)s change", "%(count)s changes", count) % {"count": count} if count else ""


def _list_reasons(values: NamedValues) -> list[str]:
    """Return why the row is in the queue, or the next action when another party is responsible."""
    if values["responsible_party"] == ResponsibleParty.PROGRAM:
        return [render_sentence(**reason) for reason in values["reasons"]]
    return [render_sentence(values["next_action_code"], values["next_action_params"])]


def _build_row(values: NamedValues, links: tuple[str, str], user: User, now: datetime, changes: str) -> QueueRow:
    href, claim_href = [link.replace(PLACEHOLDER_TEXT, str(values["uuid"])) for link in links]
    signs = [
        (values["requirement_counts"][outcome], sign, _(outcome_label))
        for outcome, (sign, outcome_label) in OUTCOME_SIGNS.items()
        if outcome in values["requirement_counts"]
    ]
    reviewer_label, claim = _describe_claim(values, user, now)
    return {
        "uuid": str(values["uuid"]),
        "href": href,
        "name": values["name"],
        "company": _describe_company(values["partner__name"], values["partner__verification_state"]),
        "program": PROGRAMS[values["program_key"]].name,
        "position": _format_position(get_language(), *[values[column] for column in POSITION_COLUMNS]),
        "reasons": _list_reasons(values),
        "changes": changes,
        "due": values["action_due_at"],
        "since": values["began_at"],
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
    button_label = _("Claim review") if permissions.can_review_program(values["program_key"], user) else ""
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
