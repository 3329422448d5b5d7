"""Forms for proposing, accepting, canceling, and completing meetings."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import partial
from typing import Unpack

from django import forms
from django.core.exceptions import ValidationError
from django.utils import dateformat, timezone
from django.utils.translation import gettext as _, gettext_lazy, ngettext

from integrations.submissions.services.meetings import MAX_PROPOSED_TIMES
from portal.core.form_fields import FieldArguments, FormArguments, MultiLineField, SingleLineField, UtcDateTimeField

MEETING_MINUTES = (15, 30, 45, 60, 90, 120)
build_place_field = partial(
    SingleLineField,
    label=gettext_lazy("Location"),
    help_text=gettext_lazy("Enter a link to a call or a phone number."),
    max_length=300,
    required=False,
)


def format_moment(moment: datetime) -> str:
    """Return a time such as "Tue, Apr 14, 2:10 PM" in the reader's time zone."""
    return dateformat.format(timezone.localtime(moment), "D, M j, g:i A")


def list_durations() -> list[tuple[int, str]]:
    """Return the durations of meetings in minutes, with their labels in the reader's language."""
    return [
        (number, ngettext("%(count)s minute", "%(count)s minutes", number) % {"count": number})
        for number in MEETING_MINUTES
    ]


class LocalDateTimeField(UtcDateTimeField):
    """Time in the reader's time zone."""

    def __init__(self, **kwargs: Unpack[FieldArguments]) -> None:
        widget = forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M")
        error_messages = {
            "required": gettext_lazy("Propose at least one time."),
            "invalid": gettext_lazy("Enter a date and time as YYYY-MM-DD HH:MM."),
        }
        super().__init__(widget=widget, error_messages=error_messages, **kwargs)

    def validate(self, value: datetime | None) -> None:
        super().validate(value)
        # A date with a mistyped year can still be valid.
        if value is not None and not 2000 <= value.year <= 2100:
            raise ValidationError(_("Check the year."))


class MeetingProposalForm(forms.Form):
    """One to five times, the duration, and the location."""

    time_1 = LocalDateTimeField(label=gettext_lazy("Time 1"))
    time_2 = LocalDateTimeField(label=gettext_lazy("Time 2"), required=False)
    time_3 = LocalDateTimeField(label=gettext_lazy("Time 3"), required=False)
    time_4 = LocalDateTimeField(label=gettext_lazy("Time 4"), required=False)
    time_5 = LocalDateTimeField(label=gettext_lazy("Time 5"), required=False)
    minutes = forms.TypedChoiceField(
        label=gettext_lazy("Duration"),
        choices=list_durations,
        coerce=int,
        initial=45,
        error_messages={
            "required": gettext_lazy("Select a duration."),
            "invalid_choice": gettext_lazy("Select a duration from the list."),
        },
    )
    place = build_place_field()

    def clean(self) -> dict[str, object]:
        data = super().clean() or {}
        names = [f"time_{number}" for number in range(1, MAX_PROPOSED_TIMES + 1)]
        for name in names:
            if data.get(name) and data[name] <= timezone.now():
                self.add_error(name, _("Enter a time in the future."))
        data["times"] = tuple(data[name] for name in names if data.get(name))
        return data


class MeetingAcceptanceForm(forms.Form):
    """One of the proposed times, and a location if the proposal has none."""

    time = forms.TypedChoiceField(
        label=gettext_lazy("Time"),
        coerce=datetime.fromisoformat,
        widget=forms.RadioSelect,
        error_messages={
            "required": gettext_lazy("Select a time."),
            "invalid_choice": gettext_lazy("This time is no longer available. Select another one."),
        },
    )
    place = build_place_field()

    def __init__(self, times: Sequence[datetime], *, has_place: bool, **kwargs: Unpack[FormArguments]) -> None:
        super().__init__(**kwargs)
        choices = [(moment.isoformat(), format_moment(moment)) for moment in times]
        self.fields["time"].choices = choices  # type: ignore[attr-defined]
        if len(choices) == 1:
            self.fields["time"].initial = choices[0][0]
        if has_place:
            del self.fields["place"]


class MeetingCancellationForm(forms.Form):
    """Reason for a cancellation."""

    reason = SingleLineField(
        label=gettext_lazy("Reason"),
        max_length=300,
        error_messages={"required": gettext_lazy("Enter a reason. We send it to the other side.")},
    )


class MeetingCompletionForm(forms.Form):
    """Items shown in the meeting, and notes."""

    notes = MultiLineField(
        label=gettext_lazy("Notes"),
        help_text=gettext_lazy("Summarize the demonstration and the decisions. The partner sees these notes."),
        max_length=4000,
        required=False,
    )

    def __init__(self, items: tuple[str, ...], shown_items: Iterable[str], **kwargs: Unpack[FormArguments]) -> None:
        super().__init__(**kwargs)
        if items:
            field = forms.MultipleChoiceField(
                label=_("Items shown"),
                choices=[(item, item) for item in items],
                initial=list(shown_items),
                required=False,
                widget=forms.CheckboxSelectMultiple,
            )
            self.fields = {"shown": field, **self.fields}
