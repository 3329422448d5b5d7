"""Forms for findings, responses, and messages, also to another partner."""

from typing import Unpack

from django import forms
from django.utils.translation import gettext_lazy

from integrations.submissions.models import Finding
from portal.core.form_fields import MAX_LENGTH_MESSAGE, FormArguments, MultiLineField, WebAddressField


class FindingForm(forms.Form):
    """Finding on a requirement."""

    text = MultiLineField(
        label=gettext_lazy("Requested change"),
        help_text=gettext_lazy("Describe the problem and the expected result. The partner sees this text."),
        max_length=4000,
        widget=forms.Textarea(attrs={"rows": 4, "autofocus": True}),
        error_messages={"required": gettext_lazy("Enter the requested change.")},
    )
    severity = forms.ChoiceField(
        label=gettext_lazy("Severity"),
        help_text=gettext_lazy("The partner can request another review without a response to optional findings."),
        choices=Finding.Severity.choices,
        initial=Finding.Severity.BLOCKING,
    )


class FindingReplyForm(forms.Form):
    """Reply in the thread of a finding."""

    text = MultiLineField(
        label=gettext_lazy("Reply"), max_length=4000, error_messages={"required": gettext_lazy("Enter a reply.")}
    )


class FindingReopeningForm(forms.Form):
    """Reason for reopening a finding, which is optional."""

    text = MultiLineField(label=gettext_lazy("Reason"), max_length=4000, required=False)


class FindingAnswerForm(forms.Form):
    """Partner's response to a finding."""

    answer = MultiLineField(
        label=gettext_lazy("Your response"),
        help_text=gettext_lazy("Describe what you changed."),
        max_length=4000,
        rows=3,
        error_messages={"required": gettext_lazy("Enter a response.")},
    )
    url = WebAddressField(label=gettext_lazy("Link to the commit or page"), max_length=500, required=False)


class MessageForm(forms.Form):
    """Message to the other side, or an internal note."""

    body = MultiLineField(
        label=gettext_lazy("Message"), max_length=8000, error_messages={"required": gettext_lazy("Enter a message.")}
    )
    internal = forms.BooleanField(
        label=gettext_lazy("Internal note"),
        help_text=gettext_lazy("Only program staff can see internal notes."),
        required=False,
    )

    def __init__(self, *, can_write_note: bool, **kwargs: Unpack[FormArguments]) -> None:
        super().__init__(**kwargs)
        if not can_write_note:
            del self.fields["internal"]


class IntroductionRequestForm(forms.Form):
    """Message to the other partner."""

    message = MultiLineField(
        label=gettext_lazy("Message to the other partner"),
        help_text=gettext_lazy("They see only this message until they agree. To stay anonymous, don't mention names."),
        max_length=1000,
        rows=3,
        required=False,
        error_messages={"max_length": MAX_LENGTH_MESSAGE},
    )
