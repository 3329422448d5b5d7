"""What is an endpoint to hear of, and where does it live? The form of a new one and of changes."""

from datetime import timedelta
from typing import Any

from django import forms
from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from integrations.programs.registry import PROGRAMS
from portal.core.form_fields import UtcDateTimeField
from portal.core.text_fields import SingleLineField
from portal.webhooks.event_kinds import iterate_event_type_groups
from portal.webhooks.models import WebhookEndpoint
from portal.webhooks.retry_policy import RETENTION_PERIOD
from portal.webhooks.services import EndpointConfiguration
from verification.sources.errors import RequestRefusedError
from verification.sources.http import urls

MAX_ADDRESS_LENGTH = 1000
CHOICE_ERROR_MESSAGES = {"invalid_choice": gettext_lazy("Choose one of those that are shown.")}


def validate_address(text: str) -> str:
    """An address that messages may be sent to. Raises ValidationError with the guard's own sentence."""
    try:
        url = urls.parse_url(text.strip(), loopback=settings.ALLOW_LOOPBACK_HTTP)
    except RequestRefusedError as error:
        raise forms.ValidationError(str(error)) from error
    if url.netloc == urls.parse_url(settings.SITE_URL, loopback=True).netloc:
        raise forms.ValidationError(_("This is the portal’s own address. Enter the receiver’s."))
    return str(url)


class EndpointForm(forms.Form):
    """Name, address, which events, of which program. `office`: the program's own; `kept`: the one that is changed."""

    form = forms.ChoiceField(
        label=gettext_lazy("Sends"),
        choices=WebhookEndpoint.Form.choices,
        widget=forms.RadioSelect,
        error_messages=CHOICE_ERROR_MESSAGES,
    )
    name = SingleLineField(
        label=gettext_lazy("Name"),
        max_length=80,
        help_text=gettext_lazy("How you will recognize it, such as “Build pipeline”."),
    )
    address = forms.CharField(
        label=gettext_lazy("Address"),
        max_length=MAX_ADDRESS_LENGTH,
        widget=forms.TextInput(
            attrs={
                "inputmode": "url",
                "autocomplete": "off",
                "spellcheck": "false",
                "class": "mono",
            }
        ),
    )
    kinds = forms.MultipleChoiceField(
        label=gettext_lazy("Events"),
        widget=forms.CheckboxSelectMultiple,
        error_messages={
            "required": gettext_lazy("Choose at least one kind."),
            "invalid_choice": gettext_lazy("There is no kind of event “%(value)s” here."),
        },
    )
    program_key = forms.ChoiceField(label=gettext_lazy("Program"), required=False, error_messages=CHOICE_ERROR_MESSAGES)

    def __init__(
        self, *args: Any, is_program_endpoint: bool, endpoint: WebhookEndpoint | None = None, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.endpoint = endpoint
        kinds: Any = self.fields["kinds"]
        kinds.choices = [
            (_(title), [(kind.name, _(kind.means)) for kind in group])
            for title, group in iterate_event_type_groups(is_program_staff=is_program_endpoint)
        ]
        program: Any = self.fields["program_key"]
        program.choices = [
            ("", _("All programs")),
            *((key, partner_program.name) for key, partner_program in PROGRAMS.items()),
        ]
        address = self.fields["address"]
        address.help_text = _(
            "Begins with https and is a public host. Slack shows it when you add an incoming webhook."
        )
        if endpoint is not None:
            del self.fields["form"]
            address.required = False
            address.help_text = _("Now %(shown)s. Leave this empty to keep it.") % {"shown": endpoint.display_url}

    def clean_address(self) -> str:
        address = str(self.cleaned_data.get("address", ""))
        return validate_address(address) if address else ""

    @property
    def configuration(self) -> EndpointConfiguration:
        data = self.cleaned_data
        form = data.get("form") or (self.endpoint.form if self.endpoint else WebhookEndpoint.Form.WEBHOOK)
        return EndpointConfiguration(data["name"], data["kinds"], data["program_key"], data["address"], form)


def build_initial_data(endpoint: WebhookEndpoint) -> dict[str, Any]:
    return {"name": endpoint.name, "kinds": endpoint.kinds, "program_key": endpoint.program_key}


class ReplayForm(forms.Form):
    """From when on failed messages are sent again."""

    since = UtcDateTimeField(
        label=gettext_lazy("Failed since"),
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
    )

    def get_initial_for_field(self, field: forms.Field, field_name: str) -> Any:
        """To the minute: that is what a browser's field shows."""
        value = super().get_initial_for_field(field, field_name)
        return value.replace(second=0, microsecond=0) if hasattr(value, "replace") else value

    def clean_since(self) -> Any:
        since = self.cleaned_data["since"]
        if since < timezone.now() - RETENTION_PERIOD - timedelta(days=1):
            raise forms.ValidationError(_("Messages are kept for 30 days. Choose a later moment."))
        return since
