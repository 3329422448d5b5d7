"""Partner pages for program staff: list, decisions of reviewers, and merges by staff with a preview of what moves."""

from collections.abc import Callable
from dataclasses import dataclass

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet, SlugField
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _, gettext_lazy

from integrations.partners import permissions, refusals, selectors as partner_selectors
from integrations.partners.models import Membership, Partner, VerificationState
from integrations.partners.services import members, profiles, verification
from integrations.programs.stages import Stage
from integrations.reviews.forms.filters import PartnerFilterForm
from integrations.reviews.forms.partners import (
    AlliancesManagerForm,
    MergeNoteForm,
    MergeTargetForm,
    OwnerForm,
    PartnerDecisionForm,
)
from integrations.reviews.selectors.filtered_lists import count_integrations, filter_partners
from integrations.submissions.access import require_program_staff
from integrations.submissions.models import Integration
from integrations.submissions.services import creation, partner_merges
from portal.accounts.reauthentication import require_recent_authentication
from portal.accounts.requests import AuthenticatedRequest
from portal.core.compiled_queries import CompiledQuery, Parameter
from portal.core.value_types import TemplateContext
from portal.ui.pagination import paginate, paginate_compiled, redirect_to_list
from portal.ui.refusals import add_refusals_to_form, render_action_form, report_refusals

MAX_RECENT_EVENTS = 20
PAGE_SIZE = 20  # of the lists on a partner's page
COMPANY_COLUMNS = (
    *("name", "slug", "domain", "verification_state"),
    *("alliances_manager", "alliances_manager__name", "alliances_manager__email"),
)
INTEGRATION_COLUMNS = (
    *("uuid", "name", "partner", "repository", "created_at"),
    *("program_key", "edition_date", "step", "stage"),
    *("next_action_code", "next_action_params", "action_due_at"),
    *("responsible_party", "responsible_since"),
)


@dataclass(frozen=True, slots=True)
class PartnerDecision:
    """Decision on a company: its label, and the states in which it is possible."""

    label: str | Promise
    decide: Callable[..., None]
    states: tuple[VerificationState, ...]


UNVERIFIED = VerificationState.UNVERIFIED
VERIFIED = VerificationState.VERIFIED
NEEDS_DECISION = VerificationState.NEEDS_DECISION
REJECTED = VerificationState.REJECTED
DECISIONS = {
    "verify": PartnerDecision(gettext_lazy("Verify partner"), verification.verify_by_decision, (UNVERIFIED,)),
    "approve": PartnerDecision(gettext_lazy("Approve name"), profiles.approve_partner, (NEEDS_DECISION, REJECTED)),
    "reject": PartnerDecision(
        gettext_lazy("Reject partner"), profiles.reject_partner, (UNVERIFIED, VERIFIED, NEEDS_DECISION)
    ),
}


def build_decisions(partner: Partner) -> list[tuple[str, PartnerDecision, PartnerDecisionForm]]:
    """Return the possible decisions with their forms."""
    return [
        (key, decision, PartnerDecisionForm(initial={"name": partner.name}, auto_id=f"{key}-%s"))
        for key, decision in DECISIONS.items()
        if partner.verification_state in decision.states
    ]


def list_partners(request: HttpRequest) -> HttpResponse:
    """List all partners with counts of their integrations, with filters."""
    require_program_staff(request)
    form = PartnerFilterForm(data=request.GET)
    form.is_valid()
    page = paginate(request, filter_partners(form.cleaned_data).only(*COMPANY_COLUMNS))
    context = {"form": form, "page": page, "is_filtered": any(form.cleaned_data.values())}
    return render(request, "reviews/partners.html", context)


PARTNER = CompiledQuery(
    lambda: (
        Partner.objects.filter(slug=Parameter("slug", SlugField()))
        .select_related("alliances_manager")
        .annotate(integration_count=count_integrations(Q()), supported_count=count_integrations(Q(stage=Stage.SUPPORT)))
    )
)


def _list_integrations(partner: int) -> QuerySet[Integration]:
    return Integration.objects.filter(partner=partner).order_by("-created_at", "-pk").only(*INTEGRATION_COLUMNS)


def _list_members(partner: int) -> QuerySet[Membership]:
    members = Membership.objects.filter(partner=partner, ended_at=None).select_related("user")
    return members.order_by("joined_at", "pk").only("role", "user", "user__name", "user__email", "user__is_active")


