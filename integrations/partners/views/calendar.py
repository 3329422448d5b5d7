"""Whose days count for a company's clocks? The page of its calendar: what is in force, what a change would do."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path
from django.utils import timezone
from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.partners.forms.calendar import CalendarForm, initial_of, preview
from integrations.partners.models import Partner
from integrations.partners.services import calendars
from portal.core.errors import NotAllowed
from portal.ui.refusals import refused


def load_company(request: HttpRequest, slug: str) -> Partner:
    """The company, for its people and the program's. Raises Http404 for everybody else."""
    partner = get_object_or_404(Partner, slug=slug)
    if not (permissions.works_for_program(request.user) or permissions.role_of(partner, request.user)):
        raise Http404(_("This company does not exist, or it is not visible to you."))
    return partner


def company_calendar(request: HttpRequest, slug: str) -> HttpResponse:
    """Show it; a change is looked at first, and counts from the moment it is confirmed."""
    partner, now = load_company(request, slug), timezone.now()
    in_force = partner.calendars.in_force(now)
    may = permissions.edits(partner, request.user)
    if request.method == "POST" and not may:
        raise PermissionDenied(permissions.refusal("may_edit"))
    typed = request.POST if request.method == "POST" else None
    form = CalendarForm(typed, initial=initial_of(in_force, str(getattr(request.user, "zone", "UTC"))), now=now)
    context: dict[str, Any] = {
        "partner": partner, "in_force": in_force, "editions": list(partner.calendars.select_related("by"))[::-1],
        "form": form, "may": may, "now": now, "said": calendars.said(in_force) if in_force else "",
    }  # fmt: skip
    if typed is None or not form.is_valid():
        return render(request, "partners/calendar.html", context, status=422 if form.is_bound else 200)
    if "confirm" not in typed:
        fresh = form.facts.edition(partner, now)
        context |= {"preview": preview(partner, in_force, fresh, now), "fresh": calendars.said(fresh)}
        return render(request, "partners/calendar.html", context)
    return _set(request, partner, form)


def _set(request: HttpRequest, partner: Partner, form: CalendarForm) -> HttpResponse:
    try:
        calendars.set_calendar(partner, form.facts, by=request.user, now=timezone.now())
        messages.success(request, _("The calendar counts for issues opened from now on."))
    except NotAllowed as refusal:
        refused(request, refusal)
    return redirect("company_calendar", partner.slug)


urlpatterns = [path("company/<slug:slug>/calendar/", company_calendar, name="company_calendar")]
