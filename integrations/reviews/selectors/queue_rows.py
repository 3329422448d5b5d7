"""Rows of the review queue as plain values."""

from collections.abc import Container, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any
from uuid import UUID

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.urls import reverse
from django.utils.translation import get_language, gettext as _, ngettext

from integrations.partners import permissions
from integrations.partners.conflicts import get_conflicts
from integrations.partners.models import VerificationState
from integrations.programs.registry import PROGRAMS, get_edition
from integrations.reviews.models import Snooze
from integrations.reviews.selectors.queue_items import ITEM_NAMES
from integrations.reviews.selectors.queue_kinds import KINDS, QueueKind
from integrations.submissions.selectors.deciders import build_queued_integration, find_without_decider
from integrations.submissions.workflow.compliance_guards import SEPARATED_DECISIONS, is_excluded_from_decision
from integrations.submissions.workflow.next_action import render_action_text
from integrations.submissions.workflow.states import ResponsibleParty, ReviewState, Stage
from portal.accounts.models import User
from portal.core.site_urls import build_absolute_url
from portal.core.value_types import JsonObject, NamedValues
from portal.ui.components.moments import format_clock, format_exact

PAGE_SIZE = 50
PAGE_NAMES = (*ITEM_NAMES, "changes")
POSITION_COLUMNS = ("program_key", "edition_date", "step", "stage", "review_state", "review_round")
PLACEHOLDER_UUID = UUID(int=0)  # resolves each URL once for all rows
PLACEHOLDER_TEXT = str(PLACEHOLDER_UUID)
# Statuses of checks as the queue counts them, worst first. A check result that expired is stale.
COUNTED_STATUSES = {
    "fail": "fail",
    "error": "error",
    "expired": "stale",
    "not_run": "not_run",
    "warn": "warn",
    "waived": "waived",
    "pass": "pass",
}


@dataclass(frozen=True, slots=True)
class QueueViewer:
    """Viewer of a queue page. Rows share these values, because each access to the lazy user of a request takes long.

    `partners`: IDs of the user's companies; `conflicts`: of those with which the user has a conflict of interest;
    `programs`: keys of the programs on the page that the user reviews; `undecidable`: IDs of the integrations on which
    no reviewer can decide.
    """

    user: User
    pk: int
    partners: Container[int]
    conflicts: Container[int]
    programs: Container[str]
    undecidable: Container[int]

    @classmethod
    def build(cls, user: User, rows: Sequence[NamedValues]) -> "QueueViewer":
        """Return the viewer of a queue page with these rows."""
        conflicts = get_conflicts(user) if user.is_reviewer else {}
        program_keys = {values["program_key"] for values in rows}
        programs = [key for key in program_keys if permissions.can_review_program(key, user)]
        return cls(user, user.pk, permissions.get_roles(user), conflicts, programs, find_without_decider(rows, user))


def build_page(
    items: QuerySet[Any, tuple[Any, ...]], count: int, number: int | str | None, user: User, now: datetime
) -> tuple[Page, list[JsonObject]]:
    """Return a page of tuples of PAGE_NAMES, and its rows. `count` is the total, known from the summary."""
    paginator = Paginator(items, PAGE_SIZE)
    # The paginator would count the union again.
    paginator.count = count
    page = paginator.get_page(number)
    values_by_row = [dict(zip(PAGE_NAMES, values, strict=True)) for values in page.object_list]
    kinds = {values["kind"]: KINDS[values["kind"]] for values in values_by_row}
    links = {
        key: reverse(kind.url_name, args=[PLACEHOLDER_UUID] * len(kind.url_columns)) + kind.url_query
        for key, kind in kinds.items()
    }
    links["claim"] = reverse("reviews:claim", args=[PLACEHOLDER_UUID])
    viewer = QueueViewer.build(user, values_by_row)
    return page, [_build_row(kinds[values["kind"]], values, links, viewer, now) for values in values_by_row]


def describe_snoozes(rows: Sequence[JsonObject], now: datetime) -> None:
    """Add to snoozed rows until when they are snoozed, and why."""
    snoozes = Snooze.objects.filter(integration__uuid__in=[row["item"] for row in rows]).select_related("integration")
    by_uuid = {str(snooze.integration.uuid): snooze for snooze in snoozes}
    for row in rows:
        # Someone can end a snooze after the rows were read.
        if snooze := by_uuid.get(row["item"]):
            parameters = {"until": format_exact(snooze.until, now), "reason": snooze.reason}
            row["reasons"].append(_("Snoozed until %(until)s: %(reason)s") % parameters)


def _fill_link(link: str, values: list[object]) -> str:
    for value in values:
        link = link.replace(PLACEHOLDER_TEXT, str(value), 1)
    return link


def _get_url_arguments(values: NamedValues) -> list[object]:
    return [values[name] for name in KINDS[values["kind"]].url_columns]


def build_item_url(values: NamedValues) -> str:
    """Return the absolute URL of the page where an item is decided."""
    kind = KINDS[values["kind"]]
    return build_absolute_url(kind.url_name, *_get_url_arguments(values)) + kind.url_query


def list_tasks(kind: QueueKind, values: NamedValues) -> list[str]:
    """Return what an item waits for, or the next action of an integration when another party is responsible."""
    if kind.list_tasks is not None:
        return kind.list_tasks(values)
    if values["responsible_party"] == ResponsibleParty.PROGRAM:
        return [render_action_text(**reason) for reason in values["reasons"]]
    # The reasons are empty while another party is responsible.
    return [render_action_text(values["next_action_code"], values["next_action_params"])]