def show_partner(request: AuthenticatedRequest, slug: str) -> HttpResponse:
    """Show a partner to program staff and save its alliances manager."""
    require_program_staff(request)
    rows = PARTNER.fetch(slug=slug)
    if not rows:
        raise Http404(_("Page not found."))
    # Read once for the panel and for the comparison of the identity.
    partner = rows[0]
    verifications = partner_selectors.list_verifications(rows[0])
    form_data = request.POST if request.method == "POST" else request.unsent()
    form = AlliancesManagerForm(form_data, initial={"manager": partner.alliances_manager})
    if request.method == "POST" and form.is_valid():
        manager = form.cleaned_data["manager"]
        message = _("%(manager)s is now the alliances manager of %(name)s.")
        if manager is None:
            message = _("%(name)s now uses the program mailbox.")
        with report_refusals(request, message % {"manager": manager, "name": partner.name}):
            creation.assign_manager(partner, manager, actor=request.user, now=timezone.now())
        return redirect_to_list(request, "reviews:partner", slug)
    count = partner.integration_count
    member_page = paginate_compiled(request, _list_members, PAGE_SIZE, parameter="members", partner=partner.pk)
    context = {
        "partner": partner,
        "form": form,
        "can_decide": permissions.can_decide_on_partner(partner, request.user),
        "can_appoint_owner": permissions.can_appoint_owner(partner, request.user),
        "decisions": build_decisions(partner),
        "is_unconfirmed": partner_selectors.is_unconfirmed(partner, timezone.now()),
        "state_reason": partner_selectors.get_state_reason(partner),
        "verifications": verifications,
        "member_page": member_page,
        "has_owner": partner_selectors.has_active_owner(partner, member_page),
        "owner_form": OwnerForm(auto_id="owner-%s"),
        "page": paginate_compiled(request, _list_integrations, PAGE_SIZE, count=count, partner=partner.pk),
        "events": partner_selectors.get_history(partner, with_people=False)[:MAX_RECENT_EVENTS],
    }
    return render(request, "reviews/partner.html", context, status=422 if request.method == "POST" else 200)


def decide_on_partner(request: AuthenticatedRequest, slug: str) -> HttpResponse:
    """Decide on a company with a reason. After a sign-in, show the reason with a button that sends it."""
    require_program_staff(request)
    partner = get_object_or_404(Partner, slug=slug)
    values = request.POST if request.method == "POST" else request.unsent() or QueryDict()
    form = PartnerDecisionForm(values)
    decision = DECISIONS.get(values.get("action", ""))
    if decision is None:
        return redirect("reviews:partner", slug)
    if request.method == "POST" and form.is_valid():
        with add_refusals_to_form(form):
            decision.decide(partner, **form.cleaned_data, actor=request.user, now=timezone.now())
            messages.success(request, _("Decision recorded. We notify the owners by email."))
            return redirect("reviews:partner", slug)
    cancel_url = reverse("reviews:partner", args=[slug])
    return render_action_form(request, form, values, label=decision.label, cancel_url=cancel_url)


def appoint_owner(request: AuthenticatedRequest, slug: str) -> HttpResponse:
    """Make an account an owner of a company. After a sign-in, show the form again."""
    require_program_staff(request)
    partner = get_object_or_404(Partner, slug=slug, merged_into=None)
    values = request.POST if request.method == "POST" else request.unsent()
    if values is None:
        return redirect("reviews:partner", slug)
    # Before the form, which says whether an address has an account.
    if not permissions.can_appoint_owner(partner, request.user):
        raise PermissionDenied(refusals.get_refusal("can_appoint_owner"))
    form = OwnerForm(values)
    if request.method == "POST" and form.is_valid():
        # A stolen session must not be able to take over a company.
        require_recent_authentication(request)
        with add_refusals_to_form(form):
            owner = form.cleaned_data["user"]
            members.appoint_owner(partner, owner, actor=request.user, now=timezone.now())
            messages.success(request, _("%(user)s is now an owner.") % {"user": owner})
            return redirect("reviews:partner", slug)
    cancel_url = reverse("reviews:partner", args=[slug])
    return render_action_form(request, form, values, label=_("Appoint owner"), cancel_url=cancel_url)


def merge_partner(request: AuthenticatedRequest, slug: str) -> HttpResponse:
    """Show what a merge moves, or merge the company into another one."""
    require_program_staff(request)
    source = get_object_or_404(Partner, slug=slug, merged_into=None)
    form = MergeTargetForm(request.GET or None)
    form_data = request.POST if request.method == "POST" else request.unsent()
    note_form = MergeNoteForm(source.name, data=form_data)
    context: TemplateContext = {"partner": source, "form": form, "note_form": note_form}
    if form.is_valid():
        target: Partner = form.cleaned_data["into"]
        if request.method == "POST" and note_form.is_valid():
            note = note_form.cleaned_data["note"]
            names = {"source": source, "target": target}
            with add_refusals_to_form(note_form):
                partner_merges.merge_partners(source, target, note, actor=request.user, now=timezone.now())
                messages.success(request, _("%(source)s is now part of %(target)s.") % names)
                return redirect("reviews:partner", target.slug)
        context |= {
            "target": target,
            "refusal": partner_merges.explain_merge_refusal(source, target, request.user),
            "preview": partner_merges.preview_merge(source, target),
        }
    status = 422 if request.method == "POST" else 200
    return render(request, "reviews/partner_merge.html", context, status=status)
