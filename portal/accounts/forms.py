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
from portal.core.text_fields import Line

# One word for one thing: what the fields of the sign-in pages are called, by their names.
LABELS = {
    "email": gettext_lazy("Email address"),
    "login": gettext_lazy("Email address"),
    "name": gettext_lazy("Your name"),
    "password": gettext_lazy("Password"),
    "password1": gettext_lazy("Password"),
    "password2": gettext_lazy("Confirm password"),
    "oldpassword": gettext_lazy("Current password"),
    "code": gettext_lazy("Code"),
}
NO_ADDRESS = gettext_lazy("Enter a valid email address, such as name@example.com.")


class NameLine(Line):
    """A person's name: it stands in mails and lists of others, so it holds no HTML either."""

    def validate(self, value: str) -> None:
        super().validate(value)
        if refusal := text_fields.text_refusal(value):
            raise ValidationError(refusal)


class OurWords:
    """Forms of the sign-in pages: our labels, and no text inside fields that goes away when one types."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        fields: dict[str, forms.Field] = self.fields  # type: ignore[attr-defined]
        for name, field in fields.items():
            field.label = LABELS.get(name, field.label)
            field.widget.attrs.pop("placeholder", None)
            if isinstance(field, forms.EmailField):
                field.error_messages["invalid"] = NO_ADDRESS


class LoginForm(OurWords, account.LoginForm):
    """Email address and password."""


class SignupForm(OurWords, account.SignupForm):
    """A new person: name, email address, password."""

    name = NameLine(max_length=120, widget=forms.TextInput(attrs={"autocomplete": "name"}))
    field_order = ("name", "email", "password1")

    def try_save(self, request: HttpRequest) -> Any:
        """Create the account. For a known address do the slow part too, so that the time does not tell."""
        if self.account_already_exists:
            make_password(self.cleaned_data["password1"])
        return super().try_save(request)


class SocialSignupForm(OurWords, social.SignupForm):
    """What GitHub did not say."""

    name = NameLine(max_length=120, widget=forms.TextInput(attrs={"autocomplete": "name"}))
    field_order = ("name", "email")


class AddEmailForm(OurWords, account.AddEmailForm):
    """One more address."""


class ResetPasswordForm(OurWords, account.ResetPasswordForm):
    """Where the link for a new password goes."""


class ResetPasswordKeyForm(OurWords, account.ResetPasswordKeyForm):
    """A new password, from the link."""


class ChangePasswordForm(OurWords, account.ChangePasswordForm):
    """A new password for the current one."""


class SetPasswordForm(OurWords, account.SetPasswordForm):
    """A first password for somebody who signed up with GitHub."""


class PasswordAgainForm(OurWords, account.ReauthenticateForm):
    """The password, before something that matters."""


class CodeForm(OurWords, mfa.AuthenticateForm):
    """The code of the second factor at sign-in."""


class CodeAgainForm(OurWords, mfa.ReauthenticateForm):
    """The code, before something that matters."""


class FirstCodeForm(OurWords, totp.ActivateTOTPForm):
    """The first code, which proves that the app holds the secret."""


class AddPasskeyForm(OurWords, webauthn.AddWebAuthnForm):
    """The name of a new passkey, and whether it replaces the password."""

    name = Line(required=False, max_length=60)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["name"].label = _("Passkey name")
        self.fields["passwordless"].label = _("Use this passkey instead of the password")
        self.fields["passwordless"].help_text = _("Your device then asks for a fingerprint, face or PIN.")
        self.fields["passwordless"].initial = True


class RenamePasskeyForm(OurWords, webauthn.EditWebAuthnForm):
    """Another name for a passkey."""

    name = Line(max_length=60)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["name"].label = _("Passkey name")


class ProfileForm(forms.ModelForm):  # type: ignore[type-arg]
    """How a person is called, and in which zone times are shown."""

    name = NameLine(label=gettext_lazy("Your name"), max_length=120)
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
        followed = _("Automatic, from the browser (emails: %(zone)s)") % {"zone": self.instance.zone.replace("_", " ")}
        self.fields["zone"].choices = [("", followed), ("UTC", "UTC"), *((z, z.replace("_", " ")) for z in zones)]  # type: ignore[attr-defined]
        if not self.instance.zone_chosen:
            self.initial["zone"] = ""

    def clean(self) -> dict[str, Any]:
        """Without a choice the person stays in the zone that the browser said last."""
        kept = super().clean() or self.cleaned_data
        if "zone" in kept:
            self.instance.zone_chosen = bool(kept["zone"])
            kept["zone"] = kept["zone"] or self.instance.zone
        return kept
