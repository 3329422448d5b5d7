"""What may people type about themselves and their company, and is it fit?"""

from typing import Any
from zoneinfo import available_timezones

from allauth.account import forms as account
from allauth.mfa.base import forms as mfa
from allauth.mfa.totp import forms as totp
from allauth.mfa.webauthn import forms as webauthn
from allauth.socialaccount import forms as social
from django import forms
from django.contrib.auth.hashers import make_password
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from portal.accounts.models import User
from portal.core import text_fields
from portal.core.text_fields import SingleLineField

# One word for one thing: what the fields of the sign-in pages are called, by their names.
FIELD_LABELS = {
    "email": gettext_lazy("Email address"),
    "login": gettext_lazy("Email address"),
    "name": gettext_lazy("Your name"),
    "password": gettext_lazy("Password"),
    "password1": gettext_lazy("Password"),
    "password2": gettext_lazy("Confirm password"),
    "oldpassword": gettext_lazy("Current password"),
    "code": gettext_lazy("Code"),
}
INVALID_EMAIL_MESSAGE = gettext_lazy("Enter a valid email address, such as name@example.com.")


class PersonNameField(SingleLineField):
    """A person's name: it stands in mails and lists of others, so it holds no HTML either."""

    def validate(self, value: str) -> None:
        super().validate(value)
        if refusal := text_fields.explain_text_refusal(value):
            raise ValidationError(refusal)


class LabeledFormMixin:
    """Forms of the sign-in pages: our labels, and no text inside fields that goes away when one types."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        fields: dict[str, forms.Field] = self.fields  # type: ignore[attr-defined]
        for name, field in fields.items():
            field.label = FIELD_LABELS.get(name, field.label)
            field.widget.attrs.pop("placeholder", None)
            if isinstance(field, forms.EmailField):
                field.error_messages["invalid"] = INVALID_EMAIL_MESSAGE


class LoginForm(LabeledFormMixin, account.LoginForm):
    """Email address and password."""


class SignupForm(LabeledFormMixin, account.SignupForm):
    """A new person: name, email address, password."""

    name = PersonNameField(max_length=120, widget=forms.TextInput(attrs={"autocomplete": "name"}))
    field_order = ("name", "email", "password1")

    def try_save(self, request: HttpRequest) -> Any:
        """Create the account. For a known address do the slow part too, so that the time does not tell."""
        if self.account_already_exists:
            make_password(self.cleaned_data["password1"])
        return super().try_save(request)


class SocialSignupForm(LabeledFormMixin, social.SignupForm):
    """What GitHub did not say."""

    name = PersonNameField(max_length=120, widget=forms.TextInput(attrs={"autocomplete": "name"}))
    field_order = ("name", "email")


class AddEmailForm(LabeledFormMixin, account.AddEmailForm):
    """One more address."""


class ResetPasswordForm(LabeledFormMixin, account.ResetPasswordForm):
    """Where the link for a new password goes."""


class ResetPasswordKeyForm(LabeledFormMixin, account.ResetPasswordKeyForm):
    """A new password, from the link."""


class ChangePasswordForm(LabeledFormMixin, account.ChangePasswordForm):
    """A new password for the current one."""


class SetPasswordForm(LabeledFormMixin, account.SetPasswordForm):
    """A first password for somebody who signed up with GitHub."""


class ReauthenticationPasswordForm(LabeledFormMixin, account.ReauthenticateForm):
    """The password, before something that matters."""


class SecondFactorForm(LabeledFormMixin, mfa.AuthenticateForm):
    """The code of the second factor at sign-in."""


class ReauthenticationCodeForm(LabeledFormMixin, mfa.ReauthenticateForm):
    """The code, before something that matters."""


class ActivateTotpForm(LabeledFormMixin, totp.ActivateTOTPForm):
    """The first code, which proves that the app holds the secret."""


class AddPasskeyForm(LabeledFormMixin, webauthn.AddWebAuthnForm):
    """The name of a new passkey, and whether it replaces the password."""

    name = SingleLineField(required=False, max_length=60)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["name"].label = _("Passkey name")
        self.fields["passwordless"].label = _("Use this passkey instead of the password")
        self.fields["passwordless"].help_text = _("Your device then asks for a fingerprint, face or PIN.")
        self.fields["passwordless"].initial = True


class RenamePasskeyForm(LabeledFormMixin, webauthn.EditWebAuthnForm):
    """Another name for a passkey."""

    name = SingleLineField(max_length=60)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["name"].label = _("Passkey name")


class ProfileForm(forms.ModelForm):  # type: ignore[type-arg]
    """How a person is called, and in which zone times are shown."""

    name = PersonNameField(label=gettext_lazy("Your name"), max_length=120)
    zone = forms.ChoiceField(
        label=gettext_lazy("Time zone"),
        required=False,
        help_text=gettext_lazy("We show dates and times in this time zone."),
    )

    class Meta:
        model = User
        fields = ("name", "zone")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        zones = sorted(zone for zone in available_timezones() if "/" in zone and not zone.startswith("Etc/"))
        browser_zone_label = _("Automatic, from the browser (emails: %(zone)s)") % {
            "zone": self.instance.zone.replace("_", " ")
        }
        zone_choices = [("", browser_zone_label), ("UTC", "UTC"), *((z, z.replace("_", " ")) for z in zones)]
        self.fields["zone"].choices = zone_choices  # type: ignore[attr-defined]
        if not self.instance.zone_chosen:
            self.initial["zone"] = ""

    def clean(self) -> dict[str, Any]:
        """Without a choice the person stays in the zone that the browser said last."""
        data = super().clean() or self.cleaned_data
        if "zone" in data:
            self.instance.zone_chosen = bool(data["zone"])
            data["zone"] = data["zone"] or self.instance.zone
        return data
