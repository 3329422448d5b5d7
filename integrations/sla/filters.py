"""Filters of SLA pages, read from the query string and limited to clocks that the user can see."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias
from uuid import UUID

from django import forms
from django.db.models import F, Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop

from integrations.partners import permissions
from integrations.partners.models import Partner
from integrations.programs.registry import PROGRAMS
from integrations.sla.engine.types import ClockStatus, Severity
from integrations.sla.metrics import OPEN_STATES, build_missed_ideal_condition
from integrations.sla.models import SlaClock
from integrations.submissions.models import Integration
from portal.accounts.requests import AnyUser

FILTER_NAMES = ("program", "partner", "integration", "severity", "state")
STATE_LABELS = {
    "": gettext_noop("Open"),
    "at_risk": gettext_noop("At risk"),
    "breached": gettext_noop("Breached"),
    "data_incomplete": gettext_noop("Data incomplete"),
    "paused": gettext_noop("Paused"),
    "disputed": gettext_noop("Disputed"),
    "met": gettext_noop("On time"),
    "late": gettext_noop("Late"),
    "ideal_missed": gettext_noop("Ideal missed"),
    "all": gettext_noop("All"),
}
SETTLED_STATES = ("met", "late", "ideal_missed")


@dataclass(frozen=True, slots=True)
class ClockFilters:
    """Validated filters.

    `scope` is a condition for any model with an integration. `fields` is HTML. `report` is the key of the weekly report
    with the same scope, or an empty string.
    """

    scope: Q
    severity: Q = field(default_factory=Q)
    state: str = ""
    values: dict[str, str] = field(default_factory=dict)
    fields: str = ""
    report: str = ""

    @property
    def is_filtered(self) -> bool:
        return any(self.values.values())

    @property
    def condition(self) -> Q:
        """Return the condition for clocks and breaches, without the state."""
        return self.scope & self.severity

    def get_integration(self) -> Integration | None:
        """Return the filtered integration or None. Takes a query if there is one."""
        integration_uuid = self.values.get("integration")
        return Integration.objects.select_related("partner").get(uuid=integration_uuid) if integration_uuid else None

    def list_clocks(self) -> QuerySet[SlaClock]:
        """Return the clocks with a target that match the filters, in any state."""
        return SlaClock.objects.filter(self.condition, Q(is_committed=True) | Q(ideal_due_at__isnull=False))

    def list_matching_clocks(self, now: datetime) -> QuerySet[SlaClock]:
        """Return the matching clocks in the filtered state, most urgent first, stopped clocks newest first."""
        clocks = self.list_clocks().filter(build_state_condition(self.state, now))
        if self.state in SETTLED_STATES:
            return clocks.order_by(F("stopped_at").desc(nulls_first=True), "-pk")
        if self.state == "all":
            return clocks.order_by(F("stopped_at").desc(nulls_first=True), F("due_at").asc(nulls_last=True), "pk")
        return clocks.order_by(F("due_at").asc(nulls_last=True), "pk")


def build_state_condition(state: str, now: datetime) -> Q:
    """Return the condition of a state filter on clocks."""
    monitored_condition = Q(watch__ended_at=None)
    return {
        "at_risk": Q(state=ClockStatus.RUNNING, warn75_at__lte=now) & monitored_condition,
        "breached": Q(state=ClockStatus.OVERDUE) & monitored_condition,
        "data_incomplete": Q(state=ClockStatus.DATA_INCOMPLETE) & monitored_condition,
        "paused": Q(state=ClockStatus.PAUSED) & monitored_condition,
        "disputed": Q(issue__disputed_at__isnull=False),
        "met": Q(state=ClockStatus.MET),
        "late": Q(state=ClockStatus.LATE),
        "ideal_missed": build_missed_ideal_condition(now),
        "all": Q(),
    }.get(state, Q(state__in=OPEN_STATES) & monitored_condition)


def build_visibility_condition(user: AnyUser, prefix: str = "integration__") -> Q:
    """Return the condition for clocks that the user can see: all for program staff, otherwise those of own partners."""
    return (
        Q() if permissions.is_program_staff(user) else Q(**{f"{prefix}partner__in": list(permissions.get_roles(user))})
    )


Choices: TypeAlias = list[tuple[str, str]]


class SlaFilterForm(forms.Form):
    """Filter form. An invalid value is reported and doesn't affect the other filters."""

    program = forms.ChoiceField(label=gettext_lazy("Program"), required=False)
    partner = forms.ChoiceField(label=gettext_lazy("Partner"), required=False)
    integration = forms.ChoiceField(label=gettext_lazy("Integration"), required=False)
    severity = forms.ChoiceField(label=gettext_lazy("Severity"), required=False)

    def __init__(self, data: Mapping[str, str], partners: Choices, integrations: Choices) -> None:
        super().__init__(data)
        options = {
            "program": [(key, program.name) for key, program in PROGRAMS.items()],
            "partner": partners,
            "integration": integrations,
            "severity": [(str(Severity.CRITICAL), _("Critical")), (str(Severity.OTHER), _("Other"))],
        }
        for name, choices in options.items():
            self.fields[name].choices = [("", _("All")), *choices]  # type: ignore[attr-defined]
            self.fields[name].error_messages["invalid_choice"] = _("Unknown filter value. The list shows all results.")
        if len(partners) < 2:
            del self.fields["partner"]
        if not integrations:
            del self.fields["integration"]


