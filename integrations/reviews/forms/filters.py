"""Filters of lists in the URL. An invalid filter shows an error; the others still apply."""

from typing import Unpack

from django import forms
from django.utils.translation import gettext_lazy

from integrations.partners.models import VerificationState
from integrations.submissions.models import Agreement
from integrations.submissions.selectors.agreements import AgreementState
from portal.core.form_fields import FilterField, FormArguments, SingleLineField


class AgreementFilterForm(forms.Form):
    """Filters in the URL of the list. An invalid filter shows an error; the others still apply."""

    q = SingleLineField(label=gettext_lazy("Partner"), required=False, max_length=100, widget=forms.SearchInput)
    kind = FilterField(label=gettext_lazy("Agreement"), choices=Agreement.KINDS)
    version = FilterField(label=gettext_lazy("Version"))
    state = FilterField(label=gettext_lazy("State"), choices=AgreementState.choices)
    method = FilterField(label=gettext_lazy("Method"), choices=Agreement.Method.choices)

    def __init__(self, **kwargs: Unpack[FormArguments]) -> None:
        super().__init__(**kwargs)
        versions = Agreement.objects.order_by("-version").values_list("version", flat=True).distinct()
        self.fields["version"].set_choices((version, version) for version in versions)  # type: ignore[attr-defined]


class PartnerFilterForm(forms.Form):
    """Filters in the URL of the list. An invalid filter shows an error; the others still apply."""

    q = SingleLineField(
        label=gettext_lazy("Name or email domain"), required=False, max_length=100, widget=forms.SearchInput
    )
    state = FilterField(label=gettext_lazy("Verification"), choices=VerificationState.choices)
    owner = FilterField(label=gettext_lazy("Owner"), choices=[("missing", gettext_lazy("No active owner"))])
    contacts = FilterField(label=gettext_lazy("Contacts"), choices=[("unconfirmed", gettext_lazy("Not confirmed"))])
