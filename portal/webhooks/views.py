"""Webhook pages: list, form, endpoint with its log, delivery, and event types."""

from datetime import timedelta
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _, ngettext
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.vary import vary_on_headers

from integrations.partners import permissions
from integrations.partners.models import Partner
from portal.accounts.reauthentication import require_recent_authentication
from portal.accounts.requests import AuthenticatedRequest
from portal.core.one_time_secrets import store_secret, take_secret
from portal.ui.htmx import is_fragment_request
from portal.ui.name_confirmation import NameConfirmationForm
from portal.ui.pagination import paginate, redirect_to_list
from portal.ui.refusals import add_refusals_to_form, render_action_form, report_refusals
from portal.webhooks import payloads, permissions as access, services
from portal.webhooks.event_types import iterate_webhook_groups
from portal.webhooks.forms import EndpointForm, ReplayForm, build_initial_data
from portal.webhooks.models import WebhookDelivery, WebhookEndpoint
from portal.webhooks.payloads import format_body, format_json
from portal.webhooks.retry_policy import RETRY_DELAYS_SECONDS, format_delay
from portal.webhooks.selectors import (
    build_tabs,
    list_deliveries,
    list_event_type_options,
    list_managed_endpoints,
)


def list_webhooks(request: AuthenticatedRequest) -> HttpResponse:
    """Show the endpoints that the user can manage."""
    context = {
        "rows": list_managed_endpoints(request.user, timezone.now()),
        "companies": access.list_managed_partners(request.user),
        "can_manage_program": access.can_manage_webhooks(None, request.user),
        "has_company": bool(permissions.get_roles(request.user)),
    }
    return render(request, "webhooks/webhooks.html", context)


def list_event_types(request: HttpRequest) -> HttpResponse:
    """Show the event types with sample payloads."""
    includes_internal = permissions.is_program_staff(request.user)
    groups = [
        (_(title), [(key, webhook, format_json(payloads.build_example(key))) for key, webhook in webhooks.items()])
        for title, webhooks in iterate_webhook_groups(includes_internal=includes_internal)
    ]
    context = {"groups": groups, "retry_delays": [format_delay(delay) for delay in RETRY_DELAYS_SECONDS]}
    return render(request, "webhooks/event_types.html", context)


def _get_managed_partner(request: HttpRequest, slug: str) -> Partner | None:
    """Return the owner of a new endpoint (None for the program), or raise Http404 without permission."""
    partner = None if slug == "program" else get_object_or_404(Partner, slug=slug)
    if not access.can_manage_webhooks(partner, request.user):
        raise Http404(_("Only owners of the company can add webhooks."))
    return partner


@sensitive_variables("secret")
def create_webhook(request: AuthenticatedRequest, slug: str) -> HttpResponse:
    """Show the form for a new endpoint, then redirect to the endpoint, which shows its secret once."""
    partner = _get_managed_partner(request, slug)
    # As data, because initial values would have only the last of the selected events.
    form_data = request.POST if request.method == "POST" else request.unsent()
    form = EndpointForm(data=form_data, is_program_endpoint=partner is None, initial={"format": "webhook"})
    if request.method == "POST" and form.is_valid():
        with add_refusals_to_form(form):
            require_recent_authentication(request)
            endpoint, secret = services.create_endpoint(
                partner, form.cleaned_data, actor=request.user, now=timezone.now()
            )
            if secret:
                store_secret(request, f"webhook {endpoint.uuid}", secret)
            else:
                messages.success(request, _("Webhook added. Send a test event to verify the receiver."))
            # The next page shows the secret, because reloading this response would create another webhook.
            return redirect("webhooks:detail", endpoint.uuid)
    context = {"form": form, "partner": partner}
    return render(request, "webhooks/new.html", context, status=422 if request.method == "POST" else 200)


