"""Page of a partner's calendar, with a preview of changes."""

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
from portal.core.value_types import TemplateContext
from portal.ui.refusals import reported_refusals


def load_partner(request: HttpRequest, slug: str) -> Partner:
    """Return the partner for its members and program staff. Raises Http404 for other users."""
    partner = get_object_or_404(Partner, slug=slug)
    if not (permissions.is_program_staff(request.user) or permissions.get_role(partner, request.user)):
        raise Http404(_("Company not found. It doesn't exist, or you don't have access."))
    return partner


def edit_calendar(request: AuthenticatedRequest, slug: str) -> HttpResponse:
    """Show the calendar, preview a change, and save the change after confirmation."""
    partner, now = load_partner(request, slug), timezone.now()
    current = partner.calendars.get_in_force(now)
    can_edit = permissions.can_edit_partner(partner, request.user)
    if request.method == "POST" and not can_edit:
        raise PermissionDenied(refusals.get_refusal("can_edit"))
    form_data = request.POST if request.method == "POST" else request.unsent()  # type: ignore[attr-defined]
    form = CalendarForm(data=form_data, initial=build_initial_data(current, request.user.zone), now=now)
    context: TemplateContext = {
        "partner": partner,
        "in_force": current,
        "editions": list(partner.calendars.select_related("created_by"))[::-1],
        "form": form,
        "can_edit": can_edit,
        "now": now,
        "summary": calendars.describe_calendar(current) if current else "",
    }
    if form_data is None or not form.is_valid():
        return render(request, "sla/calendar.html", context, status=422 if request.method == "POST" else 200)
    if request.method != "POST" or "confirm" not in form_data:
        proposed_edition = form.edition
        context |= {
            "preview": preview_calendar(partner, current, proposed_edition, now),
            "proposed_summary": calendars.describe_calendar(proposed_edition),
        }
        return render(request, "sla/calendar.html", context)
    with reported_refusals(request, _("Calendar saved. It applies to issues opened after this change.")):
        calendars.set_calendar(partner, form.edition, actor=request.user, now=timezone.now())
    return redirect("sla:calendar", slug)


urlpatterns = [path("company/<slug:slug>/calendar/", edit_calendar, name="calendar")]
