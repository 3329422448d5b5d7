"""Conflicts of interest on the review page."""

from uuid import UUID

from django import forms
from django.contrib import messages
from django.db.models import Q
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.utils import timezone
from django.utils.translation import gettext as _, gettext_lazy

from integrations.partners import permissions
from integrations.partners.conflicts import list_conflicted_reviewers
from integrations.reviews.services import conflicts
from integrations.reviews.views.queue import load_integration_for_program
from integrations.submissions.models import Integration
from portal.accounts.models import User
from portal.accounts.requests import AuthenticatedRequest
from portal.core.errors import ActionRefused
from portal.core.form_fields import SingleLineField
from portal.core.primary_keys import parse_pk
from portal.ui.refusals import add_refusals_to_form, render_refused_form


class ConflictForm(forms.Form):
    """Reviewer, reason, and whether the conflict is recorded or removed, which the button sends."""

    action = forms.ChoiceField(choices=[("record", "record"), ("remove", "remove")], widget=forms.HiddenInput)
    reviewer = forms.ModelChoiceField(
        label=gettext_lazy("Reviewer"),
        queryset=User.objects.order_by("name", "pk"),
        empty_label=gettext_lazy("Select a reviewer"),
        widget=forms.HiddenInput,  # the page offers the reviewers without a conflict
    )
    reason = SingleLineField(label=gettext_lazy("Reason"), max_length=300)


def build_conflict_context(integration: Integration, user: User) -> dict[str, object]:
    """Return the forms for conflicts and, for those who manage them, all with their reasons."""
    partner = integration.partner
    can_mark = permissions.can_manage_conflicts(integration.partner, user)
    kinds = list_conflicted_reviewers(partner) if can_mark else {}
    reasons = dict(partner.conflicts.values_list("user", "reason")) if kinds else {}
    is_listed = Q(pk__in=kinds) | Q(is_reviewer=True, is_active=True)
    reviewers = list(User.objects.filter(is_listed).order_by("name", "pk")) if can_mark else []
    return {
        "conflicts": [
            {
                "reviewer": reviewer,
                "reason": reasons.get(reviewer.pk) or kinds[reviewer.pk].label,
                "can_remove": reviewer != user,
            }
            for reviewer in reviewers
            if reviewer.pk in kinds
        ],
        "can_declare_conflict": permissions.can_decide(integration, user),
        "reviewers_to_mark": [reviewer for reviewer in reviewers if reviewer.pk not in kinds],
    }


def change_conflict(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Record or remove a conflict of interest with the company. After a sign-in, show the input in a form."""
    integration = load_integration_for_program(request, uuid)
    if request.method != "POST":
        unsent = request.unsent()
        return _restore_form(request, integration, unsent) if unsent else redirect("reviews:review", uuid=uuid)
    form = ConflictForm(request.POST)
    is_removal = request.POST.get("action") == "remove"
    if form.is_valid():
        with add_refusals_to_form(form):
            reviewer = form.cleaned_data["reviewer"]
            # The conflict of a deactivated reviewer is listed, so it has to be possible to remove it.
            if not (is_removal or reviewer.is_active):
                raise ActionRefused(_("This account is deactivated. Select an active reviewer."))
            change = conflicts.remove_conflict if is_removal else conflicts.record_conflict
            reason = form.cleaned_data["reason"]
            change(integration.partner, reviewer, reason, actor=request.user, now=timezone.now())
            text = _("Removed the conflict of interest.") if is_removal else _("Recorded the conflict of interest.")
            messages.success(request, text)
            return redirect("reviews:review", uuid=uuid)
    label = _("Remove conflict") if is_removal else _("Record conflict")
    return render_refused_form(request, form, label=label, cancel_url=reverse("reviews:review", args=[uuid]))


def _restore_form(request: AuthenticatedRequest, integration: Integration, unsent: QueryDict) -> HttpResponse:
    form = ConflictForm(unsent)
    # Only the person from the form: a list of all accounts would be long.
    reviewers = User.objects.filter(pk=parse_pk(unsent.get("reviewer", "")) or 0)
    form.fields["reviewer"].queryset = reviewers  # type: ignore[attr-defined]
    is_removal = unsent.get("action") == "remove"
    context = {
        "title": _("Conflict of interest"),
        "parent": integration.name,
        "parent_url": reverse("reviews:review", args=[integration.uuid]),
        "form": form,
        "label": _("Remove conflict") if is_removal else _("Record conflict"),
    }
    return render(request, "reviews/restored_form.html", context)


urlpatterns = [path("integrations/<uuid:uuid>/conflicts/", change_conflict, name="change_conflict")]
