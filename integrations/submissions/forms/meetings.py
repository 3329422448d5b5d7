"""What may people type around a meeting: times in their own zone, a place, a reason, what was shown?"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils import dateformat, timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from integrations.submissions.services.meetings import MAX_PROPOSED_TIMES
from portal.core.form_fields import UtcDateTimeField
from portal.core.text_fields import MultiLineField, SingleLineField

MEETING_MINUTES = (15, 30, 45, 60, 90, 120)


def format_moment(moment: datetime) -> str:
    """ "Tue 14 Apr, 14:10" in the reader's zone."""
    return dateformat.format(timezone.localtime(moment), "D j M, H:i")


class LocalDateTimeField(UtcDateTimeField):
    """A moment in the reader's own zone."""

    def __init__(self, **kwargs: Any) -> None:
        widget = forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M")
        error_messages = {
            "required": _("Propose at least one time."),
            "invalid": _("Write day and time as in 2026-04-14 14:10."),
        }
        super().__init__(widget=widget, error_messages=error_messages, **kwargs)

    def validate(self, value: datetime | None) -> None:
        super().validate(value)
        if value is not None and not 2000 <= value.year <= 2100:
            raise ValidationError(_("Check the year."))


class MeetingProposalForm(forms.Form):
    """One to five times, how long, and where."""

    time_1 = LocalDateTimeField(label=gettext_lazy("Time 1"))
    time_2 = LocalDateTimeField(label=gettext_lazy("Time 2"), required=False)
    time_3 = LocalDateTimeField(label=gettext_lazy("Time 3"), required=False)
    time_4 = LocalDateTimeField(label=gettext_lazy("Time 4"), required=False)
    time_5 = LocalDateTimeField(label=gettext_lazy("Time 5"), required=False)
    minutes = forms.TypedChoiceField(
        label=gettext_lazy("How long"),
        choices=[(number, f"{number} minutes") for number in MEETING_MINUTES],
        coerce=int,
        initial=45,
        error_messages={
            "required": gettext_lazy("Say how long."),
            "invalid_choice": gettext_lazy("Choose one of the lengths that are shown."),
        },
    )
    place = SingleLineField(
        label=gettext_lazy("Where"),
        help_text=gettext_lazy("A link to a call, or a number."),
        max_length=300,
        required=False,
    )

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        names = [f"time_{number}" for number in range(1, MAX_PROPOSED_TIMES + 1)]
        for name in names:
            if data.get(name) and data[name] <= timezone.now():
                self.add_error(name, _("This time has passed: propose one in the future."))
        data["times"] = tuple(data[name] for name in names if data.get(name))
        return data


class MeetingAcceptanceForm(forms.Form):
    """One of the proposed times, and a place where none is named yet."""

    time = forms.TypedChoiceField(
        label=gettext_lazy("Which time suits you"),
        coerce=datetime.fromisoformat,
        widget=forms.RadioSelect,
        error_messages={
            "required": gettext_lazy("Choose one of the times."),
            "invalid_choice": gettext_lazy("This time is no longer proposed."),
        },
    )
    place = SingleLineField(
        label=gettext_lazy("Where"),
        help_text=gettext_lazy("A link to a call, or a number."),
        max_length=300,
        required=False,
    )

    def __init__(self, times: Sequence[datetime], *args: Any, has_place: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = [(moment.isoformat(), format_moment(moment)) for moment in times]
        self.fields["time"].choices = choices  # type: ignore[attr-defined]
        if has_place:
            del self.fields["place"]


class MeetingCancellationForm(forms.Form):
    """Why a meeting does not take place."""

    reason = SingleLineField(
        label=gettext_lazy("Why"),
        max_length=300,
        error_messages={"required": gettext_lazy("Say why, so that the other side knows.")},
    )


class MeetingCompletionForm(forms.Form):
    """What was shown, and what was agreed."""

    notes = MultiLineField(
        label=gettext_lazy("Notes"),
        help_text=gettext_lazy("What was shown and agreed. The company reads it."),
        max_length=4000,
        required=False,
    )

    def __init__(self, items: tuple[str, ...], shown_items: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if items:
            field = forms.MultipleChoiceField(
                label=_("What was shown"),
                choices=[(item, item) for item in items],
                initial=list(shown_items),
                required=False,
                widget=forms.CheckboxSelectMultiple,
            )
            self.fields = {"shown": field, **self.fields}
