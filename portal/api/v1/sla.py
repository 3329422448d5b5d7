"""Operations for SLA clocks, issues, label policies, and calendars."""

from functools import partial
from uuid import UUID

from django.http import HttpRequest
from django.utils import timezone
from ninja import Query

from integrations.partners import permissions, refusals
from integrations.partners.models import PartnerCalendar
from integrations.partners.services import calendars
from integrations.sla.clock_records import build_records, select_columns, serialize_record
from integrations.sla.filters import ClockFilters, parse_filters
from integrations.sla.forms.calendar import CalendarForm, build_initial_data, preview_calendar
from integrations.sla.forms.issues import ReasonForm
from integrations.sla.issue_decisions import DECISIONS, IssueDecision
from integrations.sla.issue_page import IssuePage, build_issue_page
from integrations.sla.models import LabelPolicy
from integrations.sla.selectors import policies
from integrations.sla.services import label_proposals
from integrations.sla.views import label_policy as label_pages
from integrations.sla.views.calendar import load_partner
from integrations.sla.views.issue import build_dispute_context, load_dispute, load_issue
from integrations.submissions.access import load_visible_integration, require_permission
from portal.accounts.requests import AuthenticatedRequest
from portal.api.form_data import build_form_data, clean, validate_form
from portal.api.pagination import CursorPage, Page, paginate
from portal.api.problems import ApiError
from portal.api.routing import MessageResponse, ScopedRouter
from portal.api.v1.schemas import sla as schemas
from portal.core.errors import ActionRefused
from portal.core.value_types import JsonObject

router = ScopedRouter("SLA")
READ_SCOPE = "sla:read"
WRITE_SCOPE = "sla:write"


def refuse_unknown_clock_filters(filters: ClockFilters) -> None:
    """Raise ApiError for filters that the dashboard ignores."""
    fields = [(name, f"Unknown {name}.") for name in filters.unknown_names]
    if fields:
        raise ApiError("validation-error", fields[0][1], fields=fields)


@router.get("/sla/clocks", READ_SCOPE, CursorPage[schemas.ClockOut])
def list_clocks(request: AuthenticatedRequest, params: Query[schemas.ClockFilterParams]) -> Page[JsonObject]:
    """List the committed SLA clocks that you can see, newest issue first."""
    now = timezone.now()
    filters = parse_filters(request.user, params.model_dump(exclude={"after", "limit"}))
    refuse_unknown_clock_filters(filters)
    page = paginate(request, select_columns(filters.list_matching_clocks(now)), params)
    return Page([serialize_record(record) for record in build_records(page.items, now)], page.next)


@router.get("/issues/{uuid:uuid}", READ_SCOPE, schemas.IssueOut)
def get_issue(request: AuthenticatedRequest, uuid: UUID) -> IssuePage:
    """Get an issue with both clocks and explanations of their due dates."""
    return build_issue_page(load_issue(request, uuid), request.user, timezone.now())


@router.get("/issues/{uuid:uuid}/dispute", READ_SCOPE, schemas.DisputeOut)
def get_dispute(request: AuthenticatedRequest, uuid: UUID) -> JsonObject:
    """Get the possible outcomes of a dispute with the effect of each. For reviewers."""
    issue = load_dispute(request, uuid)
    if not issue.disputed:
        raise ActionRefused("This issue has no open dispute.", "conflict")
    context = build_dispute_context(request, issue)
    if context["effect_refusal"]:
        raise ActionRefused(str(context["effect_refusal"]), "conflict")
    return {"outcomes": [effect for _, effect in context["previews"] if effect]}


def register_decision(decision: IssueDecision) -> None:
    """Register the operation of a decision or request about an issue."""

    def operation(request: AuthenticatedRequest, uuid: UUID, body: schemas.IssueDecisionIn) -> IssuePage:
        issue = load_issue(request, uuid)
        require_permission(decision.permission, issue.integration, request.user)
        reason = clean(ReasonForm(build_form_data(reason=body.reason)))["reason"]
        decision.perform(issue, reason, actor=request.user, now=timezone.now())
        return get_issue(request, uuid)

    operation.__name__ = decision.name
    operation.__doc__ = decision.texts.summary
    router.post(f"/issues/{{uuid:uuid}}/{decision.slug}", WRITE_SCOPE, schemas.IssueOut)(operation)


for issue_decision in DECISIONS:
    register_decision(issue_decision)