def _build_row(
    kind: QueueKind, values: NamedValues, links: dict[str, str], viewer: QueueViewer, now: datetime
) -> JsonObject:
    """Return the row of an item.

    A dictionary, because templates read keys several times faster than attributes and a page has fifty rows.
    """
    tasks = list_tasks(kind, values)
    if kind.is_integration and values["integration_id"] in viewer.undecidable:
        tasks.insert(0, _("No reviewer can decide (add a reviewer)"))
    position = values["detail"]
    columns: JsonObject = {}
    if kind.is_integration:
        position = _format_position(get_language(), *[values[column] for column in POSITION_COLUMNS])
        columns = _build_review_columns(values, links["claim"], viewer, now)
    elif values["reviewer_id"]:
        columns = {"reviewer": _describe_claim(values, viewer, now)[0], "is_mine": _is_mine(values, viewer)}
    if values["integration_id"]:
        columns["uuid"] = str(values["uuid"])  # for bulk actions
    return {
        # A company has no UUID.
        "item": str(values["uuid"] or values["slug"]),
        "kind": kind.key,
        "kind_label": _(kind.label),
        "href": _fill_link(links[kind.key], _get_url_arguments(values)),
        "name": values["name"],
        "partner": _describe_partner("" if kind.key == "partner" else values["partner_name"], values["partner_state"]),
        "program": PROGRAMS[values["program_key"]].name if values["program_key"] else "",
        "position": position,
        "reasons": tasks,
        "due": values["action_due_at"],
        "since": values["began_at"],
        **columns,
    }


def _build_review_columns(values: NamedValues, claim_link: str, viewer: QueueViewer, now: datetime) -> JsonObject:
    """Return the columns that only integrations have. A blank `claim` means no button."""
    counts = values["requirement_counts"]
    reviewer_label, claim = _describe_claim(values, viewer, now)
    changes = values["changes"]  # since the user viewed the integration, None if never
    return {
        "is_unviewed": changes is None,
        "changes": ngettext("%(count)s change", "%(count)s changes", changes) % {"count": changes} if changes else "",
        "checks": {outcome: counts[status] for status, outcome in COUNTED_STATUSES.items() if status in counts},
        "reviewer": reviewer_label,
        "is_mine": _is_mine(values, viewer),
        "claim": claim,
        "claim_href": _fill_link(claim_link, [values["uuid"]]),
    }


def _describe_partner(name: str, state: str) -> str:
    """Return the name of a company, with its state unless it is verified."""
    if state in ("", VerificationState.VERIFIED):
        return name
    return " · ".join(filter(None, (name, str(VerificationState(state).label))))


@lru_cache(maxsize=2000)
def _format_position(
    _language: str | None, program: str, edition: str, step: str, stage: str, review: str, review_round: int
) -> str:
    name = get_edition(program, edition).get_step(step).name
    if stage != Stage.REVIEW or review != ReviewState.WAITING:
        return name
    round_label = _("new") if review_round == 1 else _("round %(number)s") % {"number": review_round}
    return f"{name} · {round_label}"


def _is_mine(values: NamedValues, viewer: QueueViewer) -> bool:
    is_assigned = values["reviewer_id"] == viewer.pk
    return is_assigned and not (values["is_former_reviewer"] or _is_excluded(values, viewer))


def _is_excluded(values: NamedValues, viewer: QueueViewer) -> bool:
    is_separated = values["next_action_code"] in SEPARATED_DECISIONS  # few rows are
    return is_separated and is_excluded_from_decision(build_queued_integration(values), viewer.pk)


def _describe_claim(values: NamedValues, viewer: QueueViewer, now: datetime) -> tuple[str, str]:
    """Return the reviewer label and the label of the claim button, blank without a button."""
    claim_expires_at = values["claim_expires_at"]
    reviewer_id = values["reviewer_id"]
    # An own company and a conflict of interest come first: no claim changes them.
    if values["partner_id"] in viewer.partners:
        return _("Your company"), ""
    if values["partner_id"] in viewer.conflicts or values["created_by_id"] == viewer.pk:
        return _("Conflict of interest"), ""
    if _is_excluded(values, viewer):
        return _("Another reviewer must decide"), ""
    is_own_approval = permissions.is_own_approval(values["first_approver_id"], values["review_state"], viewer.user)
    can_claim = values["program_key"] in viewer.programs and not is_own_approval
    button_label = _("Claim review") if can_claim else ""
    if reviewer_id is None or values["is_former_reviewer"]:
        return _("Unclaimed"), button_label
    is_mine = reviewer_id == viewer.pk
    name = _("you") if is_mine else values["reviewer_name"] or values["reviewer_email"]
    # An assignment has no end, unlike a claim, so no one else is offered the review.
    if claim_expires_at is None:
        return (_("Assigned to you"), button_label) if is_mine else (_("Assigned to %(name)s") % {"name": name}, "")
    if claim_expires_at > now:
        return _("Claimed by %(name)s until %(time)s") % {"name": name, "time": format_clock(claim_expires_at)}, ""
    if is_mine:
        return _("Assigned to you (claim expired)"), button_label
    return _("Unclaimed (claim by %(name)s expired)") % {"name": name}, button_label
