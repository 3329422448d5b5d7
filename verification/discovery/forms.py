"""Forms of the pages that start an integration."""

from collections.abc import Iterable, Sequence
from typing import Any, Unpack

from django import forms
from django.utils.translation import gettext as _, gettext_lazy

from integrations.partners.models import Partner
from integrations.programs.schema import Edition, Program
from integrations.submissions.forms.drafts import IntegrationForm
from portal.core.form_fields import FormArguments, SingleLineField
from portal.core.repository_urls import MAX_URL_LENGTH
from verification.discovery.addresses import parse_address
from verification.discovery.imports import ProviderRow


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
        parse_address(text)
        return text


class CompanyForm(forms.Form):
    """Company of the new integrations, for people who can edit for several."""

    company = forms.ChoiceField(label=gettext_lazy("Company"))

    def __init__(self, partners: Sequence[Partner], **kwargs: Unpack[FormArguments]) -> None:
        super().__init__(**kwargs)
        self.partners = {partner.slug: partner for partner in partners}
        choices = [(partner.slug, partner.name) for partner in partners]
        self.fields["company"].choices = choices  # type: ignore[attr-defined]

    def get_partner(self) -> Partner:
        """Return the selected company. Call on a valid form."""
        return self.partners[self.cleaned_data["company"]]


class StartForm(IntegrationForm):
    """Description of a new integration with the category as a drop-down list, which keeps the page short."""

    def __init__(self, program: Program, edition: Edition, **kwargs: Unpack[FormArguments]) -> None:
        super().__init__(program, edition, **kwargs)
        category = self.fields["category"]
        category.widget = forms.Select()
        category.choices = list_category_choices(edition)  # type: ignore[attr-defined]
        category.help_text = _("The directory lists the integration under this category.")


def list_category_choices(edition: Edition) -> list[tuple[str, str]]:
    """Return the options of a drop-down list; with several categories, the first one is blank."""
    options = [(category.key, category.name) for category in edition.categories]
    return options if len(options) == 1 else [("", _("Select a category")), *options]


class NamespaceForm(forms.Form):
    """Providers of a namespace to import, a category for each, and the compatible products of all."""

    providers = forms.MultipleChoiceField(
        label=gettext_lazy("Providers"),
        widget=forms.CheckboxSelectMultiple,
        error_messages={
            "required": gettext_lazy("Select at least one provider."),
            "invalid_choice": gettext_lazy("Unknown provider. Select from the list."),
        },
    )
    offerings = forms.MultipleChoiceField(
        label=IntegrationForm.base_fields["offerings"].label,
        widget=forms.CheckboxSelectMultiple,
        help_text=gettext_lazy("They apply to all selected providers. You can change them later."),
        error_messages={
            "required": gettext_lazy("Select at least one option."),
            "invalid_choice": gettext_lazy("Unknown product. Select from the list."),
        },
    )

    def __init__(self, edition: Edition, rows: Iterable[ProviderRow], **kwargs: Unpack[FormArguments]) -> None:
        super().__init__(**kwargs)
        self.rows = {row.full_name: row for row in rows}
        self.fields["providers"].choices = [(name, name) for name in self.rows]  # type: ignore[attr-defined]
        offerings = [(name, name) for name in edition.offerings]
        self.fields["offerings"].choices = offerings  # type: ignore[attr-defined]
        choices = list_category_choices(edition)
        for name in self.rows:
            label = _("Category of %(name)s") % {"name": name}
            # Required only for the selected providers, which clean() knows.
            self.fields[f"category-{name}"] = forms.ChoiceField(label=label, choices=choices, required=False)

    def clean(self) -> dict[str, Any]:
        """Require the category of each selected provider."""
        for name in self.cleaned_data.get("providers", []):
            if not self.cleaned_data.get(f"category-{name}"):
                self.add_error(f"category-{name}", _("Select a category."))
        return self.cleaned_data

    def get_categories(self) -> dict[str, str]:
        """Return the category by full name of each selected provider. Call on a valid form."""
        return {name: self.cleaned_data[f"category-{name}"] for name in self.cleaned_data["providers"]}
