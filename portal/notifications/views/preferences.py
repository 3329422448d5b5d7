"""Where does a person choose what reaches them, stop a kind with one click, and get the calendar of their deadlines?"""

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.utils import timezone
from django.utils.cache import get_conditional_response
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_safe

from portal.accounts.reauthentication import require_recent_authentication
from portal.notifications import calendar_feed, preferences, unsubscribe
from portal.notifications.forms import NoticesForm, kinds_of
from portal.notifications.models.preferences import CalendarFeed


def choices(request: HttpRequest) -> HttpResponse:
    """What reaches the reader, where and how often."""
    typed = request.POST if request.method == "POST" else None
    form = NoticesForm(request.user, typed, initial=request.unsent())  # type: ignore[attr-defined]
    if typed is not None and form.is_valid():
        form.save()
        messages.success(request, _("What reaches you is saved."))
        return redirect("notification_choices")
    return _page(request, form, status=422 if form.is_bound else 200)


@sensitive_variables("address")
def _page(request: HttpRequest, form: NoticesForm, address: str = "", status: int = 200) -> HttpResponse:
    context = {
        "form": form, "locked": [kind for kind in kinds_of(request.user) if kind.locked], "address": address,
        "feed": CalendarFeed.objects.filter(user=request.user.pk).first(),
    }  # fmt: skip
    answer = render(request, "notifications/preferences.html", context, status=status)
    if address:
        answer["Cache-Control"] = "no-store"
    return answer


@sensitive_variables("address")
def feed_make(request: HttpRequest) -> HttpResponse:
    """A new secret address; the one before is gone. Or, with `end`, none at all."""
    if request.method != "POST":
        return redirect("notification_choices")
    if "end" in request.POST:
        calendar_feed.end(request.user)
        messages.success(request, _("The calendar’s address is gone."))
        return redirect("notification_choices")
    require_recent_authentication(request)
    address = calendar_feed.make(request.user, timezone.now())
    return _page(request, NoticesForm(request.user), address)


@csrf_exempt  # the token is the proof: a mail program posts without a session
@login_not_required
def notices_stop(request: HttpRequest, token: str) -> HttpResponse:
    """One click and the kind comes by mail no more. A GET only asks: mail scanners open every link."""
    named = unsubscribe.read(token)
    if named is None:
        raise Http404(_("This link names nothing that can be stopped."))
    if request.method == "POST":
        preferences.stop(*named)
    context = {"reader": named[0], "title": unsubscribe.title(named[1]), "done": request.method == "POST"}
    return render(request, "notifications/unsubscribe.html", context)


@login_not_required
@require_safe
@sensitive_variables("token")
def calendar(request: HttpRequest, token: str) -> HttpResponse:
    """A person's deadlines for their calendar, under a secret address."""
    person = calendar_feed.reader_of(token)
    if person is None:
        raise Http404(_("There is no calendar here."))
    text = calendar_feed.text_of(person, timezone.now())
    answer = HttpResponse(text, content_type="text/calendar; charset=utf-8")
    answer["ETag"] = calendar_feed.etag_of(text)
    answer["Cache-Control"] = "private, max-age=300"
    answer["Content-Disposition"] = 'inline; filename="deadlines.ics"'
    return get_conditional_response(request, etag=answer["ETag"], response=answer) or answer


urlpatterns = [
    path("notifications/choices/", choices, name="notification_choices"),
    path("notifications/calendar/", feed_make, name="calendar_feed_make"),
    path("notifications/stop/<str:token>/", notices_stop, name="notices_stop"),
    path("calendar/<str:token>.ics", calendar, name="calendar_feed"),
]
