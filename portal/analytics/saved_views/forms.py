"""Forms for saved views."""

from django import forms
from django.utils.translation import gettext_lazy

from portal.core.form_fields import SingleLineField


class SavedViewForm(forms.Form):
    """Name of a saved view."""

    name = SingleLineField(label=gettext_lazy("Name"), max_length=60)


class SharableViewForm(SavedViewForm):
    """Name of a new view, and whether program staff share it."""

    shared = forms.BooleanField(label=gettext_lazy("Share with all program staff"), required=False)
