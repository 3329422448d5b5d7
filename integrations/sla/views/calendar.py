"""Page of a partner's calendar, with a preview of changes."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path
from django.utils import timezone
from django.utils.translation import gettext as _

from integrations.partners import permissions, refusals
from integrations.partners.models import Partner
from integrations.partners.services import calendars
from integrations.sla.calendar_form import CalendarForm, build_initial_data, preview_calendar
from portal.accounts.requests import AuthenticatedRequest
from portal.core.errors import ActionRefused
from portal.core.value_types import TemplateContext
from portal.ui.refusals import raise_if_forbidden


def load_partner(request: HttpRequest, slug: str) -> Partner:
    """Return the partner for its members and program staff. Raises Http404 for other users."""
    partner = get_object_or_404(Partner, slug=slug)
    if not (permissions.is_program_staff(request.user) or permissions.get_role(partner, request.user)):
        raise Http404(_("Company not found. It doesn't exist, or you don't have access."))
    return partner


def edit_calendar(request: AuthenticatedRequest, slug: str) -> HttpResponse:
    """Show the calendar, preview a change, and save the change after confirmation."""
    partner, now = load_partner(request, slug), timezone.now()
    can_edit = permissions.can_edit_partner(partner, request.user)
    if request.method == "POST" and not can_edit:
        raise PermissionDenied(refusals.get_refusal("can_edit"))
    form_data = request.POST if request.method == "POST" else request.unsent()
    current = partner.calendars.get_in_force(now)
    form = CalendarForm(data=form_data, initial=build_initial_data(current, request.user.zone), now=now)
    context: TemplateContext = {"can_edit": can_edit}
    if form_data is None or not form.is_valid():
        return _render_page(request, partner, form, context, 422 if request.method == "POST" else 200)
    edition, seen_id = form.edition, form.cleaned_data["seen_id"] or 0
    try:
        # The form saves all fields, so it would undo what a colleague changed in the meantime.
        if message := calendars.explain_conflict(partner, edition, seen_id):
            raise ActionRefused(message, "conflict")
        if request.method == "POST" and "confirm" in form_data:
            calendars.set_calendar(partner, edition, actor=request.user, now=timezone.now(), seen_id=seen_id)
            messages.success(request, _("Calendar saved. It applies to issues opened after this change."))
            return redirect("sla:calendar", slug)
    except ActionRefused as refusal:
        raise_if_forbidden(refusal)
        context["refusal"] = str(refusal)
    return _render_preview(request, partner, form, context)


def _render_preview(
    request: AuthenticatedRequest, partner: Partner, form: CalendarForm, context: TemplateContext
) -> HttpResponse:
    """Compare the input with the calendar in force, which the user has then seen."""
    now, edition = timezone.now(), form.edition
    current = partner.calendars.get_in_force(now)
    form.data = form.data.copy()  # type: ignore[attr-defined]
    # The page shows this calendar, so sending the form again confirms a known change.
    form.data["seen_id"] = current.pk if current else 0  # type: ignore[index]
    context |= {
        "preview": preview_calendar(partner, current, edition, now),
        "proposed_summary": calendars.describe_calendar(edition),
    }
    return _render_page(request, partner, form, context, 409 if "refusal" in context else 200)


def _render_page(
    request: AuthenticatedRequest, partner: Partner, form: CalendarForm, context: TemplateContext, status: int
) -> HttpResponse:
    now = timezone.now()
    current = partner.calendars.get_in_force(now)
    context |= {
        "partner": partner,
        "in_force": current,
        "editions": list(partner.calendars.select_related("created_by"))[::-1],
        "form": form,
        "now": now,
        "summary": calendars.describe_calendar(current) if current else "",
    }
    return render(request, "sla/calendar.html", context, status=status)


urlpatterns = [path("company/<slug:slug>/calendar/", edit_calendar, name="calendar")]
