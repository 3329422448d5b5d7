"""Forms of notification preferences and of the filters of the audit log."""

from collections.abc import Mapping
from typing import Unpack

from django import forms
from django.utils.translation import gettext as _, gettext_lazy

from integrations.partners import permissions
from portal.accounts.models import User
from portal.audit.event_types import DESCRIPTIONS, EMAILS, EVENT_TYPES, Audience
from portal.core.form_fields import DayField, FilterField, FormArguments, SingleLineField, send_initial_values
from portal.notifications.categories import CATEGORIES, NotificationCategory
from portal.notifications.models import NotificationPreference
from portal.notifications.preferences import get_mode, save_preferences

AUDIT_DETAILS = ("digest", "finding", "introduction", "issue", "requirement", "version", "webhook")  # data of events
AUDIENCE_BY_SIDE = {"partner": Audience.PARTNER_TEAM, "program": Audience.PROGRAM_TEAM}


def list_sides(person: User) -> set[str]:
    """Return the sides whose notifications a person can receive."""
    sides = {"program" if permissions.is_program_staff(person) else "partner"}
    return sides | {"partner"} if permissions.get_roles(person) else sides


def list_categories(person: User) -> list[NotificationCategory]:
    """Return the categories that a person can receive."""
    return [category for category in CATEGORIES if category.side in {"", *list_sides(person)}]


def list_event_types(person: User, category: NotificationCategory) -> list[str]:
    """Return the event types of a category that a person can receive, if there are several."""
    hidden = {audience for side, audience in AUDIENCE_BY_SIDE.items() if side not in list_sides(person)}
    event_types = [event_type for event_type in category.event_types if EMAILS[event_type].audience not in hidden]
    return event_types if len(event_types) > 1 else []


class NotificationPreferencesForm(forms.Form):
    """Delivery mode of each category and event type, and whether emails wait for working hours."""

    def __init__(self, person: User, **kwargs: Unpack[FormArguments]) -> None:
        super().__init__(**kwargs)
        self.person = person
        preference = NotificationPreference.objects.filter(user=person).first()
        mode_by_key = preference.delivery if preference else {}
        self.sections: list[tuple[forms.BoundField, list[forms.BoundField]]] = []
        for category in list_categories(person):
            # People can't choose for these categories. The page lists them with the reason.
            if not category.locked:
                self._add_category(category, mode_by_key)
        self.fields["only_in_working_hours"] = forms.BooleanField(
            label=_("Hold emails until my working hours"),
            help_text=_("Monday to Friday, 9 AM to 5 PM (%(zone)s). Required notifications arrive immediately.")
            % {"zone": person.zone},
            required=False,
            initial=bool(preference and preference.only_in_working_hours),
        )
        send_initial_values(self)

    def _add_category(self, category: NotificationCategory, mode_by_key: Mapping[str, str]) -> None:
        choices = [(mode.value, mode.label) for mode in category.list_modes()]
        self.fields[category.key] = forms.ChoiceField(
            label=_(category.title),
            help_text=_(category.description),
            choices=choices,
            initial=str(get_mode(mode_by_key, category)),
        )
        event_types = list_event_types(self.person, category)
        for event_type in event_types:
            self.fields[event_type] = forms.ChoiceField(
                label=_(DESCRIPTIONS[event_type]),
                choices=[("", _("Same as category")), *choices],
                required=False,
                initial=mode_by_key.get(event_type, ""),
            )
        self.sections.append((self[category.key], [self[event_type] for event_type in event_types]))

    def save(self) -> None:
        # A page that was opened earlier must not revert what was changed since.
        changes = {name: self.cleaned_data[name] for name in self.changed_data}
        only_in_working_hours = changes.pop("only_in_working_hours", None)
        save_preferences(self.person, changes, only_in_working_hours)


class AuditLogFilterForm(forms.Form):
    """Filters in the URL of the audit log. An invalid filter shows an error; the others still apply."""

    person = SingleLineField(label=gettext_lazy("Person"), required=False, max_length=100)
    partner = SingleLineField(label=gettext_lazy("Partner"), required=False, max_length=120)
    stream = SingleLineField(label=gettext_lazy("Object"), required=False, max_length=100)
    detail = forms.RegexField(
        rf"^({'|'.join(AUDIT_DETAILS)}):.{{1,100}}$",
        label=gettext_lazy("Detail"),
        required=False,
        error_messages={"invalid": gettext_lazy("Enter a name and a value, such as requirement:NO-3.")},
    )
    kind = FilterField(
        label=gettext_lazy("Event type"),
        choices=[(event_type, event_type) for event_type in sorted(EVENT_TYPES)],
    )
    first_day = DayField(label=gettext_lazy("From"), required=False)
    last_day = DayField(label=gettext_lazy("To"), required=False)

    def clean_detail(self) -> str:
        """Require the object or the partner: without an index on the data, a search of the whole log is slow."""
        detail = str(self.cleaned_data["detail"])
        if detail and not (self.cleaned_data.get("stream") or self.cleaned_data.get("partner")):
            raise forms.ValidationError(_("Also enter an object or a partner."))
        return detail
