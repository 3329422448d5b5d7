"""Form of the GitHub organization that verifies a company."""

from django import forms
from django.utils.translation import gettext_lazy

from portal.core.form_fields import SingleLineField


class OrganizationForm(forms.Form):
    """Name of a GitHub organization."""

    organization = SingleLineField(
        label=gettext_lazy("GitHub organization"),
        max_length=39,
        help_text=gettext_lazy("The name in the URL of your organization on GitHub."),
    )
