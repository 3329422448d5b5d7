"""Review queue, claims, reviewer assignment, and reviewer profiles."""

from collections.abc import Mapping
from datetime import datetime
from hashlib import sha256
from time import time
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotModified, QueryDict
from django.middleware.csrf import get_token
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language, gettext as _, gettext_lazy, gettext_noop
from django.views.decorators.vary import vary_on_headers

from integrations.partners import permissions
from integrations.reviews.assignment import suggest_reviewers
from integrations.reviews.forms.queue import FILTER_FIELDS, parse_filters, parse_position, render_bulk_controls
from integrations.reviews.forms.reviewers import ReviewerProfileForm
from integrations.reviews.models import ReviewerProfile
from integrations.reviews.selectors import queue_items
from integrations.reviews.selectors.queue import LAST_EVENT_ID, TAB_LABELS
from integrations.reviews.selectors.queue_kinds import KINDS
from integrations.reviews.selectors.queue_rows import build_page, describe_snoozes
from integrations.reviews.services import claims
from integrations.submissions.access import (
    load_integration_for_program,
    load_visible_integration,
    redirect_get_to,
    require_permission,
    require_program_staff,
)
from integrations.submissions.models import Integration
from integrations.submissions.workflow.compliance_guards import is_excluded_from_decision
from portal.accounts.models import User
from portal.accounts.requests import AuthenticatedRequest
from portal.core.errors import ActionRefused
from portal.core.primary_keys import parse_pk
from portal.ui.components.markup import render as render_component
from portal.ui.components.moments import format_span
from portal.ui.htmx import is_fragment_request
from portal.ui.refusals import raise_if_forbidden, report_refusals

SELECTION_KEY = "queue_selection"
REFUSED_INPUTS_KEY = "queue_refused_inputs"
COLUMN_LABELS = {
    "name": gettext_lazy("Item"),
    "kind": gettext_lazy("Type"),
    "program": gettext_lazy("Program and step"),
    "checks": gettext_lazy("Checks"),
    "reviewer": gettext_lazy("Reviewer"),
    "age": gettext_lazy("Age"),
    "due": gettext_lazy("Due date"),
}


@vary_on_headers("HX-Request")
def show_queue(request: AuthenticatedRequest) -> HttpResponse:
    """Show the items that wait for the program, most urgent first. Polling without changes returns 304."""
    require_program_staff(request)
    is_fragment = is_fragment_request(request)
    last_event_id = LAST_EVENT_ID.fetch()
    etag = _build_etag(request, last_event_id)
    shown_etag = request.headers.get("If-None-Match")
    if is_fragment and shown_etag == etag:
        return HttpResponseNotModified()
    # The filters are outside the fragment, and a poll doesn't change them.
    context = {"etag": etag, "has_new_filters": is_fragment and not shown_etag}
    context |= _build_queue_context(request, timezone.now(), last_event_id)
    return render(request, "reviews/queue.html#results" if is_fragment else "reviews/queue.html", context)


