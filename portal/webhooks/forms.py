"""Forms to create and change webhook endpoints and to replay deliveries."""

from datetime import timedelta
from typing import Unpack
from urllib.parse import urlsplit

from django import forms
from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext as _, gettext_lazy

from integrations.programs.registry import PROGRAMS
from portal.core.form_fields import FormArguments, SingleLineField, UtcDateTimeField, send_initial_values
from portal.core.value_types import NamedValues
from portal.webhooks import teams
from portal.webhooks.event_types import iterate_webhook_groups
from portal.webhooks.models import WebhookEndpoint
from portal.webhooks.retry_policy import RETENTION_PERIOD
from verification.sources.errors import RequestRefusedError
from verification.sources.http import urls

MAX_URL_LENGTH = 1000
CHOICE_ERROR_MESSAGES = {"invalid_choice": gettext_lazy("Select an option.")}


class EndpointForm(forms.Form):
    """Settings of a webhook endpoint.

    Args:
        is_program_endpoint: Whether the endpoint belongs to the program.
        endpoint: The endpoint to change, or None for a new one.
    """

    format = forms.ChoiceField(
        label=gettext_lazy("Format"),
        choices=WebhookEndpoint.Format.choices,
        widget=forms.RadioSelect,
        error_messages=CHOICE_ERROR_MESSAGES,
    )
    name = SingleLineField(
        label=gettext_lazy("Name"),
        max_length=80,
        help_text=gettext_lazy("For example, Build pipeline."),
    )
    url = forms.CharField(
        label=gettext_lazy("URL"),
        max_length=MAX_URL_LENGTH,
        help_text=gettext_lazy(
            "Public HTTPS URL of your receiver. Slack shows it for an incoming webhook, Teams for a workflow."
        ),
        widget=forms.TextInput(
            attrs={
                "inputmode": "url",
                "autocomplete": "off",
                "spellcheck": "false",
                "class": "mono",
            }
        ),
    )
    event_types = forms.MultipleChoiceField(
        label=gettext_lazy("Events"),
        widget=forms.CheckboxSelectMultiple,
        error_messages={
            "required": gettext_lazy("Select at least one event."),
            "invalid_choice": gettext_lazy("Unknown event type “%(value)s”."),
        },
    )
    program_key = forms.ChoiceField(
        label=gettext_lazy("Program"),
        required=False,
        error_messages=CHOICE_ERROR_MESSAGES,
        choices=[("", gettext_lazy("All programs")), *((key, program.name) for key, program in PROGRAMS.items())],
    )

    def __init__(
        self, *, is_program_endpoint: bool, endpoint: WebhookEndpoint | None = None, **kwargs: Unpack[FormArguments]
    ) -> None:
        super().__init__(**kwargs)
        self.endpoint = endpoint
        self.fields["event_types"].choices = [  # type: ignore[attr-defined]
            (_(title), [(key, _(webhook.description)) for key, webhook in webhooks.items()])
            for title, webhooks in iterate_webhook_groups(includes_internal=is_program_endpoint)
        ]
        if endpoint is not None:
            del self.fields["format"]
            send_initial_values(self)
            # The URL can be a secret, so the form never shows it and a blank field keeps it.
            url = self.fields["url"]
            url.required = False
            url.help_text = _("Current URL: %(url)s. Leave this field blank to keep the URL.") % {
                "url": endpoint.display_url
            }

    def clean_url(self) -> str:
        """Return the normalized URL, to which the portal can send requests, or a blank that keeps the current one."""
        if not self.cleaned_data["url"]:
            return ""
        try:
            url = urls.parse_url(self.cleaned_data["url"], loopback=settings.ALLOW_LOOPBACK_HTTP)
        except RequestRefusedError as error:
            raise forms.ValidationError(str(error)) from error
        # In development, the portal itself has a loopback URL.
        if url.netloc == urls.parse_url(settings.SITE_URL, loopback=True).netloc:
            raise forms.ValidationError(_("This is the URL of the portal. Enter the URL of the receiver."))
        return str(url)

    def clean(self) -> NamedValues:
        url = self.cleaned_data.get("url", "")
        endpoint_format = self.endpoint.format if self.endpoint else self.cleaned_data.get("format")
        is_teams = endpoint_format == WebhookEndpoint.Format.TEAMS
        if url and is_teams and not teams.is_teams_host(urlsplit(url).hostname or ""):
            self.add_error("url", teams.build_host_message())
        return self.cleaned_data


def build_initial_data(endpoint: WebhookEndpoint) -> NamedValues:
    """Return the current values of the form fields, without the URL, which is secret."""
    return {"name": endpoint.name, "event_types": endpoint.event_types, "program_key": endpoint.program_key}


class ReplayForm(forms.Form):
    """Start of the period for replaying failed deliveries."""

    since = UtcDateTimeField(
        label=gettext_lazy("Failed since"),
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
    )

    def clean_since(self) -> object:
        since = self.cleaned_data["since"]
        if since < timezone.now() - RETENTION_PERIOD - timedelta(days=1):
            raise forms.ValidationError(_("Deliveries are stored for 30 days. Enter a later time."))
        return since
