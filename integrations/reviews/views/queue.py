"""What does a reviewer take next? The queue, claims with a lease, who should review, and a reviewer's own profile."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth import get_user_model
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path, reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.vary import vary_on_headers

from integrations.partners import permissions
from integrations.reviews.forms.queue import FILTERS, filters_of
from integrations.reviews.forms.reviewers import ProfileForm
from integrations.reviews.models import ReviewerProfile
from integrations.reviews.selectors import queue as lines
from integrations.reviews.services import claims
from integrations.submissions.models import Integration
from integrations.submissions.views.mixins import load, pressed
from portal.core.errors import NotAllowed
from portal.ui.refusals import refused


def for_program(request: HttpRequest) -> None:
    """Raises Http404 for everybody but the people of the program: for others there is no queue."""
    if not permissions.works_for_program(request.user):
        raise Http404(_("There is nothing here for you."))


def load_for_program(request: HttpRequest, uuid: UUID) -> Integration:
    for_program(request)
    return load(request, uuid)


@vary_on_headers("HX-Request")
def queue(request: HttpRequest) -> HttpResponse:
    """What waits for the program, the most pressing first."""
    for_program(request)
    now = timezone.now()
    filters, drawn = filters_of(tuple(request.GET.get(name, "")[:60] for name in FILTERS))
    asked = request.GET.get("tab", "")
    tab = asked if asked in lines.TABS else "all"
    rows = lines.chosen(filters, now)
    head = lines.head_of(rows, request.user, now)
    shown = rows.filter(lines.in_tab(tab, request.user, now))
    page, found = lines.page_of_rows(shown, head.tabs[tab], request.GET.get("page"), request.user, now)
    context = {
        "filters": drawn, "head": head, "tabs": _tabs(request, head, tab), "tab": tab, "page": page, "rows": found,
        "now": now, "is_filtered": any(filters.values()), "back": request.GET.urlencode(),
    }  # fmt: skip
    fragment = request.htmx and not request.htmx.history_restore_request  # type: ignore[attr-defined]
    return render(request, "reviews/queue.html#results" if fragment else "reviews/queue.html", context)


def _tabs(request: HttpRequest, head: lines.Head, current: str) -> list[dict[str, Any]]:
    """The tabs with their addresses; the filters stay, the page does not."""
    found = []
    for tab, word in lines.TABS.items():
        query = request.GET.copy()
        query.pop("page", None)
        query["tab"] = tab
        is_current = tab == current
        found.append({"word": _(word), "href": f"?{query.urlencode()}", "count": head.tabs[tab], "current": is_current})
    return found


@pressed("review")
def claim(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Take it for a while and open it; where somebody was faster, back to the queue with their name."""
    found = load_for_program(request, uuid)
    try:
        claims.claim(found, by=request.user, now=timezone.now())
    except NotAllowed as refusal:
        refused(request, refusal)
        return _to_queue(request)
    return redirect("review", uuid=uuid)


@pressed("review")
def keep(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Lengthen one's own lease, and say who has it now."""
    found = load_for_program(request, uuid)
    now = timezone.now()
    claims.keep_claim(found, by=request.user, now=now)
    context = {"integration": load(request, uuid), "now": now, **claim_context(found, request.user)}
    return render(request, "reviews/review_claim.html", context)


def claim_context(found: Integration, user: Any) -> dict[str, Any]:
    """What the line about the claim needs, on the page and as a fragment."""
    return {"may_decide": permissions.may_decide(found, user), "for_me": found.reviewer_id == user.pk}


@pressed("review")
def put_back(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Give it back to the queue."""
    found = load_for_program(request, uuid)
    try:
        claims.put_back(found, by=request.user, now=timezone.now())
        messages.success(request, _("%(name)s is back in the queue.") % {"name": found.name})
    except NotAllowed as refusal:
        refused(request, refusal)
    return _to_queue(request)


@pressed("review")
def assign(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Name the reviewer."""
    found = load_for_program(request, uuid)
    chosen = request.POST.get("reviewer", "")
    reviewers = get_user_model().objects.filter(is_reviewer=True, is_active=True)
    reviewer = get_object_or_404(reviewers, pk=chosen) if chosen.isdecimal() and len(chosen) < 19 else None
    try:
        if reviewer is None:
            raise NotAllowed(_("Choose a reviewer first."))
        claims.assign(found, reviewer, by=request.user, now=timezone.now())
        messages.success(
            request, _("%(reviewer)s reviews %(name)s from now on.") % {"reviewer": reviewer, "name": found.name}
        )
    except NotAllowed as refusal:
        refused(request, refusal)
    return redirect("review", uuid=uuid)


def profile(request: HttpRequest) -> HttpResponse:
    """What I review, how much of it, and when I am away."""
    if not request.user.is_reviewer:  # type: ignore[union-attr]
        raise Http404(_("Only reviewers say what they review."))
    own = ReviewerProfile.objects.filter(user=request.user).first() or ReviewerProfile(user=request.user)  # type: ignore[misc]
    unsent = request.unsent()  # type: ignore[attr-defined]
    form = ProfileForm(request.POST or unsent or None, instance=own)
    if request.method == "POST" and form.is_valid():
        claims.change_profile(request.user, form.cleaned_data, by=request.user)
        messages.success(request, _("Saved. Suggestions follow it from now on."))
        return redirect("queue")
    return render(request, "reviews/queue_profile.html", {"form": form}, status=422 if form.is_bound else 200)


def _to_queue(request: HttpRequest) -> HttpResponse:
    """The queue as it was filtered: only the query is taken along, never an address."""
    query = QueryDict(request.POST.get("back", "")[:500]).urlencode()
    return redirect(reverse("queue") + (f"?{query}" if query else ""))


urlpatterns = [
    path("queue/", queue, name="queue"),
    path("queue/profile/", profile, name="queue_profile"),
    path("integrations/<uuid:uuid>/claim/", claim, name="claim"),
    path("integrations/<uuid:uuid>/keep/", keep, name="keep_claim"),
    path("integrations/<uuid:uuid>/put-back/", put_back, name="put_back"),
    path("integrations/<uuid:uuid>/assign/", assign, name="assign"),
]
