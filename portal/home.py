"""Where does a person begin? Visitors at the programs, partners at their turns, reviewers at the queue."""

from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from integrations import rules
from integrations.models import Draft, Integration, Membership
from integrations.programs import PROGRAMS
from integrations.states import Holder


@login_not_required
def home(request: HttpRequest) -> HttpResponse:
    """The first page of each kind of person."""
    if not request.user.is_authenticated:
        return render(request, "home/visitor.html", {"programs": PROGRAMS.values()})
    memberships = list(Membership.objects.filter(user=request.user, ended_at=None).select_related("partner"))
    if memberships:
        return render(request, "home/partner.html", partner_home(request.user, memberships))
    if rules.works_for_program(request.user):
        return redirect("queue")
    return redirect("company_new")


def partner_home(user: Any, memberships: list[Membership]) -> dict[str, Any]:
    """Three blocks: what you must act on, what others act on, what ended or is watched; and unsent drafts."""
    visible = Integration.objects.filter(partner__in=[m.partner for m in memberships])
    rows = list(visible.select_related("partner").order_by("turn_due_at", "turn_since")[:200])
    mine = [i for i in rows if i.is_open and i.turn_holder == Holder.PARTNER]
    theirs = [i for i in rows if i.is_open and i.turn_holder in (Holder.PROGRAM, Holder.THIRD_PARTY)]
    rest = [i for i in rows if i not in mine and i not in theirs]
    drafts = Draft.objects.filter(
        partner__in=[m.partner for m in memberships], integration=None, sent_at=None, version__gt=0
    ).select_related("saved_by", "partner")
    return {
        "memberships": memberships,
        "mine": mine,
        "theirs": theirs,
        "rest": rest,
        "drafts": list(drafts[:50]),
        "several": len(memberships) > 1,
    }
