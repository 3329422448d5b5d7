"""What may a person choose? One field for each kind of notice that reaches them and can be silenced."""

from typing import Any

from django import forms
from django.utils.translation import gettext as _

from integrations.partners import permissions
from portal.notifications.categories import KINDS, LABELS, Kind
from portal.notifications.models.preferences import Wish
from portal.notifications.preferences import choose, chosen


def kinds_of(person: Any) -> list[Kind]:
    """The kinds that can reach a person, from either side that they are on."""
    sides = {"", "program" if permissions.works_for_program(person) else "partner"}
    if permissions.roles_of(person):
        sides.add("partner")
    return [kind for kind in KINDS if kind.side in sides]


class NoticesForm(forms.Form):
    """How each kind comes, and whether mails wait for office hours."""

    def __init__(self, person: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.person = person
        wish = Wish.objects.filter(user=person).first()
        how = wish.how if wish else {}
        for kind in kinds_of(person):
            if not kind.locked:
                self.fields[kind.key] = forms.ChoiceField(
                    label=_(kind.title),
                    help_text=_(kind.means),
                    choices=[(str(way), _(LABELS[way])) for way in kind.ways()],
                    initial=str(chosen(how, kind)),
                )
        self.fields["office_hours"] = forms.BooleanField(
            label=_("Hold mails until my working hours"),
            help_text=_("Monday to Friday, 9 to 17 (%(zone)s). What cannot be silenced comes at once.")
            % {"zone": person.zone},
            required=False,
            initial=bool(wish and wish.office_hours),
        )

    def save(self) -> None:
        said = dict(self.cleaned_data)
        hours = bool(said.pop("office_hours"))
        changed = {key: how for key, how in said.items() if key in self.changed_data}
        choose(self.person, changed, hours)
