"""Forms of the actions on a requirement, except for meetings and test accounts."""

from collections.abc import Sequence
from datetime import UTC, datetime, time, timedelta
from typing import Unpack

from django import forms
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _, gettext_lazy
from django_stubs_ext import StrOrPromise

from portal.core.form_fields import DayField, FormArguments, MultiLineField, SingleLineField
from portal.core.uploads import UploadField, describe_accepted_files, get_oversized_fields
from portal.ui.components.moments import format_day

MAX_WAIVER_PERIOD = timedelta(days=366 * 2)
WAIVER_END_TIME = time(23, 59)  # in UTC, so that all readers see the same day


class ItemButtonForm(forms.Form):
    """Button for one of several items; `uuid` identifies the item."""

    uuid = forms.UUIDField(
        widget=forms.HiddenInput,
        error_messages={
            "required": gettext_lazy("Select an item."),
            "invalid": gettext_lazy("Select an item."),
        },
    )


def build_replaces_field(replaceable: Sequence[tuple[str, str]]) -> forms.ChoiceField:
    """Return a field to choose which of the existing items, given as (uuid, name) pairs, the submission replaces."""
    return forms.ChoiceField(
        label=_("Replaces"),
        choices=[("", _("Nothing (add a new one)")), *replaceable],
        required=False,
        widget=forms.Select if replaceable else forms.HiddenInput,
        error_messages={"invalid_choice": _("This item was replaced or removed. Reload the page.")},
    )


def build_reason_field(help_text: StrOrPromise, *, missing: StrOrPromise, max_length: int = 500) -> MultiLineField:
    """Return a field for the reason of an action. `missing`: the error if there is none."""
    return MultiLineField(
        label=gettext_lazy("Reason"),
        help_text=help_text,
        max_length=max_length,
        rows=3,
        error_messages={"required": missing},
    )


class FileForm(forms.Form):
    """Form with a file field that reports files rejected for their size."""

    def __init__(self, *, request: HttpRequest, accept: tuple[str, ...], **kwargs: Unpack[FormArguments]) -> None:
        super().__init__(**kwargs)
        field = UploadField(accept=accept, label=_("File"), help_text=describe_accepted_files(accept))
        field.was_oversized = "file" in get_oversized_fields(request)
        self.fields["file"] = field


class DocumentUploadForm(FileForm):
    """Document to add, or to replace an existing one."""

    def __init__(
        self,
        *,
        request: HttpRequest,
        accept: tuple[str, ...],
        replaceable: Sequence[tuple[str, str]] = (),
        **kwargs: Unpack[FormArguments],
    ) -> None:
        super().__init__(request=request, accept=accept, **kwargs)
        self.fields["replaces"] = build_replaces_field(replaceable)


class SignatureForm(forms.Form):
    """Signature of one side under the text with `digest`. The page shows the statement that signing confirms."""

    signer = SingleLineField(
        label=gettext_lazy("Full name"),
        help_text=gettext_lazy("Type your name as in a signature. The signed agreement shows it."),
        max_length=120,
        error_messages={"required": gettext_lazy("Enter your full name.")},
    )
    title = SingleLineField(
        label=gettext_lazy("Title"),
        help_text=gettext_lazy("For example, Head of Partnerships."),
        max_length=120,
        error_messages={"required": gettext_lazy("Enter your title.")},
    )
    digest = SingleLineField(widget=forms.HiddenInput, max_length=64)


class SignedPdfForm(FileForm):
    """Upload of the PDF that both sides signed outside the portal."""

    signer = SingleLineField(
        label=gettext_lazy("Signed by"),
        help_text=gettext_lazy("Enter the person who signed for your company."),
        max_length=120,
        error_messages={"required": gettext_lazy("Enter who signed for your company.")},
    )
    title = SingleLineField(
        label=gettext_lazy("Title of the signer"),
        max_length=120,
        error_messages={"required": gettext_lazy("Enter the title of the signer.")},
    )
    digest = SingleLineField(widget=forms.HiddenInput, max_length=64)

    def __init__(self, *, request: HttpRequest, **kwargs: Unpack[FormArguments]) -> None:
        super().__init__(request=request, accept=("pdf",), **kwargs)


