"""Review page with findings, messages, the read marker, and who else is there."""

from uuid import UUID

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db.models import BigIntegerField, F, FilteredRelation, Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django_htmx.http import retarget

from integrations.partners import permissions
from integrations.reviews.evidence import load_review_evidence
from integrations.reviews.finding_templates import list_templates
from integrations.reviews.presence import VIEWING, WRITING, end_writing, list_present, note_presence
from integrations.reviews.presenters import (
    build_next_action_context,
    can_raise_finding,
    explain_decision_refusal,
    filter_relevant_actions,
    get_first_approval_event,
    get_undoable_decision,
)
from integrations.reviews.views.conflicts import build_conflict_context
from integrations.reviews.views.queue import build_claim_context
from integrations.submissions.access import (
    load_integration_for_program,
    load_visible_integration,
    redirect_get_to,
    require_permission,
    require_program_staff,
    select_integration,
)
from integrations.submissions.forms.findings import FindingAnswerForm, FindingForm, MessageForm
from integrations.submissions.models import EvidenceSnapshot, Finding, Integration, ReadMarker
from integrations.submissions.presenters import list_path_steps
from integrations.submissions.selectors.people import list_hinted_handles, list_participants
from integrations.submissions.selectors.recent_changes import load_review_events
from integrations.submissions.services import findings as finding_services
from integrations.submissions.services.transitions import list_available_transitions
from integrations.submissions.views.texts import build_text_context, is_submitted, report_mentions
from integrations.submissions.views.workspace import render_workspace
from integrations.submissions.workflow.states import ReviewState
from portal.accounts.models import User
from portal.accounts.requests import AuthenticatedRequest
from portal.core.compiled_queries import CompiledQuery, Parameter
from portal.ui.refusals import add_refusals_to_form

MAX_CONTACTS = 3


def _select_review() -> QuerySet[Integration]:
    is_own = Q(read_markers__user=Parameter("reader", BigIntegerField()))
    rows = select_integration().annotate(marker=FilteredRelation("read_markers", condition=is_own))
    return rows.annotate(marker_seq=F("marker__seq"), marker_at=F("marker__at"))


REVIEW = CompiledQuery(_select_review)


def _get_read_marker(integration: Integration, request: AuthenticatedRequest) -> ReadMarker | None:
    """Return the reader's marker, or None before the first visit."""
    seq = integration.marker_seq
    at = integration.marker_at
    return None if at is None else ReadMarker(integration=integration, user=request.user, seq=seq, at=at)


def _get_previous_snapshot(integration: Integration) -> EvidenceSnapshot | None:
    """Return what the reviewer saw last in an earlier round, or None. The first review takes no query."""
    # While the partner makes changes, the current round is the last one that the reviewer saw.
    is_waiting = integration.review_state == ReviewState.WAITING
    last_round = integration.review_round - is_waiting
    snapshots = EvidenceSnapshot.objects.filter(integration=integration, round__lte=last_round)
    return snapshots.order_by("-round").first() if last_round else None


