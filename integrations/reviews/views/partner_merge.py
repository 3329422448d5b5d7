"""Page where staff merge a company into another one, with a preview of what moves."""

from django import forms
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path
from django.utils import timezone
from django.utils.translation import gettext as _, gettext_lazy

from integrations.partners.models import Partner
from integrations.submissions.services import partner_merges
from integrations.submissions.views.access import require_program_staff
from portal.accounts.requests import AuthenticatedRequest
from portal.core.form_fields import MultiLineField
from portal.core.value_types import TemplateContext
from portal.ui.refusals import report_refusals


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


class MergeNoteForm(forms.Form):
    """Reason for a merge."""

    note = MultiLineField(
        label=gettext_lazy("Reason"),
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=gettext_lazy("The owners of both partners see it in the history."),
    )


def merge_partner(request: AuthenticatedRequest, slug: str) -> HttpResponse:
    """Show what a merge moves, or merge the company into another one."""
    require_program_staff(request)
    source = get_object_or_404(Partner, slug=slug, merged_into=None)
    form = MergeTargetForm(request.GET or None)
    context: TemplateContext = {"partner": source, "form": form, "note_form": MergeNoteForm(request.POST or None)}
    if form.is_valid():
        target: Partner = form.cleaned_data["into"]
        if request.method == "POST" and context["note_form"].is_valid():
            return _merge(request, source, target, context["note_form"].cleaned_data["note"])
        context |= {
            "target": target,
            "refusal": partner_merges.explain_merge_refusal(source, target, request.user),
            "preview": partner_merges.preview_merge(source, target),
        }
    status = 422 if request.method == "POST" else 200
    return render(request, "reviews/partner_merge.html", context, status=status)


def _merge(request: AuthenticatedRequest, source: Partner, target: Partner, note: str) -> HttpResponse:
    names = {"source": source, "target": target}
    with report_refusals(request, _("%(source)s is now part of %(target)s.") % names):
        partner_merges.merge_partners(source, target, note, actor=request.user, now=timezone.now())
        return redirect("reviews:partner", target.slug)
    return redirect("reviews:partner", source.slug)


urlpatterns = [path("companies/<slug:slug>/merge/", merge_partner, name="merge_partner")]
