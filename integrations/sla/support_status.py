"""SLA status of integrations in one word each, for lists."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count
from django.utils.translation import gettext as _, ngettext

from integrations.sla.filters import build_state_condition
from integrations.sla.models import MonitoredRepository, SlaClock
from integrations.submissions.models import Integration

URGENT_TONES = ("bad", "warn")


@dataclass(frozen=True, slots=True)
class SupportStatus:
    """Tone and label of a badge."""

    tone: str
    label: str


def list_support_statuses(integrations: Iterable[Integration], now: datetime) -> dict[int, SupportStatus]:
    """Return the SLA status of those in support that need no action by their primary key, with two queries."""
    # What the others wait for matters more, and their rows already show it.
    integrations = [row for row in integrations if row.next_action_code == "none_monitored"]
    if not integrations:
        return {}
    monitored = MonitoredRepository.objects.filter(integration__in=integrations, ended_at=None)
    clocks = SlaClock.objects.filter(integration__in=integrations, is_committed=True).order_by()
    states = ("overdue", "at_risk", "data_incomplete")
    counts = {state: Count("issue", filter=build_state_condition(state, now), distinct=True) for state in states}
    rows = {pk: numbers for pk, *numbers in clocks.values_list("integration").annotate(**counts)}
    statuses = dict.fromkeys((row.pk for row in integrations), SupportStatus("neutral", _("Not monitored")))
    monitored_pks = monitored.values_list("integration_id", flat=True)
    return statuses | {pk: _build_status(*rows.get(pk, (0, 0, 0))) for pk in monitored_pks}


def _build_status(overdue: int, at_risk: int, incomplete: int) -> SupportStatus:
    """Return the status that matters most."""
    if overdue:
        label = ngettext("%(count)s issue overdue", "%(count)s issues overdue", overdue)
        return SupportStatus("bad", label % {"count": overdue})
    if at_risk:
        label = ngettext("%(count)s issue at risk", "%(count)s issues at risk", at_risk)
        return SupportStatus("warn", label % {"count": at_risk})
    if incomplete:
        return SupportStatus("neutral", _("Data incomplete"))
    return SupportStatus("good", _("On time"))
