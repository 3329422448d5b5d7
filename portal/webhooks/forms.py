"""What is an endpoint to hear of, and where does it live? The form of a new one and of changes."""

from datetime import timedelta
from typing import Any

from django import forms
from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from integrations.programs.registry import PROGRAMS
from portal.core.text_fields import Line
from portal.webhooks.event_kinds import grouped
from portal.webhooks.models import Endpoint
from portal.webhooks.retry_policy import KEPT
from portal.webhooks.services import Wanted
from verification.sources.errors import Refused
from verification.sources.http import urls

MOST_ADDRESS = 1000
CHOOSE = {"invalid_choice": gettext_lazy("Choose one of those that are shown.")}


def plain_address(text: str) -> str:
    """An address that messages may be sent to. Raises ValidationError with the guard's own sentence."""
    try:
        found = urls.read(text.strip(), loopback=settings.LOOPBACK_SOURCES)
    except Refused as refusal:
        raise forms.ValidationError(str(refusal)) from refusal
    if found.netloc == urls.read(settings.SITE_URL, loopback=True).netloc:
        raise forms.ValidationError(_("This is the portal’s own address. Enter the receiver’s."))
    return str(found)


class EndpointForm(forms.Form):
    """Name, address, which events, of which program. `office`: the program's own; `kept`: the one that is changed."""

    form = forms.ChoiceField(
        label=gettext_lazy("Sends"), choices=Endpoint.Form.choices, widget=forms.RadioSelect, error_messages=CHOOSE
    )
    name = Line(
        label=gettext_lazy("Name"),
        max_length=80,
        help_text=gettext_lazy("How you will recognise it, such as “Build pipeline”."),
    )
    address = forms.CharField(label=gettext_lazy("Address"), max_length=MOST_ADDRESS, widget=forms.TextInput(attrs={
        "inputmode": "url", "autocomplete": "off", "spellcheck": "false", "class": "mono",
    }))  # fmt: skip
    kinds = forms.MultipleChoiceField(
        label=gettext_lazy("Events"),
        widget=forms.CheckboxSelectMultiple,
        error_messages={
            "required": gettext_lazy("Choose at least one kind."),
            "invalid_choice": gettext_lazy("There is no kind of event “%(value)s” here."),
        },
    )
    program_key = forms.ChoiceField(label=gettext_lazy("Program"), required=False, error_messages=CHOOSE)

    def __init__(self, *args: Any, office: bool, kept: Endpoint | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.kept = kept
        kinds: Any = self.fields["kinds"]
        kinds.choices = [
            (_(title), [(kind.name, _(kind.means)) for kind in group]) for title, group in grouped(office=office)
        ]
        program: Any = self.fields["program_key"]
        program.choices = [("", _("All programs")), *((key, found.name) for key, found in PROGRAMS.items())]
        address = self.fields["address"]
        address.help_text = _(
            "Begins with https and is a public host. Slack shows it when you add an incoming webhook."
        )
        if kept is not None:
            del self.fields["form"]
            address.required = False
            address.help_text = _("Now %(shown)s. Leave this empty to keep it.") % {"shown": kept.shown}

    def clean_address(self) -> str:
        typed = str(self.cleaned_data.get("address", ""))
        return plain_address(typed) if typed else ""

    @property
    def wanted(self) -> Wanted:
        said = self.cleaned_data
        form = said.get("form") or (self.kept.form if self.kept else Endpoint.Form.WEBHOOK)
        return Wanted(said["name"], said["kinds"], said["program_key"], said["address"], form)


def initial_of(endpoint: Endpoint) -> dict[str, Any]:
    return {"name": endpoint.name, "kinds": endpoint.kinds, "program_key": endpoint.program_key}


class SinceForm(forms.Form):
    """From when on failed messages are sent again."""

    since = forms.DateTimeField(
        label=gettext_lazy("Failed since"),
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
    )

    def get_initial_for_field(self, field: forms.Field, field_name: str) -> Any:
        """To the minute: that is what a browser's field shows."""
        value = super().get_initial_for_field(field, field_name)
        return value.replace(second=0, microsecond=0) if hasattr(value, "replace") else value

    def clean_since(self) -> Any:
        since = self.cleaned_data["since"]
        if since < timezone.now() - KEPT - timedelta(days=1):
            raise forms.ValidationError(_("Messages are kept for 30 days. Choose a later moment."))
        return since
