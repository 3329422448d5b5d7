"""Home page for visitors, partners, and reviewers, and the selection of a theme."""

from datetime import datetime, timedelta

from django.contrib.auth.decorators import login_not_required
from django.core.paginator import Page
from django.db.models import Q, QuerySet
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _, gettext_noop

from integrations.partners import permissions
from integrations.partners.conflicts import CurrentMembership
from integrations.programs.registry import PROGRAMS
from integrations.sla.clock_records import ClockRecord, list_records
from integrations.sla.engine.types import URGENT_STATES
from integrations.sla.models import IS_MONITORED, SlaClock
from integrations.sla.support_status import list_support_statuses
from integrations.submissions.models import Integration, IntegrationDraft, Introduction
from integrations.submissions.models.blocks import COLLEAGUES, ENDED, MINE, NO_LONGER_LISTED, OTHERS, SUPPORTED
from integrations.submissions.selectors.responsibility import describe_responsible, list_by_responsible_party
from integrations.submissions.services.drafts import get_undo_start
from portal.core.compiled_queries import select_compiled
from portal.core.value_types import TemplateContext
from portal.dashboard.context_processors import THEME_COOKIE, THEMES
from portal.ui.pagination import paginate, paginate_compiled

PAGE_SIZE = 25
DRAFTS_PAGE_SIZE = 10
MAX_URGENT_ISSUES = 5
MAX_INTRODUCTIONS = 50
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
    "reviewer__name",
    "reviewer__email",
    *("reviewer__is_active", "reviewer__is_reviewer", "reviewer__program_roles"),
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
# not the column alone: PostgreSQL would read all open clocks in the order of its index to find the first few
BY_DUE_DATE = Coalesce("due_at", "warn75_at")
THEME_COOKIE_AGE = timedelta(days=365)
BLOCKS = {
    MINE: ("mine", gettext_noop("Action required")),
    COLLEAGUES: ("colleagues", gettext_noop("Action required from your company")),
    OTHERS: ("others", gettext_noop("Waiting for others")),
    SUPPORTED: ("supported", gettext_noop("Supported")),
    NO_LONGER_LISTED: ("no-longer-listed", gettext_noop("No longer listed")),
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
    partners = tuple(each.partner for each in memberships)
    editable_partners = tuple(each.partner for each in memberships if each.role in permissions.EDITOR_ROLES)
    page = paginate_integrations(request, partners, editable_partners)
    add_line_details(page, now)
    return {
        "page": page,
        "blocks": list_blocks(page),
        "urgent_issues": list_urgent_issues(partners, now),
        "now": now,
        "introductions": select_compiled(_list_introduction_requests, partners=editable_partners)[:MAX_INTRODUCTIONS],
        "drafts": paginate_compiled(
            request,
            _list_drafts,
            DRAFTS_PAGE_SIZE,
            parameter="drafts",
            partners=partners,
            editable_partners=editable_partners,
            undo_start=get_undo_start(now),
        ),
        "has_partner_names": len(memberships) > 1,
    }


def paginate_integrations(
    request: HttpRequest, partners: tuple[int, ...], editable_partners: tuple[int, ...]
) -> Page[Integration]:
    """Return a page of the integrations by responsible party and due date."""
    if len(partners) > 1:
        return paginate(request, _list_integrations(partners, editable_partners), PAGE_SIZE, by_key=True)
    return paginate_compiled(
        request, _list_integrations, PAGE_SIZE, partners=partners, editable_partners=editable_partners
    )


def _list_integrations(partners: tuple[int, ...], editable_partners: tuple[int, ...]) -> QuerySet[Integration]:
    rows = list_by_responsible_party(partners, editable_partners)
    if len(partners) == 1:
        return rows.select_related("reviewer").only(*ROW_FIELDS)
    return rows.select_related("reviewer", "partner").only(*ROW_FIELDS, "partner__name")


def _list_drafts(
    partners: tuple[int, ...], editable_partners: tuple[int, ...], undo_start: datetime
) -> QuerySet[IntegrationDraft]:
    """Return the drafts, and those whose deletion can be undone."""
    is_restorable = Q(partner__in=editable_partners, sent_at__gt=undo_start)
    drafts = IntegrationDraft.objects.filter(
        Q(sent_at=None) | is_restorable, partner__in=partners, integration=None, version__gt=0
    )
    return drafts.select_related("saved_by").only(*DRAFT_FIELDS).order_by("-saved_at", "-pk")


def add_line_details(page: Page[Integration], now: datetime) -> None:
    """Add for whom a row waits and the SLA status of a supported one."""
    statuses = list_support_statuses(page, now)
    for row in page:
        row.waiting_for = describe_responsible(row) if row.block == OTHERS else ""
        row.support_status = statuses.get(row.pk)


def list_blocks(page: Page[Integration]) -> list[tuple[str, str, list[Integration]]]:
    """Return the key, the heading, and the integrations of each block that is not empty."""
    rows_by_block = {block: [row for row in page if row.block == block] for block in BLOCKS}
    return [(key, _(heading), rows_by_block[block]) for block, (key, heading) in BLOCKS.items() if rows_by_block[block]]


def list_urgent_issues(partners: tuple[int, ...], now: datetime) -> list[ClockRecord]:
    """Return the overdue and at-risk issues of the partners, sorted by due date."""
    # keys first: PostgreSQL would start parallel workers for the columns of a row, although few clocks are urgent
    keys = list(select_compiled(_list_urgent_clocks, partners=partners, now=now)[:MAX_URGENT_ISSUES])
    return list_records(SlaClock.objects.filter(pk__in=keys).order_by(BY_DUE_DATE, "pk"), now) if keys else []


def _list_urgent_clocks(partners: tuple[int, ...], now: datetime) -> QuerySet[SlaClock, int]:
    """Return the keys of the overdue and at-risk clocks."""
    clocks = SlaClock.objects.filter(IS_MONITORED, integration__partner__in=partners, is_committed=True)
    urgent_clocks = clocks.filter(state__in=URGENT_STATES, warn75_at__lte=now)
    return urgent_clocks.order_by(BY_DUE_DATE, "pk").values_list("pk", flat=True)


def _list_introduction_requests(partners: tuple[int, ...]) -> QuerySet[Introduction]:
    """Return the open introduction requests to these partners, oldest first. The page does not name the sender."""
    introductions = Introduction.objects.filter(recipient__partner__in=partners, state=Introduction.State.ASKED)
    introductions = introductions.select_related("recipient").only("message", "asked_at", "recipient__name")
    return introductions.order_by("asked_at", "pk")


@login_not_required
def set_theme(request: HttpRequest) -> HttpResponse:
    """Store the selected theme (light, dark, or system) in a cookie and redirect to the previous page."""
    next_url = request.POST.get("next", "/")  # a reload of the address is a GET request
    if not url_has_allowed_host_and_scheme(next_url, {request.get_host()}, request.is_secure()):
        next_url = "/"
    response = HttpResponseRedirect(next_url)
    theme = request.POST.get("theme", "")
    if theme in THEMES:
        response.set_cookie(
            THEME_COOKIE, theme, max_age=THEME_COOKIE_AGE, samesite="Lax", secure=request.is_secure(), httponly=False
        )
    return response
