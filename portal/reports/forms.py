"""Form for report subscriptions."""

from typing import Unpack

from django import forms
from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.programs.registry import PROGRAMS
from portal.accounts.models import User
from portal.core.django_arguments import FormArguments
from portal.reports.models import ReportSubscription
from portal.reports.recipients import get_default_frequency
from portal.reports.scopes import PROGRAMS_SCOPE, ReportScope, build_partner_key, find_report_scope, get_display_name
from portal.reports.unsubscribe import update_subscription


def list_report_scopes(user: User) -> list[ReportScope]:
    """Return the scopes of the reports that a user can subscribe to."""
    keys = [build_partner_key(pk) for pk in sorted(permissions.get_roles(user))]
    if permissions.is_program_staff(user):
        keys += [PROGRAMS_SCOPE, *(f"program:{key}" for key in PROGRAMS)]
    return [report_scope for key in keys if (report_scope := find_report_scope(key))]


class ReportSubscriptionsForm(forms.Form):
    """Frequency of each report."""

    def __init__(self, user: User, **kwargs: Unpack[FormArguments]) -> None:
        super().__init__(**kwargs)
        self.user = user
        frequencies = {row.scope: row.frequency for row in ReportSubscription.objects.filter(user=user)}
        for report_scope in list_report_scopes(user):
            self.fields[report_scope.key] = forms.ChoiceField(
                label=_("Weekly report: %(name)s") % {"name": get_display_name(report_scope.key, report_scope.name)},
                choices=ReportSubscription.Frequency.choices,
                initial=frequencies.get(report_scope.key, get_default_frequency(report_scope, user)),
            )

    def save(self) -> None:
        for scope in self.changed_data:
            update_subscription(self.user, scope, self.cleaned_data[scope])