def parse_filters(user: AnyUser, parameters: Mapping[str, str]) -> ClockFilters:
    """Parse the query string.

    Takes two queries for partners and integrations, and a third for an integration without its partner.
    """
    raw_values = {name: parameters.get(name, "")[:60] for name in FILTER_NAMES}
    partners = _list_partners(user)
    slugs = list(partners)
    if raw_values["integration"] and not raw_values["partner"] and len(slugs) > 1:
        raw_values["partner"] = _find_partner_slug(raw_values["integration"], partners)
    partner_slug = raw_values["partner"] if raw_values["partner"] in slugs else slugs[0] if len(slugs) == 1 else ""
    form = SlaFilterForm(
        raw_values, [(slug, name) for slug, (name, _) in partners.items()], _list_integrations(partner_slug)
    )
    form.is_valid()
    values = {name: str(form.cleaned_data.get(name, "")) for name in FILTER_NAMES if name != "state"}
    state = raw_values["state"] if raw_values["state"] in STATE_LABELS else ""
    severity = Q(severity=values["severity"]) if values["severity"] else Q()
    report_key = determine_report_key(
        values, partners[partner_slug][1] if partner_slug else 0, can_see_all=permissions.is_program_staff(user)
    )
    return ClockFilters(
        build_visibility_condition(user) & build_scope_condition(values),
        severity,
        state,
        values,
        form.render(),
        report_key,
    )


def determine_report_key(values: Mapping[str, str], partner_id: int, *, can_see_all: bool) -> str:
    """Return the key of the report with the same scope, or "". `partner_id` is the filtered or only partner, or 0."""
    if values["severity"] or values["integration"] or (values["program"] and values["partner"]):
        return ""
    if can_see_all and not values["partner"]:
        return f"program:{values['program']}" if values["program"] else "programs"
    return f"partner:{partner_id}" if partner_id and not values["program"] else ""


def build_scope_condition(values: Mapping[str, str]) -> Q:
    """Return the condition for the filtered program, partner, and integration."""
    columns = {
        "integration__program_key": values.get("program"),
        "integration__partner__slug": values.get("partner"),
        "integration__uuid": UUID(values["integration"]) if values.get("integration") else None,
    }
    return Q(**{column: value for column, value in columns.items() if value})


def _list_partners(user: AnyUser) -> dict[str, tuple[str, int]]:
    """Return (name, primary key) by slug of the partners with monitored repositories, sorted by name."""
    partners = Partner.objects.filter(
        build_visibility_condition(user, "integrations__"), integrations__watch__isnull=False
    )
    rows = partners.distinct().order_by("name").values_list("slug", "name", "pk")
    return {slug: (name, pk) for slug, name, pk in rows}


def _find_partner_slug(integration_uuid: str, partners: Mapping[str, object]) -> str:
    """Return the slug of an integration's partner if the user can see it, or an empty string."""
    try:
        slug = Partner.objects.filter(integrations__uuid=UUID(integration_uuid)).values_list("slug", flat=True).first()
    except ValueError:
        return ""
    return slug if slug and slug in partners else ""


def _list_integrations(partner_slug: str) -> list[tuple[str, str]]:
    if not partner_slug:
        return []
    integrations = Integration.objects.filter(partner__slug=partner_slug, watch__isnull=False).order_by(
        "name_key", "pk"
    )
    return [(str(uuid), name) for uuid, name in integrations.values_list("uuid", "name")]
