"""Forms for submitting and viewing test accounts. Secrets never appear in a page again."""

from collections.abc import Sequence
from typing import Unpack
from uuid import uuid4

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _, gettext_lazy

from integrations.submissions.forms.requirement_actions import build_replaces_field
from portal.core.form_fields import FormArguments, SingleLineField

ACCOUNT_ERROR_MESSAGES = {
    "required": gettext_lazy("Select a test account."),
    "invalid_choice": gettext_lazy("This test account was replaced or withdrawn. Reload the page."),
}


class WriteOnlyTextarea(forms.Textarea):
    """Text area that never renders its value."""

    # An invalid form shows its input again, except for this field.
    def format_value(self, value: object) -> str:
        return ""


class SecretTextField(forms.CharField):
    """Multi-line text, unchanged except for normalized line endings."""

    widget = WriteOnlyTextarea(attrs={"rows": 5, "autocomplete": "off", "spellcheck": "false"})

    def to_python(self, value: object) -> str:
        text = (super().to_python(value) or "").replace("\r\n", "\n").replace("\r", "\n").strip("\n")
        if "\x00" in text:
            raise ValidationError(_("The text contains an invisible character. Paste it again as plain text."))
        return text


class TestCredentialForm(forms.Form):
    """Test account. The page never shows its credentials again."""

    uuid = forms.UUIDField(widget=forms.HiddenInput, error_messages={"required": gettext_lazy("Reload the page.")})
    label = SingleLineField(
        label=gettext_lazy("Account name"),
        help_text=gettext_lazy("For example, administrator of the test tenant. Don't enter secrets here."),
        max_length=120,
    )
    secret = SecretTextField(
        label=gettext_lazy("Credentials"),
        help_text=gettext_lazy(
            "Enter one value per line. We encrypt all values. Only the assigned reviewer can view them."
        ),
        max_length=8000,
        strip=False,
        error_messages={
            "required": gettext_lazy("Enter the credentials again. We don't save them until the form is complete.")
        },
    )
    permanent = forms.BooleanField(
        label=gettext_lazy("Permanent: store this account for rechecks after the review, until we withdraw it"),
        required=False,
    )

    def __init__(
        self,
        *,
        can_be_permanent: bool,
        replaceable: Sequence[tuple[str, str]] = (),
        **kwargs: Unpack[FormArguments],
    ) -> None:
        super().__init__(**kwargs)
        self.fields["replaces"] = build_replaces_field(replaceable)
        self.fields["uuid"].initial = uuid4
        if not can_be_permanent:
            del self.fields["permanent"]


class CredentialRevealForm(forms.Form):
    """Test account to view and the reason for access."""

    uuid = forms.ChoiceField(
        label=gettext_lazy("Test account"), widget=forms.RadioSelect, error_messages=ACCOUNT_ERROR_MESSAGES
    )
    reason = SingleLineField(
        label=gettext_lazy("Reason for access"),
        help_text=gettext_lazy("We record your name and reason, and notify the partner by email."),
        max_length=300,
        error_messages={"required": gettext_lazy("Enter a reason. We record it and send it to the partner.")},
    )

    def __init__(self, accounts: Sequence[tuple[str, str]], **kwargs: Unpack[FormArguments]) -> None:
        super().__init__(**kwargs)
        self.fields["uuid"].choices = accounts  # type: ignore[attr-defined]
        if len(accounts) == 1:
            self.fields["uuid"].widget = forms.HiddenInput()
            self.fields["uuid"].initial = accounts[0][0]
