"""Where are webhooks seen and changed? The list, a new one, one with its log, one message, the kinds of events."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_variables

from integrations.partners import permissions
from integrations.partners.models import Partner
from portal.accounts.reauthentication import require_recent_authentication
from portal.core.errors import NotAllowed
from portal.ui.pagination import page_of
from portal.ui.refusals import refused
from portal.webhooks import payloads, services
from portal.webhooks import permissions as access
from portal.webhooks.event_kinds import grouped
from portal.webhooks.forms import EndpointForm, SinceForm, initial_of
from portal.webhooks.http_delivery import pretty
from portal.webhooks.models import Endpoint, EndpointMessage
from portal.webhooks.retry_policy import WAITS, words
from portal.webhooks.selectors import endpoints_of, health, kinds_in, log_of, tabs_of

Act = Callable[[HttpRequest, Endpoint], str]


def webhooks(request: HttpRequest) -> HttpResponse:
    """Every endpoint that the reader manages."""
    context = {
        "rows": endpoints_of(request.user, timezone.now()),
        "companies": access.companies_of(request.user),
        "office": access.may_manage(None, request.user),
        "belongs": bool(permissions.roles_of(request.user)),
        "for_program": permissions.works_for_program(request.user),
    }
    return render(request, "webhooks/webhooks.html", context)


def kinds(request: HttpRequest) -> HttpResponse:
    """The table of the kinds of events, each with an example of its payload."""
    office = permissions.works_for_program(request.user)
    told = [
        (_(title), [(kind, pretty(payloads.as_json(payloads.example(kind)))) for kind in group])
        for title, group in grouped(office=office)
    ]
    return render(request, "webhooks/event_kinds.html", {"groups": told, "waits": [words(wait) for wait in WAITS]})


def _whose(request: HttpRequest, slug: str) -> Partner | None:
    """For whom an endpoint is added: a company, or the program. Raises Http404 for who may not."""
    partner = None if slug == "program" else get_object_or_404(Partner, slug=slug)
    if not access.may_manage(partner, request.user):
        raise Http404(_("Only owners of the company add webhooks."))
    return partner


@sensitive_variables("secret")
def webhook_new(request: HttpRequest, slug: str) -> HttpResponse:
    """The form of a new endpoint; then its page, with the secret, once."""
    partner = _whose(request, slug)
    typed = request.POST if request.method == "POST" else None
    form = EndpointForm(typed, office=partner is None, initial=request.unsent() or {"form": "webhook"})  # type: ignore[attr-defined]
    if typed is not None and form.is_valid():
        try:
            require_recent_authentication(request)
            endpoint, secret = services.add(partner, form.wanted, by=request.user, now=timezone.now())
        except NotAllowed as refusal:
            form.add_error(None, str(refusal))
        else:
            return _shown_once(request, endpoint, secret.value if secret else "")
    context = {"form": form, "partner": partner}
    return render(request, "webhooks/new.html", context, status=422 if form.is_bound else 200)


def webhook(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """One endpoint: how it is, its log, what can be done."""
    return _page(request, access.load(request.user, uuid))


@sensitive_variables("secret")
def _shown_once(request: HttpRequest, endpoint: Endpoint, secret: str) -> HttpResponse:
    """The page right after a secret was made. A reload of it makes no second one: the form says what it saw."""
    return _page(request, endpoint, secret=secret, fresh=True)


@sensitive_variables("secret")
def _page(request: HttpRequest, endpoint: Endpoint, *, secret: str = "", fresh: bool = False) -> HttpResponse:
    now = timezone.now()
    state, kind = request.GET.get("state", ""), request.GET.get("kind", "")
    log = page_of(request, log_of(endpoint, state, kind), 25)
    context: dict[str, Any] = {
        "endpoint": endpoint, "secret": secret, "fresh": fresh, "seen": services.state_of(endpoint), "page": log,
        "state": state, "kind": kind, "tabs": tabs_of(state, kind), "kinds": kinds_in(endpoint),
        "health": health(endpoint, now),
        "since": SinceForm(initial={"since": timezone.localtime(now - timedelta(days=1))}), "now": now,
        "old_holds": bool(endpoint.old_secret_until and endpoint.old_secret_until > now),
    }  # fmt: skip
    answer = render(request, "webhooks/webhook.html", context)
    if secret:
        answer["Cache-Control"] = "no-store"
    return answer


def webhook_change(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Another name, address, or choice of events."""
    endpoint = access.load(request.user, uuid)
    typed = request.POST if request.method == "POST" else None
    first = request.unsent() or initial_of(endpoint)  # type: ignore[attr-defined]
    form = EndpointForm(typed, office=endpoint.partner_id is None, kept=endpoint, initial=first)
    if typed is not None and form.is_valid():
        try:
            services.change(endpoint, form.wanted, by=request.user, now=timezone.now())
            messages.success(request, _("The webhook is changed."))
        except NotAllowed as refusal:
            refused(request, refusal)
        return redirect("webhook", uuid)
    context = {"form": form, "endpoint": endpoint}
    return render(request, "webhooks/change.html", context, status=422 if form.is_bound else 200)


