"""Home page for visitors, partners, and reviewers, and the selection of a theme."""

from datetime import datetime, timedelta

from django.contrib.auth.decorators import login_not_required
from django.core.paginator import Page
from django.db.models import Q, QuerySet
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from django.views.decorators.http import require_POST

from integrations.partners import permissions
from integrations.partners.conflicts import CurrentMembership
from integrations.programs.registry import PROGRAMS
from integrations.sla.engine.types import URGENT_STATES
from integrations.sla.models import SlaClock
from integrations.sla.presenters import ClockRow, build_rows
from integrations.sla.support_status import list_support_statuses
from integrations.submissions.models import Integration, IntegrationDraft, Introduction
from integrations.submissions.selectors.responsibility import (
    COLLEAGUES,
    ENDED,
    MINE,
    OTHERS,
    SUPPORTED,
    list_by_responsible_party,
)
from integrations.submissions.selectors.waiting import describe_responsible
from integrations.submissions.services.drafts import get_undo_start
from portal.core.value_types import TemplateContext
from portal.dashboard.context_processors import THEME_COOKIE, THEMES
from portal.ui.pagination import paginate

PAGE_SIZE, DRAFTS_PAGE_SIZE, MAX_URGENT_ISSUES = 50, 10, 5
# what the lists show, because the columns of whole rows take more time than the rest of the page
ROW_FIELDS = (
    "uuid",
    "name",
    "program_key",
    "edition_date",
    "step",
    "stage",
    "listing_status",
    "on_hold_for",
    "responsible_party",
    "responsible_since",
    "action_due_at",
    "next_action_code",
    "next_action_params",
    "next_action_target",
    "partner__name",
    "reviewer__name",
    "reviewer__email",
)
DRAFT_FIELDS = (
    "uuid",
    "integration",
    "program_key",
    "data",
    "saved_at",
    "sent_at",
    "saved_by__name",
    "saved_by__email",
)
THEME_COOKIE_AGE = timedelta(days=365)
BLOCKS = {
    MINE: ("mine", gettext_noop("Action required")),
    COLLEAGUES: ("colleagues", gettext_noop("Action required from your company")),
    OTHERS: ("others", gettext_noop("Waiting for others")),
    SUPPORTED: ("supported", gettext_noop("Supported")),
    ENDED: ("ended", gettext_noop("Ended")),
}


@login_not_required
def show_home(request: HttpRequest) -> HttpResponse:
    """Show the home page of the user."""
    if not request.user.is_authenticated:
        return render(request, "dashboard/visitor.html", {"programs": PROGRAMS.values()})
    memberships = permissions.list_current_memberships(request.user)
    if memberships:
        return render(request, "dashboard/partner.html", build_partner_context(request, memberships))
    if permissions.is_program_staff(request.user):
        return redirect("reviews:queue")
    return redirect("partners:create")


def build_partner_context(request: HttpRequest, memberships: list[CurrentMembership]) -> TemplateContext:
    """Return the integrations of the user's companies in blocks, urgent issues, introduction requests, and drafts."""
    now = timezone.now()
    partners = [membership.partner for membership in memberships]
    editable_partners = [
        membership.partner for membership in memberships if membership.role in permissions.EDITOR_ROLES
    ]
    rows = list_by_responsible_party(partners, editable_partners).only(*ROW_FIELDS)
    page = paginate(request, rows, PAGE_SIZE, by_key=True)
    add_line_details(page, now)
    is_restorable = Q(partner__in=editable_partners, sent_at__gt=get_undo_start(now))
    drafts = IntegrationDraft.objects.filter(
        Q(sent_at=None) | is_restorable, partner__in=partners, integration=None, version__gt=0
    )
    drafts = drafts.select_related("saved_by").only(*DRAFT_FIELDS).order_by("-saved_at", "-pk")
    return {
        "page": page,
        "blocks": list_blocks(page),
        "urgent_issues": list_urgent_issues(partners, now),
        "now": now,
        "introductions": list_introduction_requests(editable_partners),
        "drafts": paginate(request, drafts, DRAFTS_PAGE_SIZE, parameter="drafts"),
        "has_partner_names": len(memberships) > 1,
    }


def add_line_details(page: Page[Integration], now: datetime) -> None:
    """Add for whom a row waits, and the SLA status of a supported one."""
    monitored = [row for row in page if row.next_action_code == "none_monitored"]
    statuses = list_support_statuses(monitored, now) if monitored else {}
    for row in page:
        row.waiting_for = describe_responsible(row) if row.block == OTHERS else ""  # type: ignore[attr-defined]
        row.support_status = statuses.get(row.pk)  # type: ignore[attr-defined]


def list_blocks(page: Page[Integration]) -> list[tuple[str, str, list[Integration]]]:
    """Return the key, the heading, and the integrations of each block that is not empty."""
    rows_by_block = {block: [row for row in page if row.block == block] for block in BLOCKS}  # type: ignore[attr-defined]
    return [(key, _(heading), rows_by_block[block]) for block, (key, heading) in BLOCKS.items() if rows_by_block[block]]


def list_urgent_issues(partners: list[int], now: datetime) -> list[ClockRow]:
    """Return the overdue and at-risk issues of the partners, sorted by due date."""
    clocks = SlaClock.objects.filter(integration__partner__in=partners, is_committed=True, watch__ended_at=None)
    # not by the column alone: PostgreSQL would read all open clocks in the order of its index to find the first few
    by_due_date = Coalesce("due_at", "warn75_at")
    urgent_clocks = clocks.filter(state__in=URGENT_STATES, warn75_at__lte=now).order_by(by_due_date, "pk")
    # keys first: PostgreSQL would start parallel workers for the columns of a row, although few clocks are urgent
    keys = list(urgent_clocks.values_list("pk", flat=True)[:MAX_URGENT_ISSUES])
    return build_rows(urgent_clocks.filter(pk__in=keys), now) if keys else []


def list_introduction_requests(partners: list[int]) -> QuerySet[Introduction]:
    """Return the open introduction requests to these partners, oldest first. The page does not name the sender."""
    introductions = Introduction.objects.filter(other__partner__in=partners, state=Introduction.State.ASKED)
    rows = introductions.select_related("other").only("message", "asked_at", "other__name")
    return rows.order_by("asked_at", "pk")[:PAGE_SIZE]


@login_not_required
@require_POST
def set_theme(request: HttpRequest) -> HttpResponse:
    """Store the selected theme (light, dark, or system) in a cookie and redirect to the previous page."""
    next_url = request.POST.get("next", "/")
    if not url_has_allowed_host_and_scheme(
        next_url, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    ):
        next_url = "/"
    response = redirect(next_url)
    theme = request.POST.get("theme", "")
    if theme in THEMES:
        response.set_cookie(
            THEME_COOKIE, theme, max_age=THEME_COOKIE_AGE, samesite="Lax", secure=request.is_secure(), httponly=False
        )
    return response
