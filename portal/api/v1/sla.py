"""Operations for SLA clocks, issues, label policies, and calendars."""

from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Query

from integrations.partners import permissions
from integrations.partners.services import calendars
from integrations.sla.calendar_form import CalendarForm, build_initial_data, preview_calendar
from integrations.sla.filters import parse_filters
from integrations.sla.issue_page import ClockPanel, build_issue_page
from integrations.sla.models import LabelPolicy, SlaClock
from integrations.sla.presenters import build_rows, serialize_row
from integrations.sla.services import disputes, label_proposals
from integrations.sla.views import label_policy as label_pages
from integrations.sla.views.calendar import load_partner
from integrations.sla.views.issue import ReasonForm, load_issue
from integrations.submissions.views.mixins import load_visible_integration, require_permission
from portal.accounts.requests import AuthenticatedRequest
from portal.api.problems import validate_form
from portal.api.routing import CursorPage, MessageResponse, ScopedRouter, build_form_data, paginate
from portal.api.v1.schemas.sla import (
    CalendarIn,
    CalendarOut,
    CalendarPreviewOut,
    ClockFilterParams,
    ClockOut,
    IssueDecisionIn,
    IssueOut,
    LabelPolicyDecisionIn,
    LabelPolicyIn,
    LabelPolicyOut,
    SegmentOut,
)
from portal.core.errors import ActionRefused

router = ScopedRouter("SLA")
READ_SCOPE, WRITE_SCOPE = "sla:read", "sla:write"


@router.get("/sla/clocks", READ_SCOPE, CursorPage[ClockOut])
def list_clocks(request: AuthenticatedRequest, response: HttpResponse, params: Query[ClockFilterParams]) -> object:
    """List the committed SLA clocks that you can see, newest issue first."""
    filter_values = params.model_dump(exclude={"after", "limit"})
    now = timezone.now()
    filters = parse_filters(request.user, filter_values)
    rows = filters.list_matching_clocks(now)
    return paginate(request, response, rows, params, partial(_serialize_clock, now))


def _serialize_clock(now: datetime, clock: SlaClock) -> dict[str, object]:
    row = build_rows(SlaClock.objects.filter(pk=clock.pk), now)[0]
    return serialize_row(row) | {"uuid": row.href.rstrip("/").rpartition("/")[2]}


@router.get("/issues/{uuid:uuid}", READ_SCOPE, IssueOut)
def get_issue(request: AuthenticatedRequest, uuid: UUID) -> object:
    """Get an issue with both clocks and explanations of their due dates."""
    issue = load_issue(request, uuid)
    issue_page = build_issue_page(issue, request.user, timezone.now())
    return {
        "uuid": issue.uuid,
        "name": f"{issue.watch.repository}#{issue.number}",
        "title": issue.title,
        "url": issue.url,
        "integration": issue.integration.uuid,
        "severity": str(issue_page.state.severity),
        "covered": issue_page.state.is_covered,
        "edition": issue_page.edition,
        "clocks": [_serialize_clock_detail(panel) for panel in issue_page.clocks],
        "decisions": [event.summary for event in issue_page.decisions],
        "data_up_to": issue_page.data_up_to,
    }


def _serialize_clock_detail(panel: ClockPanel) -> dict[str, object]:
    field_names = ("target_type", "is_committed", "severity", "target", "due_at", "stopped_at")
    segments = [{name: getattr(segment, name) for name in SegmentOut.model_fields} for segment in panel.lines]
    computed_fields = {"state": panel.state[0], "sentence": str(panel.sentence), "segments": segments}
    return {name: getattr(panel, name) for name in field_names} | computed_fields


ISSUE_DECISIONS: tuple[tuple[str, str, object, Callable[..., object]], ...] = (
    ("lower", "Lower the severity of an issue. For reviewers.", permissions.can_decide, disputes.lower_severity),
    (
        "let_off",
        "Exclude an issue from the SLA. For reviewers.",
        permissions.can_decide,
        disputes.exclude_issue,
    ),
    ("ask", "Request a lower severity.", permissions.can_edit, disputes.request_lower_severity),
    ("dispute", "Dispute a breach.", permissions.can_edit, disputes.dispute_breach),
    ("dismiss", "Dismiss a dispute. For reviewers.", permissions.can_decide, disputes.dismiss_dispute),
)


def register_decision(name: str, summary: str, permission: Any, decide: Callable[..., Any]) -> None:
    """Register the operation of a decision or request about an issue."""

    def operation(request: AuthenticatedRequest, uuid: UUID, body: IssueDecisionIn) -> Any:
        issue = load_issue(request, uuid)
        require_permission(permission, issue.integration, request.user)
        reason = validate_form(ReasonForm(build_form_data(reason=body.reason))).cleaned_data["reason"]
        decide(issue, reason, actor=request.user, now=timezone.now())
        return get_issue(request, uuid)

    operation.__name__, operation.__doc__ = f"issue_{name}", summary
    router.post(f"/issues/{{uuid:uuid}}/{name}", WRITE_SCOPE, IssueOut)(operation)


