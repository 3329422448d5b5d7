"""What may people type in a review, and is it fit? Findings, answers to them, words of the thread."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from portal.core.text_fields import MultiLineField


class FindingForm(forms.Form):
    """One remark on one requirement."""

    text = MultiLineField(
        label=gettext_lazy("What should change"),
        help_text=gettext_lazy(
            "The partner reads it when changes are requested. Say what you saw and what settles it."
        ),
        max_length=4000,
        error_messages={"required": gettext_lazy("Say what should change.")},
    )


class FindingAnswerForm(forms.Form):
    """What the partner did about a finding."""

    answer = MultiLineField(
        label=gettext_lazy("What you changed"),
        help_text=gettext_lazy("Or where it can be seen: a commit, a release, a page."),
        max_length=4000,
        error_messages={"required": gettext_lazy("Say what you changed, or where it can be seen.")},
    )


class MessageForm(forms.Form):
    """A word in the thread, or a note of the program."""

    body = MultiLineField(
        label=gettext_lazy("Message"),
        max_length=8000,
        error_messages={"required": gettext_lazy("There is nothing to say yet.")},
    )
    internal = forms.BooleanField(
        label=gettext_lazy("Keep it as a note"),
        help_text=gettext_lazy("Notes are for the program. The partner never sees them."),
        required=False,
    )

    def __init__(self, *args: Any, can_write_note: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not can_write_note:
            del self.fields["internal"]
