"""Form for saved views."""

from typing import Unpack

from django import forms
from django.utils.translation import gettext_lazy

from portal.core.form_fields import FormArguments, SingleLineField


class SavedViewForm(forms.Form):
    """Name of a saved view, and of a new one whether program staff share it."""

    name = SingleLineField(label=gettext_lazy("Name"), max_length=60)
    shared = forms.BooleanField(label=gettext_lazy("Share with all program staff"), required=False)

    def __init__(self, *, can_share: bool = False, **kwargs: Unpack[FormArguments]) -> None:
        super().__init__(**kwargs)
        if not can_share:
            del self.fields["shared"]
