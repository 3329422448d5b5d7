"""Conflicts of interest on the review page."""

from uuid import UUID

from django.contrib import messages
from django.db.models import Q
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.partners.conflicts import list_conflicted_reviewers
from integrations.reviews.forms.reviewers import ConflictForm
from integrations.reviews.services import conflicts
from integrations.submissions.access import load_integration_for_program
from integrations.submissions.models import Integration
from portal.accounts.models import User
from portal.accounts.requests import AuthenticatedRequest
from portal.core.errors import ActionRefused
from portal.core.primary_keys import parse_pk
from portal.ui.refusals import add_refusals_to_form, render_action_form


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
    values = request.POST if request.method == "POST" else request.unsent()
    if values is None:
        return redirect("reviews:review", uuid=uuid)
    form = ConflictForm(values)
    is_removal = values.get("action") == "remove"
    if request.method == "POST" and form.is_valid():
        with add_refusals_to_form(form):
            reviewer = form.cleaned_data["reviewer"]
            # The conflict of a deactivated reviewer is listed, so it has to be possible to remove it.
            if not (is_removal or reviewer.is_active):
                raise ActionRefused(_("This account is deactivated. Select an active reviewer."), "validation-error")
            change = conflicts.remove_conflict if is_removal else conflicts.record_conflict
            reason = form.cleaned_data["reason"]
            change(integration.partner, reviewer, reason, actor=request.user, now=timezone.now())
            text = _("Removed the conflict of interest.") if is_removal else _("Recorded the conflict of interest.")
            messages.success(request, text)
            return redirect("reviews:review", uuid=uuid)
    # Only the person from the form: a list of all accounts would be long.
    reviewers = User.objects.filter(pk=parse_pk(values.get("reviewer", "")) or 0)
    form.fields["reviewer"].queryset = reviewers  # type: ignore[attr-defined]
    label = _("Remove conflict") if is_removal else _("Record conflict")
    return render_action_form(request, form, values, label=label, cancel_url=reverse("reviews:review", args=[uuid]))