class SignedPdfRejectionForm(forms.Form):
    """Reason for the rejection of a signed PDF."""

    reason = build_reason_field(
        gettext_lazy("We send the reason to the partner by email."),
        missing=gettext_lazy("Enter a reason, so that the partner can correct the PDF."),
        max_length=400,
    )


class AttestationForm(forms.Form):
    """Confirmation of a statement, and of `others`: (requirement ID, statement) pairs that can be confirmed too."""

    confirmed = forms.BooleanField(error_messages={"required": gettext_lazy("Select the checkbox to confirm.")})
    also = forms.MultipleChoiceField(
        label=gettext_lazy("Confirm these statements too"), required=False, widget=forms.CheckboxSelectMultiple
    )

    def __init__(self, statement: str, others: Sequence[tuple[str, str]] = (), **kwargs: Unpack[FormArguments]) -> None:
        super().__init__(**kwargs)
        self.fields["confirmed"].label = statement
        self.fields["also"].choices = others  # type: ignore[attr-defined]
        if not others:
            del self.fields["also"]
        # Only what the page showed: a statement that became open since then has not been read.
        if all_ids := self.data.get("all"):  # the button that confirms every statement that the page showed
            self.data = {"confirmed": "on", "also": all_ids.split(",")}

    @property
    def other_ids(self) -> list[str]:
        """Return the requirement IDs of the other statements."""
        return [value for value, _label in self.fields["also"].choices] if "also" in self.fields else []  # type: ignore[attr-defined]


class WaiverForm(forms.Form):
    """Reason and expiration date of a waiver."""

    reason = build_reason_field(
        gettext_lazy("The partner and the public listing show this reason."),
        missing=gettext_lazy("Enter a reason. The partner and the public listing show it."),
    )
    until = DayField(
        label=gettext_lazy("Expiration date"),
        help_text=gettext_lazy("The waiver ends at 11:59 PM UTC on this day."),
    )

    def clean_until(self) -> datetime:
        # West of UTC, the day that is still today for the reviewer can be over. The messages name a day that works.
        now, end = timezone.now(), datetime.combine(self.cleaned_data["until"], WAIVER_END_TIME, UTC)
        if end <= now:
            first_day = format_day((now + timedelta(minutes=1)).astimezone(UTC).date(), now)
            message = _("Enter %(day)s or later. In UTC, the day that you entered is over.")
            raise ValidationError(message % {"day": first_day})
        if end > now + MAX_WAIVER_PERIOD:
            last_day = (now + MAX_WAIVER_PERIOD - timedelta(hours=23, minutes=59)).astimezone(UTC).date()
            message = _("Enter %(day)s or earlier. A waiver can last up to two years.")
            raise ValidationError(message % {"day": format_day(last_day, now)})
        return end


class WaiverRequestForm(forms.Form):
    """Reason why the program should waive a requirement."""

    reason = build_reason_field(
        gettext_lazy("Explain why you can't complete the requirement, and until when."),
        missing=gettext_lazy("Enter a reason. The program decides based on it."),
    )


class WaiverDeclineForm(forms.Form):
    """Reason for declining a request for a waiver."""

    reason = build_reason_field(
        gettext_lazy("We send the reason to the partner by email."),
        missing=gettext_lazy("Enter a reason. We record it with the decision."),
    )


class WaiverEndForm(forms.Form):
    """Reason for ending a waiver before its expiration date."""

    reason = build_reason_field(
        gettext_lazy("We send the reason to the partner by email."),
        missing=gettext_lazy("Enter a reason. The partner relied on the waiver."),
    )
