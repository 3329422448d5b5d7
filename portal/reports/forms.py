"""Forms for report subscriptions, schedules, and recipients without an account."""

from datetime import time
from typing import Unpack

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _, gettext_lazy

from integrations.partners import permissions
from integrations.partners.models import Partner
from integrations.programs.registry import PROGRAMS
from portal.accounts.models import User
from portal.accounts.role_names import ROLE_LABELS
from portal.core.form_fields import (
    DayField,
    FilterField,
    FormArguments,
    ModelFormArguments,
    SingleLineField,
    send_initial_values,
)
from portal.core.time_zones import list_zone_choices
from portal.reports.archive import KINDS, VERDICTS
from portal.reports.models import ExternalRecipient, Frequency, ReportSchedule, ReportSubscription
from portal.reports.recipients import get_default_frequency, list_external_recipients, load_schedules
from portal.reports.scopes import PROGRAMS_SCOPE, ReportScope, build_partner_scope, find_report_scope, get_display_name
from portal.reports.unsubscribe import update_subscription
from portal.ui.components.moments import format_time

CHOICE_ERROR_MESSAGES = {"invalid_choice": gettext_lazy("Select one of the listed options.")}


def list_report_scopes(user: User) -> list[ReportScope]:
    """Return the scopes of the reports that a user can subscribe to."""
    partners = Partner.objects.filter(pk__in=list(permissions.get_roles(user))).order_by("pk")
    keys = [PROGRAMS_SCOPE, *(f"program:{key}" for key in PROGRAMS)] if permissions.is_program_staff(user) else []
    return [
        *map(build_partner_scope, partners),
        *(report_scope for key in keys if (report_scope := find_report_scope(key))),
    ]


class ReportFilterForm(forms.Form):
    """Filters in the URL of the archive. An invalid filter shows an error; the others still apply."""

    scope = FilterField(label=gettext_lazy("Report"), empty_label=gettext_lazy("All reports"))
    kind = FilterField(label=gettext_lazy("Period"), choices=KINDS.items())
    day = DayField(label=gettext_lazy("Day in the period"), required=False)
    verdict = FilterField(label=gettext_lazy("Result"), choices=VERDICTS.items())
    q = SingleLineField(
        label=gettext_lazy("Search"), required=False, max_length=100, widget=forms.TextInput(attrs={"type": "search"})
    )

    def __init__(self, user: User, **kwargs: Unpack[FormArguments]) -> None:
        super().__init__(**kwargs)
        names = [(each.key, get_display_name(each.key, each.name)) for each in list_report_scopes(user)]
        self.fields["scope"].set_choices(names)  # type: ignore[attr-defined]


class ReportSubscriptionsForm(forms.Form):
    """Frequency of each report."""

    def __init__(self, user: User, **kwargs: Unpack[FormArguments]) -> None:
        super().__init__(**kwargs)
        self.user = user
        frequencies = {row.scope: row.frequency for row in ReportSubscription.objects.filter(user=user)}
        report_scopes = list_report_scopes(user)
        schedules = load_schedules(each.key for each in report_scopes)
        for report_scope in report_scopes:
            default = get_default_frequency(report_scope, user, schedules[report_scope.key])
            self.fields[report_scope.key] = forms.ChoiceField(
                label=_("SLA report: %(name)s") % {"name": get_display_name(report_scope.key, report_scope.name)},
                choices=Frequency.choices,
                initial=frequencies.get(report_scope.key, default),
            )

    def save(self) -> None:
        for scope in self.changed_data:
            update_subscription(self.user, scope, self.cleaned_data[scope])


class ReportScheduleForm(forms.ModelForm):
    """Roles that receive a report, and when it is sent."""

    roles = forms.MultipleChoiceField(
        label=gettext_lazy("Roles"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        choices=list(ROLE_LABELS.items()),
        help_text=gettext_lazy("People with one of these roles get the report unless they unsubscribe."),
        error_messages=CHOICE_ERROR_MESSAGES,
    )
    hour = forms.TypedChoiceField(
        label=gettext_lazy("Hour"),
        coerce=int,
        choices=lambda: [(hour, format_time(time(hour))) for hour in range(24)],
        error_messages=CHOICE_ERROR_MESSAGES,
    )
    zone = forms.ChoiceField(label=gettext_lazy("Time zone"), error_messages=CHOICE_ERROR_MESSAGES)

    class Meta:
        model = ReportSchedule
        fields = ("roles", "weekday", "hour", "zone", "skips_empty")
        labels = {
            "weekday": gettext_lazy("Day for weekly reports"),
            "skips_empty": gettext_lazy("Skip reports without due or overdue targets"),
        }
        help_texts = {
            "weekday": gettext_lazy(
                "Monthly and quarterly reports are sent on the first business day after the period."
            ),
        }
        error_messages = {"weekday": CHOICE_ERROR_MESSAGES}

    def __init__(self, **kwargs: Unpack[ModelFormArguments]) -> None:
        super().__init__(**kwargs)
        self.fields["zone"].choices = list_zone_choices()  # type: ignore[attr-defined]
        send_initial_values(self)


class FrequencyForm(forms.ModelForm):
    """How often a recipient without an account gets the report."""

    class Meta:
        model = ExternalRecipient
        fields = ("frequency",)
        labels = {"frequency": gettext_lazy("Frequency")}
        error_messages = {"frequency": CHOICE_ERROR_MESSAGES}

    def __init__(self, **kwargs: Unpack[ModelFormArguments]) -> None:
        super().__init__(**kwargs)
        choices = [choice for choice in Frequency.choices if choice[0] != Frequency.NEVER]
        self.fields["frequency"].choices = choices  # type: ignore[attr-defined]


class ExternalRecipientForm(FrequencyForm):
    """Recipient without an account."""

    field_order = ("email", "frequency")
    email = forms.EmailField(
        label=gettext_lazy("Email address"),
        max_length=254,
        help_text=gettext_lazy("We ask this person to confirm before we send the first report."),
    )

    def __init__(self, scope: str, **kwargs: Unpack[ModelFormArguments]) -> None:
        super().__init__(**kwargs)
        self.scope = scope

    def clean_email(self) -> str:
        email = str(self.cleaned_data["email"]).lower()
        if list_external_recipients(self.scope).filter(email=email).exists():
            raise ValidationError(_("This address is already a recipient."))
        return email
