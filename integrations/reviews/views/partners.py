"""Partner pages for program staff: list, decisions of reviewers, and merges by staff with a preview of what moves."""

from collections.abc import Callable
from dataclasses import dataclass

from django import forms
from django.contrib import messages
from django.db.models import Case, Count, OuterRef, Q, QuerySet, SlugField, Subquery, When
from django.db.models.functions import Coalesce
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path, reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _, gettext_lazy

from integrations.partners import permission_conditions, permissions, selectors as partner_selectors
from integrations.partners.models import Membership, Partner, VerificationState
from integrations.partners.services import profiles, verification
from integrations.submissions.models import Integration
from integrations.submissions.services import creation, partner_merges
from integrations.submissions.views.access import require_program_staff
from integrations.submissions.workflow.states import FINAL_STAGES
from portal.accounts.models import User
from portal.accounts.requests import AuthenticatedRequest
from portal.core.compiled_queries import CompiledQuery, Parameter, select_compiled
from portal.core.form_fields import FilterField, MultiLineField, SingleLineField
from portal.core.value_types import TemplateContext
from portal.ui.name_confirmation import NameConfirmationForm
from portal.ui.pagination import paginate, paginate_compiled
from portal.ui.refusals import add_refusals_to_form, render_action_form, report_refusals

MAX_RECENT_EVENTS = 20
MAX_INTEGRATIONS = 20  # per page of a partner
COMPANY_COLUMNS = (
    *("name", "slug", "domain", "verification_state"),
    *("alliances_manager", "alliances_manager__name", "alliances_manager__email"),
)
INTEGRATION_COLUMNS = (
    *("uuid", "name", "partner", "repository", "created_at"),
    *("program_key", "edition_date", "step", "stage"),
    *("next_action_code", "next_action_params", "action_due_at", "responsible_since"),
)


class PartnerFilterForm(forms.Form):
    """Filters in the URL of the list. An invalid filter shows an error; the other still applies."""

    q = SingleLineField(
        label=gettext_lazy("Name or email domain"), required=False, max_length=100, widget=forms.SearchInput
    )
    state = FilterField(label=gettext_lazy("Verification"), choices=VerificationState.choices)


class AlliancesManagerForm(forms.Form):
    """Contact of a partner; without one, the program mailbox is shown."""

    manager = forms.ModelChoiceField(
        label=gettext_lazy("Alliances manager"),
        queryset=User.objects.filter(permission_conditions.WRITES_FOR_PROGRAMS, is_active=True)
        .order_by("name")
        .only("name", "email"),
        required=False,
        empty_label=gettext_lazy("None (program mailbox)"),
    )

    def clean_manager(self) -> User | None:
        """Refuse data without the field, which would remove the manager."""
        if "manager" not in self.data:
            raise forms.ValidationError(_("Select an alliances manager, or none."))
        return self.cleaned_data["manager"]


class PartnerDecisionForm(forms.Form):
    """Reason for a decision on a company."""

    note = MultiLineField(
        label=gettext_lazy("Reason"),
        max_length=1000,
        rows=3,
        help_text=gettext_lazy("The partner's owners see it in their email and in the history."),
        error_messages={"required": gettext_lazy("Enter a reason. We record it with the decision.")},
    )


class MergeTargetForm(forms.Form):
    """Company that receives the data of the merged one."""

    into = forms.SlugField(
        label=gettext_lazy("Remaining partner"),
        max_length=80,
        help_text=gettext_lazy("The last part of the URL of its page, such as acme-rockets."),
    )

    def clean_into(self) -> Partner:
        partner = Partner.objects.filter(slug=self.cleaned_data["into"], merged_into=None).first()
        if partner is None:
            raise forms.ValidationError(_("Partner not found. Copy the last part of the URL of its page."))
        return partner