@sensitive_variables("secret", "context")
@vary_on_headers("HX-Request")
def show_webhook(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Show an endpoint with its health and its log, and once after its creation or rotation the new secret.

    While a delivery is due, htmx asks for the deliveries only.
    """
    endpoint = access.get_endpoint(request.user, uuid)
    now = timezone.now()
    # Shown once: afterward, no one can read it again. The deliveries alone don't show it.
    secret = None if is_fragment_request(request) else take_secret(request, f"webhook {uuid}")
    state = request.GET.get("state", "")
    event_type = request.GET.get("event_type", "")
    log = paginate(request, list_deliveries(endpoint, state, event_type), 25)
    is_sending = not endpoint.pause and any(message.is_due(now) for message in log)
    context = {
        "endpoint": endpoint,
        "secret": secret.value if secret else "",
        "page": log,
        "poll_url": request.get_full_path() if is_sending else "",
        "state": state,
        "event_type": event_type,
        "tabs": build_tabs(state, event_type),
        "event_types": list_event_type_options(endpoint),
        "since": ReplayForm(initial={"since": timezone.localtime(now - timedelta(days=1))}),
        "now": now,
    }
    template = "webhooks/webhook.html#deliveries" if is_fragment_request(request) else "webhooks/webhook.html"
    return render(request, template, context)


def change_webhook(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Show the form for the settings of an endpoint."""
    endpoint = access.get_endpoint(request.user, uuid)
    # As data, because a value that is also the initial one wouldn't be saved as a change.
    form_data = request.POST if request.method == "POST" else request.unsent()
    form = EndpointForm(
        data=form_data,
        is_program_endpoint=endpoint.partner_id is None,
        endpoint=endpoint,
        initial=build_initial_data(endpoint),
    )
    if request.method == "POST" and form.is_valid():
        with add_refusals_to_form(form):
            changes = {name: form.cleaned_data[name] for name in form.changed_data}
            # A new URL redirects the partner's data, so someone at an open session must not be able to set it.
            if changes.get("url"):
                require_recent_authentication(request)
            services.change_endpoint(endpoint, changes, actor=request.user, now=timezone.now())
            messages.success(request, _("Webhook saved."))
            return redirect("webhooks:detail", uuid)
    context = {"form": form, "endpoint": endpoint}
    return render(request, "webhooks/change.html", context, status=422 if request.method == "POST" else 200)


@sensitive_variables("secret")
def rotate_secret(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Rotate the secret and redirect to the endpoint, which shows it once."""
    endpoint = access.get_endpoint(request.user, uuid)
    if request.method == "POST":
        with report_refusals(request):
            require_recent_authentication(request)
            secret = services.rotate_secret(
                endpoint, actor=request.user, now=timezone.now(), expected_fingerprint=request.POST.get("seen", "")
            )
            # As after the creation: reloading this response would rotate the secret again.
            store_secret(request, f"webhook {uuid}", secret)
    return redirect_to_list(request, "webhooks:detail", uuid)


def describe_resumption(count: int, *, has_skipped: bool) -> str:
    """Return the message after an endpoint was resumed and its pending deliveries were sent or skipped."""
    if has_skipped:
        message = ngettext(
            "Webhook resumed. %(count)s delivery skipped.", "Webhook resumed. %(count)s deliveries skipped.", count
        )
    else:
        message = ngettext(
            "Webhook resumed. %(count)s delivery pending.", "Webhook resumed. %(count)s deliveries pending.", count
        )
    return message % {"count": count}


def describe_replay(count: int) -> str:
    """Return the message after failed deliveries were replayed."""
    return ngettext("%(count)s delivery queued again.", "%(count)s deliveries queued again.", count) % {"count": count}


def perform_action(request: AuthenticatedRequest, uuid: UUID, action: str) -> HttpResponse:
    """Perform the action of a button on the endpoint page."""
    endpoint = access.get_endpoint(request.user, uuid)
    if request.method == "POST" and action == "replay":
        return replay_deliveries(request, endpoint)
    if request.method == "POST":
        with report_refusals(request):
            messages.success(request, _perform_action(request, endpoint, action))
    return redirect_to_list(request, "webhooks:detail", uuid)


def replay_deliveries(request: AuthenticatedRequest, endpoint: WebhookEndpoint) -> HttpResponse:
    """Replay the deliveries that failed since the time of the form."""
    form = ReplayForm(request.POST)
    detail_url = reverse("webhooks:detail", args=[endpoint.uuid])
    if form.is_valid():
        with add_refusals_to_form(form):
            since = form.cleaned_data["since"]
            count = services.replay_deliveries(endpoint, since, actor=request.user, now=timezone.now())
            messages.success(request, describe_replay(count))
            return redirect_to_list(request, detail_url)
    return render_action_form(request, form, request.POST, label=_("Replay failed deliveries"), cancel_url=detail_url)


def _perform_action(request: AuthenticatedRequest, endpoint: WebhookEndpoint, action: str) -> str:
    """Perform an action and return the message about its success."""
    actor = request.user
    now = timezone.now()
    match action:
        case "test":
            services.send_test_event(endpoint, actor=actor, now=now)
            return _("Test event queued. The log shows the result in a moment.")
        case "pause":
            services.pause_endpoint(endpoint, actor=actor, now=now)
            return _("Webhook paused. New events stay pending for up to 30 days.")
        case "resume" | "skip":
            count = services.resume_endpoint(endpoint, actor=actor, now=now, skip=action == "skip")
            return describe_resumption(count, has_skipped=action == "skip")
    raise Http404(_("Unknown action."))


def remove_webhook(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Ask for the name, then remove the endpoint."""
    endpoint = access.get_endpoint(request.user, uuid)
    form = NameConfirmationForm(endpoint.name, data=request.POST if request.method == "POST" else None)
    if not form.is_valid():
        context = {"endpoint": endpoint, "form": form}
        return render(request, "webhooks/end.html", context, status=422 if form.is_bound else 200)
    with report_refusals(request, _("Webhook “%(name)s” deleted.") % {"name": endpoint.name}):
        services.remove_endpoint(endpoint, actor=request.user, now=timezone.now())
    return redirect("webhooks:list")


@vary_on_headers("HX-Request")
def show_delivery(request: AuthenticatedRequest, uuid: UUID, message: UUID) -> HttpResponse:
    """Show a delivery with its attempts, or replay it. While it is due, htmx asks for what changes."""
    endpoint = access.get_endpoint(request.user, uuid)
    deliveries = WebhookDelivery.objects.select_related("replayed_by", "event")
    delivery = get_object_or_404(deliveries, endpoint=endpoint, uuid=message)
    if request.method == "POST":
        with report_refusals(request, _("Delivery queued again with the same webhook-id.")):
            services.replay_delivery(delivery, actor=request.user, now=timezone.now())
        return redirect_to_list(request, "webhooks:delivery", uuid, message)
    attempts = paginate(request, delivery.attempts.all(), 10)
    is_update = is_fragment_request(request)
    is_sending = not endpoint.pause and delivery.is_due(timezone.now())
    context = {
        "endpoint": endpoint,
        "message": delivery,
        "body": format_body(delivery.body),
        "page": attempts,
        "poll_url": request.get_full_path() if is_sending else "",
        "is_update": is_update,
    }
    return render(request, "webhooks/message.html#update" if is_update else "webhooks/message.html", context)