@router.get("/integrations/{uuid:uuid}/label-policy", READ_SCOPE, schemas.LabelPolicyOut)
def get_label_policy(request: AuthenticatedRequest, uuid: UUID) -> dict[str, list[str] | int | None]:
    """Get an integration's label policy."""
    integration = load_visible_integration(request, uuid)
    policy = policies.get_policy_in_force(integration, timezone.now())
    initial_data = label_pages.build_initial_data(policy or policies.build_default_policy())
    pending_policy = integration.label_policies.filter(state=LabelPolicy.State.PROPOSED).last()
    return {name: text.split("\n") if text else [] for name, text in initial_data.items()} | {
        "proposal": pending_policy.pk if pending_policy else None
    }


@router.post("/integrations/{uuid:uuid}/label-policy", WRITE_SCOPE, MessageResponse)
def propose_label_policy(request: AuthenticatedRequest, uuid: UUID, body: schemas.LabelPolicyIn) -> MessageResponse:
    """Propose a label policy. The current one applies until the program decides."""
    integration = load_visible_integration(request, uuid)
    require_permission(permissions.can_edit, integration, request.user)
    form_data = build_form_data(**{name: "\n".join(lines) for name, lines in body.model_dump().items()})
    account = partial(label_proposals.resolve_account, integration)
    form = validate_form(label_pages.LabelsForm(data=form_data, resolve_account=account))
    label_proposals.propose_label_policy(integration, form.policy, actor=request.user, now=timezone.now())
    return MessageResponse(
        message="Proposal sent to the program. The current label policy applies until the program decides."
    )


@router.post("/integrations/{uuid:uuid}/label-policy/decision", WRITE_SCOPE, MessageResponse)
def decide_label_policy(
    request: AuthenticatedRequest, uuid: UUID, body: schemas.LabelPolicyDecisionIn
) -> MessageResponse:
    """Accept or decline the open proposal. For reviewers."""
    integration = load_visible_integration(request, uuid)
    require_permission(permissions.can_decide, integration, request.user)
    pending_policy = integration.label_policies.filter(state=LabelPolicy.State.PROPOSED).last()
    note = clean(label_pages.LabelPolicyDecisionForm(build_form_data(note=body.note)))["note"]
    now = timezone.now()
    if pending_policy is None:
        raise ActionRefused("This proposal was already decided.", "conflict")
    label_proposals.decide_proposal(pending_policy, accept=body.accept, note=note, actor=request.user, now=now)
    message = "Label policy accepted. It applies to new issues." if body.accept else "Label policy declined."
    return MessageResponse(message=message)


@router.get("/partners/{slug:slug}/calendar", READ_SCOPE, schemas.CalendarOut)
def get_calendar(request: HttpRequest, slug: str) -> PartnerCalendar:
    """Get the calendar of a partner."""
    # Partners without a calendar have the usual one, which isn't stored.
    calendar = load_partner(request, slug).calendars.get_in_force(timezone.now())
    return calendar or PartnerCalendar(workdays=[0, 1, 2, 3, 4])


@router.post("/partners/{slug:slug}/calendar", WRITE_SCOPE, schemas.CalendarPreviewOut)
def set_calendar(request: AuthenticatedRequest, slug: str, body: schemas.CalendarIn) -> schemas.CalendarPreviewOut:
    """Set or preview the calendar of a partner. A new calendar applies to issues opened after the change."""
    partner = load_partner(request, slug)
    now = timezone.now()
    refusals.require_permission(permissions.can_edit_partner, partner, request.user)
    extra_days_text = "\n".join(f"{day} {name}" for day, name in body.extra_days.items())
    form_fields = body.model_dump(exclude={"dry_run", "extra_days"}, by_alias=True) | {"extra_days": extra_days_text}
    current_calendar = partner.calendars.get_in_force(now)
    initial = build_initial_data(current_calendar, "UTC")
    form = CalendarForm(data=build_form_data(**form_fields), initial=initial, now=now)
    validate_form(form, {"zone": "time_zone"})
    new_calendar = form.edition
    impact = preview_calendar(partner, current_calendar, new_calendar, now)
    if not body.dry_run:
        calendars.set_calendar(partner, new_calendar, actor=request.user, now=now)
    return schemas.CalendarPreviewOut(
        changed=not body.dry_run,
        summary=calendars.describe_calendar(new_calendar),
        open_clocks=impact.open_clocks,
        due_at_before=impact.due_before,
        due_at_after=impact.due_after,
    )
