"""What may people type about a saved view?"""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from portal.core.text_fields import SingleLineField


class SavedViewForm(forms.Form):
    """A name for the list as it is, and whether the program shares it."""

    name = SingleLineField(label=gettext_lazy("Name"), max_length=60)
    shared = forms.BooleanField(label=gettext_lazy("For everyone of the program"), required=False)

    def __init__(self, *args: Any, can_share: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not can_share:
            del self.fields["shared"]


class RenameSavedViewForm(forms.Form):
    """Another name."""

    name = SingleLineField(label=gettext_lazy("Name"), max_length=60)
