"""Page of a partner's calendar, with a preview of changes."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from integrations.partners import permissions, refusals
from integrations.partners.models import Partner
from integrations.partners.services import calendars
from integrations.sla.forms.calendar import CalendarForm, build_initial_data, preview_calendar
from portal.accounts.requests import AuthenticatedRequest
from portal.core.errors import ActionRefused
from portal.core.value_types import TemplateContext
from portal.ui.refusals import raise_if_forbidden


def load_partner(request: HttpRequest, slug: str) -> Partner:
    """Return the partner for its members and program staff. Raises Http404 for other users."""
    partner = Partner.objects.filter(slug=slug).first()
    is_staff = permissions.is_program_staff(request.user)
    if partner is None or not (is_staff or permissions.get_role(partner, request.user)):
        raise Http404(_("Company not found. It doesn't exist, or you don't have access."))
    return partner


def edit_calendar(request: AuthenticatedRequest, slug: str) -> HttpResponse:
    """Show the calendar, preview a change, and save the change after confirmation."""
    partner = load_partner(request, slug)
    now = timezone.now()
    can_edit = permissions.can_edit_partner(partner, request.user)
    if request.method == "POST" and not can_edit:
        raise PermissionDenied(refusals.get_refusal("can_edit"))
    form_data = request.POST if request.method == "POST" else request.unsent()
    initial = build_initial_data(partner.calendars.get_in_force(now), request.user.zone)
    form = CalendarForm(data=form_data, initial=initial, now=now)
    context: TemplateContext = {"partner": partner, "can_edit": can_edit, "form": form}
    if form_data is None or not form.is_valid():
        return _render_page(request, partner, context, 422 if request.method == "POST" else 200)
    edition = form.edition
    seen_id = form.cleaned_data["seen_id"] or 0
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
    context |= {"edition": edition, "proposed_summary": calendars.describe_calendar(edition)}
    return _render_page(request, partner, context, 409 if "refusal" in context else 200)


def _render_page(request: HttpRequest, partner: Partner, context: TemplateContext, status: int) -> HttpResponse:
    """Render the page, which compares a valid `edition` with the calendar in force."""
    now = timezone.now()
    current = partner.calendars.get_in_force(now)
    if "edition" in context:
        context["preview"] = preview_calendar(partner, current, context["edition"], now)
        context["form"].data = context["form"].data.copy()
        # The page shows this calendar, so sending the form again confirms a known change.
        context["form"].data["seen_id"] = current.pk if current else 0
    context |= {
        "in_force": current,
        "editions": list(partner.calendars.select_related("created_by"))[::-1],
        "now": now,
        "summary": calendars.describe_calendar(current) if current else "",
    }
    return render(request, "sla/calendar.html", context, status=status)
