"""Automatic assignment of waiting integrations, and absences of reviewers."""

from collections import Counter
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _, ngettext

from integrations.partners import permissions
from integrations.reviews.forms.reviewers import AbsenceForm, RebalancingForm
from integrations.reviews.models import ReviewerProfile
from integrations.reviews.services import claims
from integrations.reviews.services.rebalancing import (
    MAX_ASSIGNMENTS,
    assign_reviewers,
    list_reviews_by_reviewer,
    plan_assignments,
)
from integrations.submissions.models import Integration
from portal.accounts.models import User
from portal.accounts.requests import AuthenticatedRequest
from portal.core.primary_keys import parse_pk


def rebalance(request: AuthenticatedRequest) -> HttpResponse:
    """Show the reviews of each reviewer, or the assignments that a rule plans. A POST request applies that plan."""
    if not permissions.can_write_for_programs(request.user):
        raise Http404(_("Page not found."))
    if request.method == "POST":
        return _assign(request)
    now = timezone.now()
    form = RebalancingForm(request.GET or None)
    context: dict[str, object] = {"form": form, "now": now, "plan": None, "max_reviews": MAX_ASSIGNMENTS}
    if form.is_valid():
        plan = plan_assignments(form.cleaned_data["rule"], form.cleaned_data["scope"], actor=request.user, now=now)
        changes = [each for each in plan if each.reviewer and each.integration.reviewer != each.reviewer]
        counts = Counter(str(each.reviewer) for each in changes)
        context |= {"plan": plan, "changes": changes, "counts": sorted(counts.items())}
        review_count = len(plan)
    else:
        board = list_reviews_by_reviewer(request.user, now)
        context["board"] = board
        review_count = sum(len(rows) for _reviewer, rows in board)
    context["is_truncated"] = review_count >= MAX_ASSIGNMENTS
    return render(request, "reviews/rebalance.html", context)


def _assign(request: AuthenticatedRequest) -> HttpResponse:
    plan = list(filter(None, map(_parse_assignment, request.POST.getlist("assignment")[:MAX_ASSIGNMENTS])))
    integrations = Integration.objects.visible_to(request.user).select_related("partner")
    rows = integrations.in_bulk([uuid for uuid, _pk, _previous in plan], field_name="uuid")
    reviewers = User.objects.active_reviewers().in_bulk([pk for _uuid, pk, _previous in plan])
    assignments = [
        (rows[uuid], reviewers[pk], previous) for uuid, pk, previous in plan if uuid in rows and pk in reviewers
    ]
    # The form sends the plan that the page showed, because a new plan could differ from what was approved.
    count, refusals = assign_reviewers(assignments, actor=request.user, now=timezone.now())
    for refusal in refusals:
        messages.error(request, refusal)
    text = ngettext("Assigned %(count)s review.", "Assigned %(count)s reviews.", count)
    if count or not refusals:
        messages.success(request, text % {"count": count})
    return redirect("reviews:rebalance" if request.POST.get("is_move") else "reviews:queue")


def _parse_assignment(text: str) -> tuple[UUID, int, int | None] | None:
    """Return the integration, the new reviewer, and the reviewer that the page showed, of a planned assignment."""
    try:
        uuid_text, pk_text, previous_text = text.split(":")
        uuid = UUID(uuid_text)
        pk = parse_pk(pk_text)
        previous = parse_pk(previous_text)
    except ValueError:
        return None
    # A blank previous reviewer means that the page showed none. An invalid one means nothing.
    if pk is None or (previous_text and previous is None):
        return None
    return uuid, pk, previous


def edit_absence(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Edit when a reviewer is out of office."""
    reviewer = get_object_or_404(User.objects.active_reviewers(), pk=pk)
    if not permissions.can_change_absence(reviewer, request.user):
        raise Http404(_("Page not found."))
    profile = ReviewerProfile.objects.filter(user=reviewer).first() or ReviewerProfile(user=reviewer)
    form = AbsenceForm(request.POST or request.unsent() or None, instance=profile)
    if request.method == "POST" and form.is_valid():
        claims.change_absence(reviewer, form.cleaned_data, actor=request.user)
        messages.success(request, _("Saved out-of-office dates for %(name)s.") % {"name": reviewer})
        return redirect("analytics:workload")
    context = {"form": form, "reviewer": reviewer}
    return render(request, "reviews/absence.html", context, status=422 if request.method == "POST" else 200)
