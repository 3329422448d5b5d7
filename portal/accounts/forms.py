"""Forms of the sign-in, security, and profile pages."""

from typing import Unpack

from allauth.account import forms as account
from allauth.mfa.base import forms as mfa
from allauth.mfa.totp import forms as totp
from allauth.mfa.webauthn import forms as webauthn
from allauth.socialaccount import forms as social
from django import forms
from django.contrib.auth.hashers import make_password
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils.translation import gettext as _, gettext_lazy

from portal.accounts.models import User
from portal.core.form_fields import ModelFormArguments, SingleLineField, explain_text_refusal
from portal.core.time_zones import list_zone_choices

# Consistent labels on all sign-in pages, by field name
FIELD_LABELS = {
    "email": gettext_lazy("Email address"),
    "login": gettext_lazy("Email address"),
    "password": gettext_lazy("Password"),
    "password1": gettext_lazy("Password"),
    "password2": gettext_lazy("Confirm password"),
    "oldpassword": gettext_lazy("Current password"),
    "code": gettext_lazy("Code"),
}
REQUIRED_MESSAGES = {
    "password": gettext_lazy("Enter your password."),
    "password1": gettext_lazy("Enter a password."),
    "password2": gettext_lazy("Enter the password again."),
    "oldpassword": gettext_lazy("Enter your current password."),
    "code": gettext_lazy("Enter the code."),
}
# of forms that replace a password
REPLACEMENT_LABELS = FIELD_LABELS | {"password1": gettext_lazy("New password")}
NAME_LABEL = gettext_lazy("Your name")
NAME_INPUT = forms.TextInput(attrs={"autocomplete": "name"})
INVALID_EMAIL_MESSAGE = gettext_lazy("Enter a valid email address, such as name@example.com.")


class PersonNameField(SingleLineField):
    """Name of a person, without HTML because emails and other people's pages show it."""

    default_error_messages = {"required": gettext_lazy("Enter your name.")}

    def validate(self, value: str) -> None:
        super().validate(value)
        if refusal := explain_text_refusal(value):
            raise ValidationError(refusal)


class LabeledFormMixin:
    """Mixin that sets the portal's labels and error messages and removes placeholders."""

    field_labels = FIELD_LABELS

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        fields: dict[str, forms.Field] = self.fields  # type: ignore[attr-defined]
        for name, field in fields.items():
            field.label = self.field_labels.get(name, field.label)
            field.error_messages["required"] = REQUIRED_MESSAGES.get(name, field.error_messages["required"])
            field.widget.attrs.pop("placeholder", None)
            if isinstance(field, forms.EmailField):
                field.error_messages["invalid"] = INVALID_EMAIL_MESSAGE


class LoginForm(LabeledFormMixin, account.LoginForm):
    """Sign-in with email address and password."""


class SignupForm(LabeledFormMixin, account.SignupForm):
    """Sign-up with name, email address, and password."""

    name = PersonNameField(label=NAME_LABEL, max_length=120, widget=NAME_INPUT)
    field_order = ("name", "email", "password1")

    def try_save(self, request: HttpRequest) -> object:
        """Create the account. Hash the password for a known address too, so that timing doesn't reveal it."""
        if self.account_already_exists:
            make_password(self.cleaned_data["password1"])
        return super().try_save(request)


class SocialSignupForm(LabeledFormMixin, social.SignupForm):
    """Sign-up details that GitHub did not provide."""

    name = PersonNameField(label=NAME_LABEL, max_length=120, widget=NAME_INPUT)
    field_order = ("name", "email")


class AddEmailForm(LabeledFormMixin, account.AddEmailForm):
    """Additional email address."""


class ResetPasswordForm(LabeledFormMixin, account.ResetPasswordForm):
    """Email address that receives the password reset link."""


class ResetPasswordKeyForm(LabeledFormMixin, account.ResetPasswordKeyForm):
    """New password, set with a reset link."""

    field_labels = REPLACEMENT_LABELS


class ChangePasswordForm(LabeledFormMixin, account.ChangePasswordForm):
    """Change of the current password."""

    field_labels = REPLACEMENT_LABELS


class SetPasswordForm(LabeledFormMixin, account.SetPasswordForm):
    """First password of an account that signed up with GitHub."""


class ReauthenticationPasswordForm(LabeledFormMixin, account.ReauthenticateForm):
    """Reauthentication with the password."""


class SecondFactorForm(LabeledFormMixin, mfa.AuthenticateForm):
    """Second-factor code at sign-in."""


class ReauthenticationCodeForm(LabeledFormMixin, mfa.ReauthenticateForm):
    """Reauthentication with a second-factor code."""


class ActivateTotpForm(LabeledFormMixin, totp.ActivateTOTPForm):
    """First code, which proves that the app stores the secret."""


class AddPasskeyForm(LabeledFormMixin, webauthn.AddWebAuthnForm):
    """Name of a new passkey, and whether it replaces the password."""

    name = SingleLineField(label=gettext_lazy("Passkey name"), required=False, max_length=60)

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        self.fields["passwordless"].label = _("Use this passkey instead of the password")
        self.fields["passwordless"].help_text = _("Your device asks for a fingerprint, face, or PIN.")
        self.fields["passwordless"].initial = True


class RenamePasskeyForm(LabeledFormMixin, webauthn.EditWebAuthnForm):
    """New name of a passkey."""

    name = SingleLineField(label=gettext_lazy("Passkey name"), max_length=60)


class ProfileForm(forms.ModelForm):
    """Name and time zone of a user."""

    name = PersonNameField(label=NAME_LABEL, max_length=120)
    zone = forms.ChoiceField(
        label=gettext_lazy("Time zone"),
        required=False,
        help_text=gettext_lazy("We show dates and times in this time zone."),
    )

    class Meta:
        model = User
        fields = ("name", "zone")

    def __init__(self, **kwargs: Unpack[ModelFormArguments]) -> None:
        super().__init__(**kwargs)
        browser_zone_label = _("Automatic, from the browser (emails: %(zone)s)") % {
            "zone": self.instance.zone.replace("_", " ")
        }
        self.fields["zone"].choices = [("", browser_zone_label), *list_zone_choices()]  # type: ignore[attr-defined]
        if not self.instance.zone_chosen and "zone" not in (kwargs.get("initial") or {}):
            self.initial["zone"] = ""

    def clean(self) -> dict[str, object]:
        """Keep the last time zone from the browser if the user selects the automatic setting."""
        data = super().clean() or self.cleaned_data
        if "zone" in data:
            self.instance.zone_chosen = bool(data["zone"])
            data["zone"] = data["zone"] or self.instance.zone
        return data

    def save(self, commit: bool = True) -> User:
        """Save only the columns of the form, because an administrator can change the others at the same time."""
        user: User = super().save(commit=False)
        if commit:
            user.save(update_fields=["name", "zone", "zone_chosen"])
        return user