for row in ISSUE_DECISIONS:
    register_decision(*row)


@router.get("/integrations/{uuid:uuid}/label-policy", READ_SCOPE, LabelPolicyOut)
def get_label_policy(request: AuthenticatedRequest, uuid: UUID) -> object:
    """Get an integration's label policy."""
    integration = load_visible_integration(request, uuid)
    initial_data = label_pages.build_initial_data(
        label_proposals.build_label_map(label_proposals.get_policy_in_force(integration, timezone.now()))
    )
    pending_policy = integration.label_policies.filter(state=LabelPolicy.State.PROPOSED).last()
    return {name: text.split("\n") if text else [] for name, text in initial_data.items()} | {
        "waiting": pending_policy.pk if pending_policy else None
    }


@router.post("/integrations/{uuid:uuid}/label-policy", WRITE_SCOPE, MessageResponse)
def propose_label_policy(request: AuthenticatedRequest, uuid: UUID, body: LabelPolicyIn) -> Any:
    """Propose a label policy. The current one applies until the program decides."""
    integration = load_visible_integration(request, uuid)
    require_permission(permissions.can_edit, integration, request.user)
    form_data = build_form_data(**{name: "\n".join(lines) for name, lines in body.model_dump().items()})
    form = validate_form(
        label_pages.LabelsForm(form_data, account=partial(label_proposals.resolve_account, integration))
    )
    label_proposals.propose_label_map(integration, form.label_map, actor=request.user, now=timezone.now())
    return MessageResponse(
        message="Proposal sent to the program. The current label policy applies until the program decides."
    )


@router.post("/integrations/{uuid:uuid}/label-policy/decision", WRITE_SCOPE, MessageResponse)
def decide_label_policy(request: AuthenticatedRequest, uuid: UUID, body: LabelPolicyDecisionIn) -> Any:
    """Accept or decline the open proposal. For reviewers."""
    integration = load_visible_integration(request, uuid)
    require_permission(permissions.can_decide, integration, request.user)
    pending_policy = integration.label_policies.filter(state=LabelPolicy.State.PROPOSED).last()
    note = validate_form(label_pages.LabelPolicyDecisionForm(build_form_data(note=body.note))).cleaned_data["note"]
    if pending_policy is None:
        raise ActionRefused("This proposal was already decided.", "conflict")
    if not body.accept and not note:
        raise ActionRefused("Enter a reason. The partner can see it.")
    label_proposals.decide_proposal(
        pending_policy, accept=body.accept, note=note, actor=request.user, now=timezone.now()
    )
    return MessageResponse(
        message="Label policy accepted. It applies to new issues." if body.accept else "Label policy declined."
    )


@router.get("/partners/{slug:slug}/calendar", READ_SCOPE, CalendarOut)
def get_calendar(request: HttpRequest, slug: str) -> object:
    """Get the calendar of a partner."""
    calendar = load_partner(request, slug).calendars.in_force(timezone.now())
    field_names = ("zone", "workdays", "country", "subdivision", "extra_days")
    if calendar is None:
        return {
            "zone": "UTC",
            "workdays": [0, 1, 2, 3, 4],
            "country": "",
            "subdivision": "",
            "extra_days": {},
            "summary": "",
        }
    return {name: getattr(calendar, name) for name in field_names} | {"summary": calendars.describe_calendar(calendar)}


@router.post("/partners/{slug:slug}/calendar", WRITE_SCOPE, CalendarPreviewOut)
def set_calendar(request: AuthenticatedRequest, slug: str, body: CalendarIn) -> Any:
    """Set or preview the calendar of a partner. A new calendar applies to issues opened after the change."""
    partner, now = load_partner(request, slug), timezone.now()
    if not permissions.can_edit_partner(partner, request.user):
        raise PermissionDenied(permissions.get_refusal("can_edit"))
    extra_days_text = "\n".join(f"{day} {name}" for day, name in body.extra_days.items())
    form_fields = body.model_dump(exclude={"dry_run", "extra_days"}) | {"extra_days": extra_days_text}
    current_calendar = partner.calendars.in_force(now)
    form = validate_form(
        CalendarForm(build_form_data(**form_fields), initial=build_initial_data(current_calendar, "UTC"), now=now)
    )
    new_calendar = form.definition.build_edition(partner, now)
    impact = preview_calendar(partner, current_calendar, new_calendar, now)
    if not body.dry_run:
        calendars.set_calendar(partner, form.definition, actor=request.user, now=now)
    return {
        "changed": not body.dry_run,
        "summary": calendars.describe_calendar(new_calendar),
        "open_clocks": impact.open_clocks,
        "before": impact.before,
        "after": impact.after,
    }
