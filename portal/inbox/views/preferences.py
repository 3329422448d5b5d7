"""Views for notification preferences, one-click unsubscription, and the calendar feed."""

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import conditional_page, require_safe

from portal.accounts.reauthentication import require_recent_authentication
from portal.accounts.requests import AuthenticatedRequest
from portal.core.crypto import Secret
from portal.core.one_time_secrets import store_secret, take_secret
from portal.inbox import calendar_feed
from portal.inbox.forms import NotificationPreferencesForm, list_categories
from portal.inbox.models import CalendarFeed
from portal.notifications import preferences, unsubscribe


@sensitive_variables()
def edit_preferences(request: AuthenticatedRequest) -> HttpResponse:
    """Edit notification preferences. A new calendar URL is shown once."""
    form_data = request.POST if request.method == "POST" else request.unsent()
    form = NotificationPreferencesForm(request.user, data=form_data)
    if request.method == "POST" and form.is_valid():
        form.save()
        messages.success(request, _("Preferences saved."))
        return redirect("inbox:preferences")
    address = take_secret(request, "calendar feed")
    context = {
        "form": form,
        "required_categories": [kind for kind in list_categories(request.user) if kind.locked],
        "address": address.value if address else "",
        "feed": CalendarFeed.objects.filter(user=request.user.pk).first(),
    }
    return render(request, "inbox/preferences.html", context, status=422 if request.method == "POST" else 200)


@sensitive_variables("address")
def create_calendar_feed(request: AuthenticatedRequest) -> HttpResponse:
    """Create a new calendar URL in place of the previous one, or delete it with `end`."""
    if request.method != "POST":
        return redirect("inbox:preferences")
    if "end" in request.POST:
        calendar_feed.delete_feed(request.user)
        messages.success(request, _("Calendar URL deleted."))
        return redirect("inbox:preferences")
    # The URL works like a password.
    require_recent_authentication(request)
    address = calendar_feed.create_feed(request.user, timezone.now())
    store_secret(request, "calendar feed", Secret(address))
    return redirect("inbox:preferences")


@csrf_exempt  # email programs post without a session; the token is signed
@login_not_required
def stop_notifications(request: HttpRequest, token: str) -> HttpResponse:
    """Unsubscribe on POST. A GET only asks, because mail scanners open every link."""
    target = unsubscribe.parse_token(token)
    if target is None:
        raise Http404(_("This unsubscribe link is invalid."))
    if request.method == "POST":
        preferences.stop_category(*target)
    context = {"reader": target[0], "title": unsubscribe.get_title(target[1]), "done": request.method == "POST"}
    return render(request, "inbox/unsubscribe.html", context)


@login_not_required
@require_safe
@conditional_page
@sensitive_variables("token")
def show_calendar(request: HttpRequest, token: str) -> HttpResponse:
    """Return the deadlines of a person at a secret URL."""
    person = calendar_feed.find_reader(token)
    if person is None:
        raise Http404(_("Calendar not found."))
    text = calendar_feed.render_calendar(person, timezone.now())
    response = HttpResponse(text, content_type="text/calendar; charset=utf-8")
    response["Cache-Control"] = "private, max-age=300"
    response["Content-Disposition"] = 'inline; filename="deadlines.ics"'
    return response
