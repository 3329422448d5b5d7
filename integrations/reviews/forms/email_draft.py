"""Form for the email of a decision."""

from typing import Unpack

from django import forms
from django.utils.translation import gettext_lazy, gettext_noop

from portal.core.form_fields import FormArguments, MultiLineField, SingleLineField, send_initial_values
from portal.core.value_types import NamedValues
from portal.notifications.rendering import MAX_SUBJECT_LENGTH

NOTE_PLACEHOLDER = gettext_noop("(Your note appears here.)")


class EmailDraftForm(forms.Form):
    """Subject and Markdown of an email. Hidden copies of the template's text tell whether a person edited it."""

    prefix = "email"
    subject = SingleLineField(label=gettext_lazy("Subject"), max_length=MAX_SUBJECT_LENGTH)
    body = MultiLineField(
        label=gettext_lazy("Text"),
        max_length=20_000,
        rows=14,
        help_text=gettext_lazy(
            "Markdown. If you edit the email, later changes to your note appear only in the history."
        ),
    )

    def __init__(self, **kwargs: Unpack[FormArguments]) -> None:
        super().__init__(**kwargs)
        send_initial_values(self)

    def is_edited(self) -> bool:
        """Return whether the text differs from the template's."""
        return self.is_bound and self.has_changed()

    def get_inputs(self, note: str) -> NamedValues:
        """Return the valid edited email as input of a transition, nothing for the template's text.

        A note that was written after the email takes the place that the template left for it.
        """
        if not self.is_edited() or not self.is_valid():
            return {}
        # The template quotes the note, and Markdown needs the mark on each line.
        quoted_note = note.replace("\n", "\n> ")
        return {"email": self.cleaned_data | {"body": self.cleaned_data["body"].replace(NOTE_PLACEHOLDER, quoted_note)}}