class MergeNoteForm(NameConfirmationForm):
    """Reason for a merge, and the name of the company that it closes."""

    note = MultiLineField(
        label=gettext_lazy("Reason"),
        max_length=1000,
        rows=3,
        help_text=gettext_lazy("The owners of both partners see it in the history."),
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
        (key, decision, PartnerDecisionForm(auto_id=f"{key}-%s"))
        for key, decision in DECISIONS.items()
        if partner.verification_state in decision.states
    ]


def list_partners(request: HttpRequest) -> HttpResponse:
    """List all partners with counts of their integrations, with filters."""
    require_program_staff(request)
    form = PartnerFilterForm(data=request.GET)
    page = paginate(request, filter_partners(form).only(*COMPANY_COLUMNS))
    context = {"form": form, "page": page, "is_filtered": any(form.cleaned_data.values())}
    return render(request, "reviews/partners.html", context)


def filter_partners(form: PartnerFilterForm) -> QuerySet[Partner]:
    """Return the partners that match the valid filters of the form, with `open_count` and `listed_count`.

    Those that need a decision come first.
    """
    form.is_valid()
    condition = Q()
    if query := form.cleaned_data.get("q"):
        condition = Q(name__icontains=query) | Q(domain__icontains=query)
    if state := form.cleaned_data.get("state"):
        condition &= Q(verification_state=state)
    return (
        Partner.objects.filter(condition)
        .select_related("alliances_manager")
        .annotate(
            open_count=_count_integrations(~Q(stage__in=[str(s) for s in FINAL_STAGES])),
            listed_count=_count_integrations(~Q(listing_status__in=["unlisted", "delisted"])),
        )
        .order_by(Case(When(verification_state=VerificationState.NEEDS_DECISION, then=0), default=1), "name")
    )


def _count_integrations(condition: Q) -> Coalesce:
    """Return a subquery, which the database runs only for the partners of a page. A join would count all."""
    counts = Integration.objects.filter(condition, partner=OuterRef("pk")).order_by().values("partner")
    return Coalesce(Subquery(counts.values(count=Count("pk"))), 0)


PARTNER = CompiledQuery(
    lambda: (
        Partner.objects.filter(slug=Parameter("slug", SlugField()))
        .select_related("alliances_manager")
        .annotate(integration_count=_count_integrations(Q()))
    )
)


def _list_integrations(partner: int) -> QuerySet[Integration]:
    return Integration.objects.filter(partner=partner).order_by("-created_at", "-pk").only(*INTEGRATION_COLUMNS)


def _list_members(partner: int) -> QuerySet[Membership]:
    members = Membership.objects.filter(partner=partner, ended_at=None).select_related("user").order_by("joined_at")
    return members.only("role", "user", "user__name", "user__email")


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
        return redirect("reviews:partner", slug)
    count = partner.integration_count
    context = {
        "partner": partner,
        "form": form,
        "can_decide": permissions.can_decide_on_partner(partner, request.user),
        "decisions": build_decisions(partner),
        "state_reason": partner_selectors.get_state_reason(partner),
        "verifications": verifications,
        "members": select_compiled(_list_members, partner=partner.pk),
        "page": paginate_compiled(request, _list_integrations, MAX_INTEGRATIONS, count=count, partner=partner.pk),
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
            decision.decide(partner, form.cleaned_data["note"], actor=request.user, now=timezone.now())
            messages.success(request, _("Decision recorded. We notify the owners by email."))
            return redirect("reviews:partner", slug)
    cancel_url = reverse("reviews:partner", args=[slug])
    return render_action_form(request, form, values, label=decision.label, cancel_url=cancel_url)


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


urlpatterns = [
    path("companies/", list_partners, name="partners"),
    path("companies/<slug:slug>/", show_partner, name="partner"),
    path("companies/<slug:slug>/decision/", decide_on_partner, name="decide_on_partner"),
    path("companies/<slug:slug>/merge/", merge_partner, name="merge_partner"),
]
