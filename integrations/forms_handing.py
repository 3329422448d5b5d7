"""What may people type where something is handed in that is not a list of questions, and is it fit?"""

from collections.abc import Sequence
from datetime import datetime, time, timedelta
from typing import Any
from uuid import uuid4

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone

from integrations.forms_requirements import Day
from integrations.plain import Line, Lines
from integrations.uploads import UploadField, oversized, wanted

LONGEST_WAIVER = timedelta(days=366 * 2)


class Confirm(forms.Form):
    """Say in so many words that a statement is true."""

    confirmed = forms.BooleanField(error_messages={"required": "Tick this to confirm it."})

    def __init__(self, statement: str, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["confirmed"].label = statement


class Press(forms.Form):
    """A button that asks nothing."""


class PressOne(forms.Form):
    """A button beside one of several things; `uuid` names which."""

    uuid = forms.UUIDField(
        widget=forms.HiddenInput, error_messages={"required": "Choose one of them.", "invalid": "Choose one of them."}
    )


class InPlaceOf(forms.Form):
    """Forms that may put something new in the place of something that is there: (uuid, name) pairs."""

    def __init__(self, *args: Any, there: Sequence[tuple[str, str]] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["replaces"] = forms.ChoiceField(
            label="In the place of",
            choices=[("", "Nothing: it comes in addition"), *there],
            required=False,
            widget=forms.Select if there else forms.HiddenInput,
            error_messages={"invalid_choice": "That one was replaced or removed meanwhile."},
        )


class WithFile(forms.Form):
    """Forms with a file: one that was too large never arrived, and the form says so."""

    def __init__(self, *args: Any, request: Any, accept: tuple[str, ...], needed: bool = True, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = UploadField(accept=accept, label="File", required=needed, help_text=wanted(accept))
        field.was_oversized = "file" in oversized(request)
        self.fields["file"] = field


class Upload(InPlaceOf, WithFile):
    """A document, in addition or in the place of another one."""


class Sign(WithFile):
    """One side's signature. The version is asked of the side that begins."""

    version = Line(label="Version", help_text="As it stands on the document, such as 2026-01.", max_length=40)
    signer = Line(label="Signed by", help_text="Name of the person who signed.", max_length=120)
    signed_on = Day(label="Signed on")

    def __init__(self, *args: Any, version: str = "", **kwargs: Any) -> None:
        super().__init__(*args, accept=("pdf",), needed=False, **kwargs)
        self.fields["file"].label = "Signed document (PDF)"
        self.fields["file"].help_text = "Only owners of the company and the program can read it."
        if version:
            del self.fields["version"]


class Unshown(forms.Textarea):
    """What was typed here is never put back into a page."""

    def format_value(self, value: Any) -> str:
        return ""


class SecretText(forms.CharField):
    """Several lines, kept as they are but for their line ends."""

    widget = Unshown(attrs={"rows": 5, "autocomplete": "off", "spellcheck": "false"})

    def to_python(self, value: Any) -> str:
        text = (super().to_python(value) or "").replace("\r\n", "\n").replace("\r", "\n").strip("\n")
        if "\x00" in text:
            raise ValidationError("There is a character in it that cannot be seen. Paste it again as plain text.")
        return text


class Account(InPlaceOf):
    """A test account. The value is never shown again and never put back into the form."""

    uuid = forms.UUIDField(widget=forms.HiddenInput, error_messages={"required": "Open this page again."})
    label = Line(
        label="What it opens", help_text="Such as: administrator of the test tenant. No secrets here.", max_length=120
    )
    secret = SecretText(
        label="Credentials",
        help_text="User name, password, keys, address: one a line. Encrypted at once and never shown to your company.",
        max_length=8000,
        strip=False,
        error_messages={"required": "Write the credentials: they are not kept between two tries."},
    )
    permanent = forms.BooleanField(
        label="Permanent: keep it for re-checks after the review, until we withdraw it", required=False
    )

    def __init__(self, *args: Any, may_stay: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["uuid"].initial = uuid4
        if not may_stay:
            del self.fields["permanent"]


ONE_ACCOUNT = {"required": "Choose one of them.", "invalid_choice": "This account was replaced or withdrawn meanwhile."}


class Reveal(forms.Form):
    """Why an account is opened."""

    uuid = forms.ChoiceField(label="Account", widget=forms.RadioSelect, error_messages=ONE_ACCOUNT)
    reason = Line(
        label="Why you open it",
        help_text="Written down with your name; the company gets a mail.",
        max_length=300,
        error_messages={"required": "Say why: the reason is written down and the company reads it."},
    )

    def __init__(self, accounts: Sequence[tuple[str, str]], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["uuid"].choices = accounts  # type: ignore[attr-defined]
        if len(accounts) == 1:
            self.fields["uuid"].widget = forms.HiddenInput()
            self.fields["uuid"].initial = accounts[0][0]


class Waive(forms.Form):
    """For what reason, and until when, a requirement counts as met."""

    reason = Lines(
        label="Reason",
        help_text="The company and the listing show it.",
        max_length=500,
        rows=3,
        error_messages={"required": "Say why: the reason is shown with the waiver."},
    )
    until = Day(label="Until the end of")

    def clean_until(self) -> datetime:
        day = self.cleaned_data["until"]
        end = timezone.make_aware(datetime.combine(day, time(23, 59)))
        if end <= timezone.now():
            raise ValidationError("A waiver needs an end in the future.")
        if end > timezone.now() + LONGEST_WAIVER:
            raise ValidationError("A waiver lasts two years at most.")
        return end