def _build_etag(request: AuthenticatedRequest, last_event_id: object) -> str:
    """Return a tag that changes with every event, and every five minutes because claims and due dates pass."""
    parts = (last_event_id, request.user.pk, request.GET.urlencode(), get_language(), int(time() // 300))
    return f'W/"{sha256(repr(parts).encode()).hexdigest()[:20]}"'


def _build_queue_context(request: AuthenticatedRequest, now: datetime, last_event_id: object) -> dict[str, object]:
    filters = parse_filters(tuple(request.GET.get(name, "")[:60] for name in FILTER_FIELDS))
    kind, tab, sort = parse_position(request.GET)
    summary = queue_items.summarize_queue(filters.values, request.user, now, last_event_id)
    items = queue_items.list_page_items(summary, kind, tab, request.user, now, sort, "changes")
    oldest = summary.get_oldest(kind)
    page, page_rows = build_page(items, summary.count(kind, tab), request.GET.get("page"), request.user, now)
    is_snoozed = tab == "snoozed"
    if is_snoozed:
        describe_snoozes(page_rows, now)
    return {
        "filters": filters,
        "oldest": format_span((now - oldest).total_seconds()) if oldest else "",
        "figures": {name: summary.count(kind, name) for name in ("overdue", "today", "all")},
        "tabs": _build_links(request, "tab", {name: summary.count(kind, name) for name in TAB_LABELS}, TAB_LABELS, tab),
        "kinds": _build_kind_links(request, summary, kind, tab),
        "kind": kind,
        "tab": tab,
        "columns": _build_columns(request, sort),
        "sort": sort,
        "page": page,
        "rows": page_rows,
        # Once: the selection survives the action, but not the next visit.
        "selected": request.session.pop(SELECTION_KEY, ()),
        # Called by the page, not by its fragment.
        "bulk_controls": lambda: render_bulk_controls(
            request.session.pop(REFUSED_INPUTS_KEY, None), is_snoozed=is_snoozed
        ),
        "now": now,
        "clear_url": f"{reverse('reviews:queue')}?tab={tab}",
        "is_filtered": any(filters.values.values()) or bool(kind),
        "queue_query": request.GET.urlencode(),
    }


def _build_href(request: HttpRequest, parameter: str) -> str:
    """Return the start of URLs that retain the filters but not the page, up to the value of a parameter."""
    query = request.GET.copy()
    for name in ("page", parameter):
        query.pop(name, None)
    return f"?{query.urlencode()}&{parameter}=" if query else f"?{parameter}="


def _build_columns(request: HttpRequest, sort: str) -> list[dict[str, object]]:
    """Return the headings of the table, with the URL and the current direction of sortable columns."""
    href = _build_href(request, "sort")
    columns: list[dict[str, object]] = []
    for name, label in COLUMN_LABELS.items():
        if name not in queue_items.SORT_COLUMNS:
            columns.append({"label": label})
            continue
        direction = {name: "ascending", f"-{name}": "descending"}.get(sort, "")
        value = f"-{name}" if sort == name else name
        columns.append({"label": label, "href": f"{href}{value}", "direction": direction})
    return columns


def _build_links(
    request: HttpRequest, parameter: str, counts: dict[str, int], labels: Mapping[str, str], current: str
) -> list[dict[str, object]]:
    """Return tabs that set a parameter."""
    href = _build_href(request, parameter)
    return [
        {"label": _(labels[value]), "href": f"{href}{value}", "count": count, "current": value == current}
        for value, count in counts.items()
    ]


def _build_kind_links(
    request: HttpRequest, summary: queue_items.QueueSummary, current: str, tab: str
) -> list[dict[str, object]]:
    """Return the kinds that the user can see, with their counts in the current tab."""
    labels = {"": gettext_noop("All types"), **{key: kind.label for key, kind in KINDS.items()}}
    counts = {key: summary.count(key, tab) for key in ("", *summary.counts)}
    return _build_links(request, "kind", counts, labels, current) if len(summary.counts) > 1 else []


@redirect_get_to("reviews:review")
def claim_review(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Claim a review and open it; return to the queue with an error if someone else claimed it."""
    integration = load_integration_for_program(request, uuid)
    with report_refusals(request):
        claims.claim_review(integration, actor=request.user, now=timezone.now())
        return redirect("reviews:review", uuid=uuid)
    return redirect_to_queue(request)


@redirect_get_to("reviews:review")
def renew_claim(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Renew the user's claim and render the claim status."""
    integration = load_integration_for_program(request, uuid)
    now = timezone.now()
    claims.renew_claim(integration, actor=request.user, now=now)
    integration = load_visible_integration(request, uuid)
    context = build_claim_context(integration, request.user)
    context |= {"integration": integration, "csrf_token": get_token(request), "now": now}
    return HttpResponse(render_component("reviews/review_claim.html", context))


def build_claim_context(integration: Integration, user: User) -> dict[str, object]:
    """Return the context of the claim status, for the page and the fragment."""
    is_excluded = is_excluded_from_decision(integration, user.pk)
    reviewer = integration.reviewer
    return {
        # As in the queue, a review of someone who lost the program is unclaimed.
        "reviewer": reviewer if permissions.can_review_program(integration.program_key, reviewer) else None,
        "can_decide": permissions.can_decide(integration, user),
        "can_claim": permissions.can_review_now(integration, user) and not is_excluded,
        "for_me": integration.reviewer_id == user.pk,
        "is_excluded": is_excluded,
    }


@redirect_get_to("reviews:review")
def release_claim(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Release the user's claim."""
    integration = load_integration_for_program(request, uuid)
    with report_refusals(request, _("You released the claim on %(name)s.") % {"name": integration.name}):
        claims.release_claim(integration, actor=request.user, now=timezone.now())
    return redirect_to_queue(request)


def assign_reviewer(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Show the suggested reviewers, and assign the selected one."""
    integration = load_integration_for_program(request, uuid)
    require_permission(permissions.can_assign_reviewer, integration, request.user)
    if request.method != "POST":
        return _render_assignment(request, integration)
    reviewer_pk = parse_pk(request.POST.get("reviewer", ""))
    reviewers = User.objects.active_reviewers()
    reviewer = get_object_or_404(reviewers, pk=reviewer_pk) if reviewer_pk is not None else None
    try:
        if reviewer is None:
            raise ActionRefused(_("Select a reviewer."), "validation-error")
        claims.assign_reviewer(integration, reviewer, actor=request.user, now=timezone.now())
    except ActionRefused as refusal:
        raise_if_forbidden(refusal)
        return _render_assignment(request, integration, str(refusal))
    values = {"reviewer": reviewer, "name": integration.name}
    messages.success(request, _("Assigned %(name)s to %(reviewer)s.") % values)
    return redirect("reviews:review", uuid=uuid)


def _render_assignment(request: AuthenticatedRequest, integration: Integration, refusal: str = "") -> HttpResponse:
    suggestions = suggest_reviewers(integration, timezone.now())
    context = {"integration": integration, "suggestions": suggestions, "refusal": refusal}
    return render(request, "reviews/assign_reviewer.html", context, status=422 if refusal else 200)


def edit_profile(request: AuthenticatedRequest) -> HttpResponse:
    """Edit the user's reviewer profile."""
    if not request.user.is_reviewer:
        raise Http404(_("Only reviewers have a reviewer profile."))
    reviewer_profile = ReviewerProfile.objects.filter(user=request.user).first() or ReviewerProfile(user=request.user)
    form = ReviewerProfileForm(request.POST or request.unsent() or None, instance=reviewer_profile)
    if request.method == "POST" and form.is_valid():
        claims.change_profile(request.user, form.cleaned_data, actor=request.user)
        messages.success(request, _("Profile saved."))
        return redirect("reviews:queue")
    status = 422 if request.method == "POST" else 200
    return render(request, "reviews/queue_profile.html", {"form": form}, status=status)


def redirect_to_queue(request: HttpRequest) -> HttpResponse:
    """Redirect to the queue with its filters. Only the query is taken from the request, never a URL."""
    # A URL from the form could lead to another site.
    query = QueryDict(request.POST.get("queue_query", "")[:500]).urlencode()
    return redirect(reverse("reviews:queue") + (f"?{query}" if query else ""))
