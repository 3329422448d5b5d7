"""What may a company say about its days, and what would that change? The form of its calendar, and the preview."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import available_timezones

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext, gettext_lazy, gettext_noop
from django.utils.translation import gettext as _

from integrations.partners.holidays import UnknownPlace, countries, snapshot
from integrations.partners.models import CalendarEdition, Partner
from integrations.partners.services.calendars import WEEKDAYS, WORKDAYS_AT_LEAST, Facts, refusal
from integrations.sla.metrics import OPEN_STATES
from integrations.sla.models import Clock
from portal.core.business_time import Calendar, due_business
from portal.core.text_fields import Line, Lines

YEARS_AHEAD = 6
SHOWN_DAYS = 24
ALL_WEEK = range(7)


class CalendarForm(forms.Form):
    """A time zone, the days worked, a place whose public holidays count, and own days off."""

    zone = forms.ChoiceField(label=gettext_lazy("Time zone"), help_text=gettext_lazy("Days begin and end there."))
    workdays = forms.TypedMultipleChoiceField(
        label=gettext_lazy("Working days"), coerce=int, widget=forms.CheckboxSelectMultiple,
        choices=[(n, gettext_lazy(WEEKDAYS[n])) for n in ALL_WEEK],
        error_messages={"required": gettext_lazy("Choose the days on which you work.")},
    )  # fmt: skip
    country = forms.ChoiceField(
        label=gettext_lazy("Country"), required=False,
        help_text=gettext_lazy("Its public holidays are days off, as they are known today."),
    )  # fmt: skip
    subdivision = Line(
        label=gettext_lazy("State or region"), required=False, max_length=20,
        help_text=gettext_lazy(
            "The second part of its code: CA for California, BY for Bavaria. Blank for the whole country."
        ),
    )  # fmt: skip
    extra_days = Lines(
        label=gettext_lazy("Own days off"), required=False, max_lines=60, widget=forms.Textarea(attrs={"rows": 4}),
        help_text=gettext_lazy("One a line, the date first: 2026-12-24 Office closed"),
    )  # fmt: skip

    def __init__(self, *args: Any, now: datetime, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.now = now
        for name in ("zone", "workdays", "country"):
            self.fields[name].error_messages["invalid_choice"] = _("There is no such choice here: choose another.")
        zones = sorted(
            name for name in available_timezones() if "/" in name and not name.startswith(("Etc/", "SystemV"))
        )
        self.fields["zone"].choices = [("UTC", "UTC"), *((name, name) for name in zones)]  # type: ignore[attr-defined]
        self.fields["country"].choices = [("", _("None")), *countries()]  # type: ignore[attr-defined]

    def clean_extra_days(self) -> dict[str, str]:
        return dict(
            _day(n, line) for n, line in enumerate(self.cleaned_data["extra_days"].split("\n"), 1) if line.strip()
        )

    def clean(self) -> dict[str, Any]:
        kept = self.cleaned_data
        if self.errors:
            return kept
        try:
            kept["holidays"] = self._holidays()
        except UnknownPlace as unknown:
            self.add_error("subdivision", _(unknown.words) % unknown.values)
            return kept
        if why := refusal(self.facts):
            self.add_error("workdays" if len(self.facts.workdays) < WORKDAYS_AT_LEAST else "extra_days", why)
        return kept

    def _holidays(self) -> dict[str, str]:
        country, part = self.cleaned_data["country"], self.cleaned_data["subdivision"]
        if not country:
            if part:
                raise UnknownPlace(gettext_noop("Choose the country too, or leave this blank."))
            return {}
        found = snapshot(country, part, self.now.year, self.now.year + YEARS_AHEAD)
        return {day.isoformat(): name for day, name in found.items()}

    @property
    def facts(self) -> Facts:
        """What was typed, as the action takes it."""
        kept = self.cleaned_data
        part = kept["subdivision"].upper().removeprefix(f"{kept['country']}-")
        return Facts(
            kept["zone"], tuple(sorted(kept["workdays"])), kept["country"], part, kept["holidays"], kept["extra_days"]
        )


def _day(number: int, line: str) -> tuple[str, str]:
    text, _, name = line.strip().partition(" ")
    try:
        return date.fromisoformat(text).isoformat(), name.strip()[:60] or gettext("own day off")
    except ValueError:
        raise ValidationError(
            gettext("Line %(number)s does not begin with a date like 2026-12-24.") % {"number": number}
        ) from None


def initial_of(edition: CalendarEdition | None, zone: str) -> dict[str, Any]:
    """The calendar in force as the form shows it; without one it begins with the reader's zone."""
    if edition is None:
        return {"zone": zone, "workdays": list(range(5))}
    own = "\n".join(f"{day} {name}" for day, name in sorted(edition.extra_days.items()))
    return {
        "zone": edition.zone, "workdays": edition.workdays, "country": edition.country,
        "subdivision": edition.subdivision, "extra_days": own,
    }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Preview:
    """What a new calendar changes: nothing for the clocks that run, other days for issues opened from now on."""

    open_clocks: int
    before: datetime
    after: datetime
    off: list[tuple[date, str]]
    on: list[date]


def preview(partner: Partner, edition: CalendarEdition | None, fresh: CalendarEdition, now: datetime) -> Preview:
    """Five business days from now as it was and as it would be, and the days of the next year that change."""
    was, will = edition.calendar if edition else Calendar(), fresh.calendar
    first = now.astimezone(will.zone).date()
    days = [first + timedelta(days=n) for n in range(366)]
    changed = [day for day in days if was.is_business_day(day) != will.is_business_day(day)]
    off = [(day, will.names.get(day, _("not worked"))) for day in changed if not will.is_business_day(day)]
    running = Clock.objects.filter(integration__partner=partner, state__in=OPEN_STATES, promised=True)
    return Preview(
        open_clocks=running.filter(watch__ended_at=None).count(),
        before=due_business(now, 5, was).astimezone(UTC),
        after=due_business(now, 5, will).astimezone(UTC),
        off=off[:SHOWN_DAYS],
        on=[day for day in changed if will.is_business_day(day)][:SHOWN_DAYS],
    )
