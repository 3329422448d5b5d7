"""What may a reader choose? One field for each report they may read."""

from typing import Any

from django import forms
from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.programs.registry import PROGRAMS
from portal.reports.models import ReportWish
from portal.reports.scopes import PROGRAMS_SCOPE, Reported, name_of, partner_key, reported
from portal.reports.tasks import default_of
from portal.reports.unsubscribe import wish


def scopes_of(user: Any) -> list[Reported]:
    """The reports that concern a person: their companies' own, or those of the programs they work for."""
    keys = [partner_key(pk) for pk in sorted(permissions.roles_of(user))]
    if permissions.works_for_program(user):
        keys += [PROGRAMS_SCOPE, *(f"program:{key}" for key in PROGRAMS)]
    return [found for key in keys if (found := reported(key))]


class WishesForm(forms.Form):
    """How often each report comes."""

    def __init__(self, user: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user
        kept = {row.scope: row.frequency for row in ReportWish.objects.filter(user=user)}
        for found in scopes_of(user):
            self.fields[found.key] = forms.ChoiceField(
                label=_("Weekly report of %(name)s") % {"name": name_of(found.key, found.name)},
                choices=ReportWish.Frequency.choices,
                initial=kept.get(found.key, default_of(found, user)),
            )

    def save(self) -> None:
        for scope in self.changed_data:
            wish(self.user, scope, self.cleaned_data[scope])