def show_review(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Show the review page. Members of the integration's partner see the partner's page instead."""
    require_program_staff(request)
    integration = load_visible_integration(request, uuid, REVIEW, reader=request.user.pk)
    # The page shows internal notes, which members of the company never see, even if they are staff.
    if permissions.get_role(integration.partner, request.user):
        messages.info(request, explain_decision_refusal(integration, request.user))
        return redirect("submissions:detail", uuid)
    context = build_review_context(request, integration, only_different=request.GET.get("show") == "changed")
    return render(request, "reviews/review.html", context | _build_decided_context(request))


def _build_decided_context(request: AuthenticatedRequest) -> dict[str, object]:
    """Return the decision after which this page opened, with its integration, while it can be undone."""
    try:
        decided = Integration.objects.visible_to(request.user).get(uuid=request.GET["decided"])
    # The parameter can contain anything, such as the UUID of a hidden integration.
    except (KeyError, ValidationError, Integration.DoesNotExist):
        return {}
    undo = get_undoable_decision(decided, request.user, timezone.now())
    if undo and undo["result"]:
        # The rest of the page is about another integration.
        undo["summary"] = _("%(result)s: %(name)s") % {"result": undo["result"], "name": decided.name}
    return {"decided": decided, "decided_undo": undo}


def _build_finding_context(integration: Integration, user: User) -> dict[str, object]:
    can_raise = can_raise_finding(integration, user)
    return {
        "findings": integration.all_findings,
        "resolved_count": sum(finding.state == Finding.State.RESOLVED for finding in integration.all_findings),
        "can_raise_finding": can_raise,
        "finding_url": reverse("reviews:raise_finding", args=[integration.uuid]) if can_raise else "",
    }


def build_review_context(
    request: AuthenticatedRequest, integration: Integration, *, only_different: bool = False
) -> dict[str, object]:
    """Return the context of the review page, including internal notes, for program staff only."""
    now = timezone.now()
    user = request.user
    read_marker = _get_read_marker(integration, request)
    changes, thread = load_review_events(integration, read_marker)
    snapshot = _get_previous_snapshot(integration)
    sections, comparison = load_review_evidence(integration, snapshot, now, only_different=only_different)
    participants = list_participants(integration)
    return {
        "integration": integration,
        "edition": integration.edition,
        "program": integration.program,
        "path": list_path_steps(integration),
        "sections": sections,
        "comparison": comparison,
        "only_different": only_different,
        "read_marker": read_marker,
        "changes": changes,
        "handles": list_hinted_handles(integration, participants, user),
        "thread": thread,
        "actions": filter_relevant_actions(integration, list_available_transitions(integration, user, now=now)),
        "templates": list_templates(integration),
        "can_assign": permissions.can_assign_reviewer(integration, user) and integration.is_open,
        "first_approval_event": get_first_approval_event(integration),
        "undo": get_undoable_decision(integration, user, now),
        "decision_refusal": explain_decision_refusal(integration, user),
        **_build_finding_context(integration, user),
        "can_act": integration.is_open and permissions.can_decide(integration, user),
        "can_write_note": permissions.can_write_note(integration, user),
        "now": now,
        **build_claim_context(integration, user),
        "contacts": [person.user for person in participants if person.is_acting_member][:MAX_CONTACTS],
        **build_conflict_context(integration, user),
        # Without scripts, each load of the page counts as viewing.
        "present": list_present(integration, user, note_presence(integration, user)),
        **build_next_action_context(integration, now),
    }


@redirect_get_to("reviews:review")
def show_presence(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Note that the user views the review, or types, and render who else does."""
    integration = load_integration_for_program(request, uuid)
    note_presence(integration, request.user, WRITING if request.POST.get("writing") else VIEWING)
    context = {"integration": integration, "present": list_present(integration, request.user)}
    return render(request, "reviews/review_presence.html", context)


@redirect_get_to("reviews:review")
def mark_read(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Mark all changes until now as read."""
    integration = load_integration_for_program(request, uuid)
    finding_services.update_read_marker(integration, actor=request.user, now=timezone.now())
    return redirect("reviews:review", uuid=uuid)


def raise_finding(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Add a finding to a requirement."""
    integration = load_integration_for_program(request, uuid)
    require_permission(permissions.can_decide, integration, request.user)
    data = _get_form_data(request)
    requirement = integration.edition.get_requirement((data or request.GET).get("requirement", ""))
    if requirement is None:
        raise Http404(_("Requirement not found in this edition."))
    form = FindingForm(data, auto_id=f"{requirement.id}-%s")
    if is_submitted(request) and form.is_valid():
        with add_refusals_to_form(form):
            text = form.cleaned_data["text"]
            severity = form.cleaned_data["severity"]
            finding = finding_services.raise_finding(
                integration, requirement.id, text, severity=severity, actor=request.user, now=timezone.now()
            )
            report_mentions(request, integration, text, internal=True)
            end_writing(integration, request.user)
            return redirect(f"{reverse('reviews:review', args=[uuid])}#finding-{finding.number}")
    context = {"integration": integration, "form": form, "requirement": requirement}
    context |= build_text_context(request, integration, internal=True)
    return render(request, "submissions/finding_new.html", context, status=_get_status_code(request))


def load_finding(request: AuthenticatedRequest, pk: int) -> Finding:
    """Return a finding that the user can see. Raises Http404, also for findings not yet sent to the partner."""
    visible = Integration.objects.visible_to(request.user)
    findings = Finding.objects.select_related("integration__partner", "raised_by")
    finding = get_object_or_404(findings, pk=pk, integration__in=visible)
    if not permissions.can_view_notes(finding.integration, request.user) and not finding.is_visible_to_partner:
        raise Http404(_("Finding not found."))
    return finding


def answer_finding(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Save the partner's response to a finding."""
    finding = load_finding(request, pk)
    require_permission(permissions.can_edit, finding.integration, request.user)
    integration = finding.integration
    # The same IDs as on the page of the integration, where htmx keeps fields that the user is filling in.
    form = FindingAnswerForm(_get_form_data(request), auto_id=f"%s-{finding.number}")
    if is_submitted(request) and form.is_valid():
        with add_refusals_to_form(form):
            finding_services.answer_finding(finding, **form.cleaned_data, actor=request.user, now=timezone.now())
            messages.success(request, _("You responded to finding %(number)s.") % {"number": finding.number})
            report_mentions(request, integration, form.cleaned_data["answer"])
            if request.htmx:
                return render_workspace(request, load_visible_integration(request, integration.uuid))
            return redirect(f"{reverse('submissions:detail', args=[integration.uuid])}#finding-{finding.number}")
    requirement = integration.edition.get_requirement(finding.requirement_id)
    context = {"integration": integration, "finding": finding, "form": form, "requirement": requirement}
    context |= build_text_context(request, integration)
    if request.htmx:
        refused_form = render(request, "submissions/partials/finding_answer.html", context, status=422)
        return retarget(refused_form, f"#finding-{finding.number} form[hx-post]")
    return render(request, "submissions/finding_fix.html", context, status=_get_status_code(request))


def post_message(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Send a message to the other side, or save an internal note."""
    integration = load_visible_integration(request, uuid)
    require_permission(permissions.can_post_message, integration, request.user)
    for_program = permissions.can_view_notes(integration, request.user)
    form = MessageForm(
        data=_get_form_data(request), can_write_note=permissions.can_write_note(integration, request.user)
    )
    if is_submitted(request) and form.is_valid():
        body = form.cleaned_data["body"]
        is_internal = form.cleaned_data.get("internal", False)
        with add_refusals_to_form(form):
            finding_services.post_message(
                integration, body, actor=request.user, now=timezone.now(), is_internal=is_internal
            )
            report_mentions(request, integration, body, internal=is_internal)
            return redirect(f"{reverse('reviews:review' if for_program else 'submissions:detail', args=[uuid])}#thread")
    context = {"integration": integration, "form": form, "for_program": for_program}
    context |= build_text_context(request, integration)
    return render(request, "reviews/review_message.html", context, status=_get_status_code(request))


def _get_form_data(request: AuthenticatedRequest) -> QueryDict | None:
    """Return the submitted data, or the data saved before a sign-in interrupted the submission."""
    return request.POST if request.method == "POST" else request.unsent()


def _get_status_code(request: HttpRequest) -> int:
    return 422 if is_submitted(request) else 200
