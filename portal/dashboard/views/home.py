"""Where does a person begin? Visitors at the programs, partners at their turns, reviewers at the queue."""

from datetime import datetime
from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.core.paginator import Page, Paginator
from django.db.models import Case, F, Q, QuerySet, Value, When
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext_noop

from integrations.partners import permissions
from integrations.partners.models import Membership
from integrations.programs.registry import PROGRAMS
from integrations.sla.filters import in_state
from integrations.sla.models import Clock
from integrations.sla.presenters import Row, rows_of
from integrations.submissions.models import Draft, Integration, Introduction
from integrations.submissions.workflow.states import ENDS, Holder, Stage
from portal.ui.pagination import page_of

ROWS, DRAFTS, PRESSING = 50, 10, 5
MINE, COLLEAGUES, THEIRS, REST = range(4)
HEADINGS = {
    MINE: gettext_noop("You must act"),
    COLLEAGUES: gettext_noop("Your company must act"),
    THEIRS: gettext_noop("We are acting"),
    REST: gettext_noop("Nothing to do"),
}


@login_not_required
def home(request: HttpRequest) -> HttpResponse:
    """The first page of each kind of person."""
    if not request.user.is_authenticated:
        return render(request, "dashboard/visitor.html", {"programs": PROGRAMS.values()})
    memberships = list(Membership.objects.filter(user=request.user, ended_at=None).select_related("partner"))
    if memberships:
        return render(request, "dashboard/partner.html", partner_home(request, memberships))
    if permissions.works_for_program(request.user):
        return redirect("queue")
    return redirect("company_new")


def partner_home(request: HttpRequest, memberships: list[Membership]) -> dict[str, Any]:
    """A page of everything of one's companies in blocks, what waits for the person first; issues that press, what
    others ask of them, and unsent drafts."""
    now = timezone.now()
    partners = [membership.partner for membership in memberships]
    edited = [membership.partner for membership in memberships if membership.role in permissions.EDITING]
    page = page_of(request, by_turn(partners, edited), ROWS)
    drafts = Draft.objects.filter(partner__in=partners, integration=None, sent_at=None, version__gt=0)
    return {
        "page": page,
        "blocks": [(HEADINGS[block], rows) for block in HEADINGS if (rows := [r for r in page if r.block == block])],
        "pressing": pressing(partners, now),
        "now": now,
        "introductions": asked_of(edited),
        "drafts": drafts_page(request, drafts.select_related("saved_by", "partner").order_by("-saved_at", "-pk")),
        "several": len(memberships) > 1,
    }


def pressing(partners: list[Any], now: datetime) -> list[Row]:
    """The issues of these companies that are past due or at risk of it, the soonest due first."""
    mine = Clock.objects.filter(integration__partner__in=partners, promised=True)
    found = mine.filter(in_state("breached", now) | in_state("at_risk", now)).order_by("due_at", "pk")
    return rows_of(found[:PRESSING], now, speakers=False)


def asked_of(partners: list[Any]) -> QuerySet[Introduction]:
    """Who asks to be introduced to these companies, without a name: the longest waiting first."""
    waiting = Introduction.objects.filter(other__partner__in=partners, state=Introduction.State.ASKED)
    return waiting.select_related("other").order_by("asked_at", "pk")[:ROWS]


def by_turn(partners: list[Any], edited: list[Any]) -> QuerySet[Integration]:
    """The companies' integrations: the person's to act on, then colleagues', ours and the rest; the soonest due first.

    `edited`: those of the companies for which the person may act.
    """
    is_open = ~Q(stage__in=[str(stage) for stage in ENDS])
    ours = Q(turn_holder__in=[str(Holder.PROGRAM), str(Holder.THIRD_PARTY)])
    looking = Q(turn_holder=str(Holder.MACHINE)) & ~Q(stage=str(Stage.SUPPORT))  # in support it only watches
    waits = is_open & Q(turn_holder=str(Holder.PARTNER))
    block = Case(
        When(waits & Q(partner__in=edited), then=Value(MINE)),
        When(waits, then=Value(COLLEAGUES)),
        When(is_open & (ours | looking), then=Value(THEIRS)),
        default=Value(REST),
    )
    rows = Integration.objects.filter(partner__in=partners).select_related("partner").annotate(block=block)
    due, since = F("turn_due_at").asc(nulls_last=True), F("turn_since").asc(nulls_last=True)
    return rows.order_by("block", due, since, "-pk")


def drafts_page(request: HttpRequest, drafts: QuerySet[Draft]) -> Page[Draft]:
    return Paginator(drafts, DRAFTS).get_page(request.GET.get("drafts"))
