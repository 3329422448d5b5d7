"""What may people type to give a test account, or to open one, and is it fit? No secret is put back into a page."""

from collections.abc import Sequence
from typing import Any
from uuid import uuid4

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from integrations.submissions.forms.buttons import ReplacementForm
from portal.core.text_fields import SingleLineField

ACCOUNT_ERROR_MESSAGES = {
    "required": gettext_lazy("Choose one of them."),
    "invalid_choice": gettext_lazy("This account was replaced or withdrawn meanwhile."),
}


class WriteOnlyTextarea(forms.Textarea):
    """What was typed here is never put back into a page."""

    def format_value(self, value: Any) -> str:
        return ""


class SecretTextField(forms.CharField):
    """Several lines, kept as they are but for their line ends."""

    widget = WriteOnlyTextarea(attrs={"rows": 5, "autocomplete": "off", "spellcheck": "false"})

    def to_python(self, value: Any) -> str:
        text = (super().to_python(value) or "").replace("\r\n", "\n").replace("\r", "\n").strip("\n")
        if "\x00" in text:
            raise ValidationError(_("There is a character in it that cannot be seen. Paste it again as plain text."))
        return text


class TestCredentialForm(ReplacementForm):
    """A test account. The value is never shown again and never put back into the form."""

    uuid = forms.UUIDField(widget=forms.HiddenInput, error_messages={"required": gettext_lazy("Open this page again.")})
    label = SingleLineField(
        label=gettext_lazy("What it opens"),
        help_text=gettext_lazy("Such as: administrator of the test tenant. No secrets here."),
        max_length=120,
    )
    secret = SecretTextField(
        label=gettext_lazy("Credentials"),
        help_text=gettext_lazy(
            "User name, password, keys, address: one a line. Encrypted at once and never shown to your company."
        ),
        max_length=8000,
        strip=False,
        error_messages={"required": gettext_lazy("Write the credentials: they are not kept between two tries.")},
    )
    permanent = forms.BooleanField(
        label=gettext_lazy("Permanent: keep it for re-checks after the review, until we withdraw it"), required=False
    )

    def __init__(self, *args: Any, can_be_permanent: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["uuid"].initial = uuid4
        if not can_be_permanent:
            del self.fields["permanent"]


class CredentialRevealForm(forms.Form):
    """Why an account is opened."""

    uuid = forms.ChoiceField(
        label=gettext_lazy("Account"), widget=forms.RadioSelect, error_messages=ACCOUNT_ERROR_MESSAGES
    )
    reason = SingleLineField(
        label=gettext_lazy("Why you open it"),
        help_text=gettext_lazy("Written down with your name; the company gets a mail."),
        max_length=300,
        error_messages={"required": gettext_lazy("Say why: the reason is written down and the company reads it.")},
    )

    def __init__(self, accounts: Sequence[tuple[str, str]], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["uuid"].choices = accounts  # type: ignore[attr-defined]
        if len(accounts) == 1:
            self.fields["uuid"].widget = forms.HiddenInput()
            self.fields["uuid"].initial = accounts[0][0]
