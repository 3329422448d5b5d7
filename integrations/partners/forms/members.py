"""Forms for partners, join requests, roles, and invitations."""

from urllib.parse import urlsplit

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _, gettext_lazy

from integrations.partners import name_validation
from integrations.partners.models import Role
from portal.accounts.forms import INVALID_EMAIL_MESSAGE
from portal.core.form_fields import SingleLineField, explain_text_refusal

ROLE_CHOICES = [
    (Role.OWNER, gettext_lazy("Owner: full access, including members")),
    (Role.EDITOR, gettext_lazy("Editor: works on integrations")),
    (Role.VIEWER, gettext_lazy("Viewer: read-only access")),
]


class PartnerProfileForm(forms.Form):
    """Name and website of a company. The service checks whether the name is available."""

    name = forms.CharField(
        label=gettext_lazy("Company name"),
        error_messages={"required": gettext_lazy("Enter the company name.")},
        help_text=gettext_lazy("The name that your customers know."),
        widget=forms.TextInput(attrs={"maxlength": 120}),
    )
    # Use a text input: browser validation of a URL input would reject addresses without https://, which we add.
    website = forms.URLField(
        label=gettext_lazy("Website"),
        required=False,
        assume_scheme="https",
        max_length=200,
        widget=forms.TextInput(attrs={"inputmode": "url", "autocomplete": "url"}),
        error_messages={"invalid": gettext_lazy("Enter a valid URL, such as https://example.com.")},
    )

    def clean_name(self) -> str:
        name = " ".join(self.cleaned_data["name"].split())
        # The current name may have been allowed when it was chosen.
        refusal = name_validation.explain_name_refusal(name) if name != self.initial.get("name") else ""
        if refusal:
            raise ValidationError(refusal)
        return name

    def clean_website(self) -> str:
        website: str = self.cleaned_data["website"]
        if website and not website.startswith(("https://", "http://")):
            raise ValidationError(_("Enter a URL that starts with https://."))
        # https://github.com@example.com/ leads to example.com.
        if "@" in urlsplit(website).netloc:
            raise ValidationError(_("Remove the user name and password from the URL."))
        if refusal := explain_text_refusal(website.replace("&", "")):
            raise ValidationError(refusal)
        return website


class JoinRequestForm(forms.Form):
    """Message to the owners of a company."""

    message = SingleLineField(
        label=gettext_lazy("Message to the owners"),
        required=False,
        max_length=500,
        help_text=gettext_lazy("Introduce yourself so that the owners recognize you."),
    )


class RoleForm(forms.Form):
    """Role of a member."""

    role = forms.ChoiceField(label=gettext_lazy("Role"), choices=ROLE_CHOICES, initial=Role.EDITOR)


class InvitationForm(RoleForm):
    """Email address and role of an invited person."""

    email = forms.EmailField(
        label=gettext_lazy("Email address"), max_length=254, error_messages={"invalid": INVALID_EMAIL_MESSAGE}
    )
    field_order = ("email", "role")
