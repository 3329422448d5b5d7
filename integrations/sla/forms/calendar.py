"""Form for a partner's calendar, and a preview of the effects of a change."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Unpack

from django import forms
from django.core.exceptions import ValidationError
from django.forms.models import model_to_dict
from django.utils.dates import WEEKDAYS
from django.utils.translation import gettext as _, gettext_lazy, gettext_noop

from integrations.partners.models import Partner, PartnerCalendar
from integrations.partners.services.calendars import CONTENT_FIELDS, MIN_WEEKLY_WORKDAYS, explain_calendar_refusal
from integrations.sla.engine.types import OPEN_STATES
from integrations.sla.models import IS_MONITORED, SlaClock
from portal.core.business_time import Calendar, add_business_days
from portal.core.form_fields import FormArguments, MultiLineField, SingleLineField
from portal.core.holidays import UnknownRegionError, list_countries, load_holidays
from portal.core.time_zones import list_zone_choices
from portal.core.value_types import NamedValues

HOLIDAY_YEARS_AHEAD = 6
MAX_PREVIEW_DAYS = 24


class CalendarForm(forms.Form):
    """Time zone, workdays, public holidays, and additional holidays. `seen_id` is the edition that the user saw."""

    zone = forms.ChoiceField(
        label=gettext_lazy("Time zone"), help_text=gettext_lazy("Business days start and end in this time zone.")
    )
    workdays = forms.TypedMultipleChoiceField(
        label=gettext_lazy("Workdays"),
        coerce=int,
        widget=forms.CheckboxSelectMultiple,
        choices=list(WEEKDAYS.items()),
        error_messages={"required": gettext_lazy("Select your workdays.")},
    )
    country = forms.ChoiceField(
        label=gettext_lazy("Country"),
        required=False,
        help_text=gettext_lazy("Public holidays of this country are days off."),
    )
    subdivision = SingleLineField(
        label=gettext_lazy("State or region"),
        required=False,
        max_length=20,
        help_text=gettext_lazy(
            "Enter the second part of the ISO 3166-2 code, such as CA. Leave blank for the whole country."
        ),
    )
    extra_days = MultiLineField(
        label=gettext_lazy("Additional holidays"),
        required=False,
        max_lines=60,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=gettext_lazy("Enter one per line, date first. For example, 2026-12-24 Office closed"),
    )
    # A calendar that a colleague saved in the meantime must not be overwritten.
    seen_id = forms.IntegerField(required=False, min_value=0, widget=forms.HiddenInput)

    def __init__(self, *, now: datetime, **kwargs: Unpack[FormArguments]) -> None:
        super().__init__(**kwargs)
        self.now = now
        for name in ("zone", "workdays", "country"):
            self.fields[name].error_messages["invalid_choice"] = _("Select one of the listed options.")
        self.fields["zone"].choices = list_zone_choices()  # type: ignore[attr-defined]
        self.fields["country"].choices = [("", _("None")), *list_countries()]  # type: ignore[attr-defined]

    def clean_extra_days(self) -> dict[str, str]:
        return dict(
            _parse_day_off(n, line)
            for n, line in enumerate(self.cleaned_data["extra_days"].split("\n"), 1)
            if line.strip()
        )

    def clean(self) -> dict[str, object]:
        data = self.cleaned_data
        if self.errors:
            return data
        try:
            data["holidays"] = self._load_holidays()
        except UnknownRegionError as error:
            self.add_error("subdivision", _(error.template) % error.values)
            return data
        if message := explain_calendar_refusal(self.edition):
            self.add_error("workdays" if len(data["workdays"]) < MIN_WEEKLY_WORKDAYS else "extra_days", message)
        return data

    def _load_holidays(self) -> dict[str, str]:
        country = self.cleaned_data["country"]
        subdivision = self.cleaned_data["subdivision"]
        # The codes of regions are unique only within a country.
        if not country:
            if subdivision:
                raise UnknownRegionError(gettext_noop("Select a country, or leave this field blank."))
            return {}
        # A calendar stores the holidays of the years ahead, so that an update of the library doesn't move due dates.
        holidays = load_holidays(country, subdivision, self.now.year, self.now.year + HOLIDAY_YEARS_AHEAD)
        return {day.isoformat(): name for day, name in holidays.items()}

    @property
    def edition(self) -> PartnerCalendar:
        """Return the entered calendar as an unsaved edition."""
        data = {name: self.cleaned_data[name] for name in CONTENT_FIELDS}
        subdivision = data["subdivision"].upper().removeprefix(f"{data['country']}-")
        return PartnerCalendar(**data | {"workdays": sorted(data["workdays"]), "subdivision": subdivision})


def _parse_day_off(line_number: int, line: str) -> tuple[str, str]:
    text, _separator, name = line.strip().partition(" ")
    try:
        return date.fromisoformat(text).isoformat(), name.strip()[:60] or _("Additional holiday")
    except ValueError:
        message = _("Start line %(number)s with a date, such as 2026-12-24.")
        raise ValidationError(message % {"number": line_number}) from None


def build_initial_data(edition: PartnerCalendar | None, zone: str) -> NamedValues:
    """Return the form's initial data from the current calendar, or defaults in the user's time zone."""
    if edition is None:
        return {"zone": zone, "workdays": list(range(5)), "seen_id": 0}
    extra_days = "\n".join(f"{day} {name}" for day, name in sorted(edition.extra_days.items()))
    initial_data = model_to_dict(edition, ("zone", "workdays", "country", "subdivision"))
    return initial_data | {"extra_days": extra_days, "seen_id": edition.pk}


@dataclass(frozen=True, slots=True)
class CalendarPreview:
    """Effects of a new calendar on new issues. Running clocks keep their due dates.

    `due_before` and `due_after` are the ends of five business days in the current and the new calendar.
    """

    open_clocks: int
    due_before: datetime
    due_after: datetime
    new_days_off: list[tuple[date, str]]
    new_workdays: list[date]


def preview_calendar(
    partner: Partner, current: PartnerCalendar | None, proposed_edition: PartnerCalendar, now: datetime
) -> CalendarPreview:
    """Compare five business days from now in both calendars, and list the days that change within a year."""
    current_calendar = current.calendar if current else Calendar()
    new_calendar = proposed_edition.calendar
    first_day = now.astimezone(new_calendar.zone).date()
    # A year contains each holiday once.
    days = [first_day + timedelta(days=n) for n in range(366)]
    changed_days = [day for day in days if current_calendar.is_business_day(day) != new_calendar.is_business_day(day)]
    days_off = [
        (day, new_calendar.names.get(day, _("day off")))
        for day in changed_days
        if not new_calendar.is_business_day(day)
    ]
    open_clocks = SlaClock.objects.filter(integration__partner=partner, state__in=OPEN_STATES, is_committed=True)
    return CalendarPreview(
        open_clocks=open_clocks.filter(IS_MONITORED).count(),
        # Five business days are the published target for issues that are not critical.
        due_before=add_business_days(now, 5, current_calendar).astimezone(UTC),
        due_after=add_business_days(now, 5, new_calendar).astimezone(UTC),
        new_days_off=days_off[:MAX_PREVIEW_DAYS],
        new_workdays=[day for day in changed_days if new_calendar.is_business_day(day)][:MAX_PREVIEW_DAYS],
    )
