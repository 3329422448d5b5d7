"""Forms of the pages that start an integration."""

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy

from portal.core.repository_urls import MAX_URL_LENGTH
from portal.core.text_fields import SingleLineField
from verification.discovery.addresses import InvalidAddressError, parse_address


class AddressForm(forms.Form):
    """Address of a repository, a registry page, or a run task endpoint."""

    address = SingleLineField(
        label=gettext_lazy("Address"),
        max_length=MAX_URL_LENGTH,
        error_messages={"required": gettext_lazy("Enter an address.")},
        help_text=gettext_lazy("A GitHub repository, a Terraform Registry page, or a run task endpoint."),
        widget=forms.TextInput(
            attrs={"inputmode": "url", "autofocus": True, "placeholder": "https://github.com/owner/name"}
        ),
    )

    def clean_address(self) -> str:
        """Return the address if the portal can read it."""
        text: str = self.cleaned_data["address"]
        try:
            parse_address(text)
        except InvalidAddressError as error:
            raise ValidationError(str(error)) from error
        return text