@sensitive_variables("secret")
def webhook_secret(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Make a new secret and show it once."""
    endpoint = access.load(request.user, uuid)
    if request.method != "POST":
        return redirect("webhook", uuid)
    seen = request.POST.get("seen", "")
    try:
        require_recent_authentication(request)
        secret = services.rotate(endpoint, by=request.user, now=timezone.now(), seen=seen)
    except NotAllowed as refusal:
        refused(request, refusal)
        return redirect("webhook", uuid)
    endpoint.refresh_from_db()
    return _shown_once(request, endpoint, secret.value)


def _test(request: HttpRequest, endpoint: Endpoint) -> str:
    services.send_test(endpoint, by=request.user, now=timezone.now())
    return _("A test event is on its way. Look at the log in a moment.")


def _pause(request: HttpRequest, endpoint: Endpoint) -> str:
    services.pause(endpoint, by=request.user, now=timezone.now())
    return _("The webhook is paused. What happens meanwhile is kept for 30 days.")


def _resume(request: HttpRequest, endpoint: Endpoint) -> str:
    count = services.resume(endpoint, by=request.user, now=timezone.now())
    return _("The webhook is on again; messages that waited: %(count)s.") % {"count": count}


def _skip(request: HttpRequest, endpoint: Endpoint) -> str:
    count = services.resume(endpoint, by=request.user, now=timezone.now(), skip=True)
    return _("The webhook is on again; messages left out: %(count)s.") % {"count": count}


def _replay(request: HttpRequest, endpoint: Endpoint) -> str:
    form = SinceForm(request.POST)
    if not form.is_valid():
        raise NotAllowed(" ".join(str(error) for error in form.errors["since"]))
    count = services.replay_failed(endpoint, form.cleaned_data["since"], by=request.user, now=timezone.now())
    return _("Messages sent again: %(count)s.") % {"count": count}


ACTS: dict[str, Act] = {"test": _test, "pause": _pause, "resume": _resume, "skip": _skip, "replay": _replay}


def webhook_act(request: HttpRequest, uuid: UUID, act: str) -> HttpResponse:
    """A button of the page."""
    endpoint = access.load(request.user, uuid)
    if act not in ACTS:
        raise Http404(_("There is no such button."))
    if request.method == "POST":
        try:
            messages.success(request, ACTS[act](request, endpoint))
        except NotAllowed as refusal:
            refused(request, refusal)
    return redirect("webhook", uuid)


def webhook_end(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Ask once more, then remove it."""
    endpoint = access.load(request.user, uuid)
    if request.method != "POST":
        return render(request, "webhooks/end.html", {"endpoint": endpoint})
    try:
        services.end(endpoint, by=request.user, now=timezone.now())
        messages.success(request, _("“%(name)s” is removed.") % {"name": endpoint.name})
    except NotAllowed as refusal:
        refused(request, refusal)
    return redirect("webhooks")


def webhook_message(request: HttpRequest, uuid: UUID, message: UUID) -> HttpResponse:
    """One message with every attempt; the button sends it again."""
    endpoint = access.load(request.user, uuid)
    found = get_object_or_404(
        EndpointMessage.objects.select_related("replayed_by", "event"), endpoint=endpoint, uuid=message
    )
    if request.method == "POST":
        try:
            services.replay(found, by=request.user, now=timezone.now())
            messages.success(request, _("The message is sent again, under the same webhook-id."))
        except NotAllowed as refusal:
            refused(request, refusal)
        return redirect("webhook_message", uuid, message)
    attempts = page_of(request, found.attempts.all(), 10)
    context = {"endpoint": endpoint, "message": found, "body": pretty(found.body), "page": attempts}
    return render(request, "webhooks/message.html", context)


urlpatterns = [
    path("webhooks/", webhooks, name="webhooks"),
    path("webhooks/kinds/", kinds, name="webhook_kinds"),
    path("webhooks/new/<slug:slug>/", webhook_new, name="webhook_new"),
    path("webhooks/<uuid:uuid>/", webhook, name="webhook"),
    path("webhooks/<uuid:uuid>/change/", webhook_change, name="webhook_change"),
    path("webhooks/<uuid:uuid>/secret/", webhook_secret, name="webhook_secret"),
    path("webhooks/<uuid:uuid>/remove/", webhook_end, name="webhook_end"),
    path("webhooks/<uuid:uuid>/messages/<uuid:message>/", webhook_message, name="webhook_message"),
    path("webhooks/<uuid:uuid>/<slug:act>/", webhook_act, name="webhook_act"),
]
