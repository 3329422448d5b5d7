"""Form of notification preferences: one field per category that the person receives and can turn off."""

from typing import Unpack

from django import forms
from django.utils.translation import gettext as _

from integrations.partners import permissions
from portal.accounts.models import User
from portal.core.django_arguments import FormArguments
from portal.notifications.categories import CATEGORIES, MODE_LABELS, NotificationCategory
from portal.notifications.models.preferences import NotificationPreference
from portal.notifications.preferences import get_mode, save_preferences


def list_categories(person: User) -> list[NotificationCategory]:
    """Return the categories that a person can receive."""
    sides = {"", "program" if permissions.is_program_staff(person) else "partner"}
    if permissions.get_roles(person):
        sides.add("partner")
    return [category for category in CATEGORIES if category.side in sides]


class NotificationPreferencesForm(forms.Form):
    """Delivery mode of each category, and whether emails wait for working hours."""

    def __init__(self, person: User, **kwargs: Unpack[FormArguments]) -> None:
        super().__init__(**kwargs)
        self.person = person
        preference = NotificationPreference.objects.filter(user=person).first()
        mode_by_category = preference.delivery if preference else {}
        for category in list_categories(person):
            if not category.locked:
                self.fields[category.key] = forms.ChoiceField(
                    label=_(category.title),
                    help_text=_(category.description),
                    choices=[(str(mode), _(MODE_LABELS[mode])) for mode in category.list_modes()],
                    initial=str(get_mode(mode_by_category, category)),
                )
        self.fields["only_in_working_hours"] = forms.BooleanField(
            label=_("Hold emails until my working hours"),
            help_text=_("Monday to Friday, 9 AM to 5 PM (%(zone)s). Required notifications arrive immediately.")
            % {"zone": person.zone},
            required=False,
            initial=bool(preference and preference.only_in_working_hours),
        )

    def save(self) -> None:
        values = dict(self.cleaned_data)
        hours = bool(values.pop("only_in_working_hours"))
        changed_modes = {key: mode for key, mode in values.items() if key in self.changed_data}
        save_preferences(self.person, changed_modes, hours)
