"""Filters of SLA pages, read from the query string and limited to clocks that the user can see."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, TypeAlias, TypeVar
from uuid import UUID

from django import forms
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _, gettext_lazy, gettext_noop

from integrations.partners import permissions
from integrations.partners.models import Partner
from integrations.programs.registry import PROGRAMS
from integrations.sla.engine.types import OPEN_STATES, ClockStatus, Severity
from integrations.sla.metrics import build_missed_ideal_condition
from integrations.sla.models import HAS_TARGET, IS_MONITORED, MonitoredRepository, SlaClock
from integrations.submissions.models import Integration
from portal.accounts.requests import AnyUser
from portal.core.figures import read_figures
from portal.core.form_fields import FilterField, clean_search_query
from portal.core.name_matching import compute_name_key

NamedRow = TypeVar("NamedRow", Partner, Integration)
MAX_OPTIONS = 100  # of a select
MAX_SLUG_LENGTH = 80  # of a partner, the longest value
FILTER_NAMES = ("program", "partner", "integration", "severity", "state")
FIELD_ORDER = ("program", "severity", "partner", "integration")
STATE_LABELS = {
    "": gettext_noop("Open"),
    "at_risk": gettext_noop("At risk"),
    "overdue": gettext_noop("Overdue"),
    "data_incomplete": gettext_noop("Data incomplete"),
    "paused": gettext_noop("Paused"),
    "disputed": gettext_noop("Disputed"),
    "unmonitored": gettext_noop("No longer monitored"),
    "met": gettext_noop("On time"),
    "late": gettext_noop("Late"),
    "ideal_missed": gettext_noop("Ideal missed"),
    "all": gettext_noop("All"),
}
SETTLED_STATES = ("met", "late", "ideal_missed")


@dataclass(frozen=True, slots=True)
class ClockFilters:
    """Validated filters.

    `scope` is a condition for any model with an integration. `entered` are the values of the query string. `partner_id`
    is also that of a user's only partner.
    """

    user: AnyUser
    scope: Q
    entered: dict[str, str]
    state: str
    values: dict[str, str]
    partner: Partner | None
    partner_id: int | None
    integration: Integration | None

    @property
    def form(self) -> "SlaFilterForm":
        """Return the form with the entered values. Takes up to two queries for the options."""
        return SlaFilterForm(self)

    @property
    def unknown_names(self) -> list[str]:
        """Return the filters without effect, because no known value was entered."""
        known_values = self.values | {"state": self.state}
        return [name for name, value in self.entered.items() if value and not known_values[name]]

    @property
    def report(self) -> str:
        """Return the key of the weekly report with the same scope, or "". Takes a query for a user's only partner."""
        program, partner = self.values["program"], self.values["partner"]
        # Reports exist for one partner, one program, or all programs, but not for combinations.
        if self.values["severity"] or self.values["integration"] or (program and partner):
            return ""
        if not partner and permissions.is_program_staff(self.user):
            return f"program:{program}" if program else "programs"
        if program or not self.partner_id:
            return ""
        return f"partner:{partner or Partner.objects.values_list('slug', flat=True).get(pk=self.partner_id)}"

    @property
    def is_filtered(self) -> bool:
        return any(self.values.values())

    @property
    def condition(self) -> Q:
        """Return the condition for clocks and breaches, without the state."""
        return self.scope & Q(issue__severity=severity) if (severity := self.values["severity"]) else self.scope

    def list_clocks(self) -> QuerySet[SlaClock]:
        """Return the clocks with a target that match the filters, in any state."""
        return SlaClock.objects.filter(self.condition, HAS_TARGET)

    def list_matching_clocks(self, now: datetime) -> QuerySet[SlaClock]:
        """Return the matching clocks in the filtered state, most urgent first, stopped clocks newest first."""
        clocks = self.list_clocks().filter(build_state_condition(self.state, now))
        if self.state == "all" or self.state in SETTLED_STATES:
            # SQLite and PostgreSQL sort missing values to different ends.
            return clocks.order_by(F("stopped_at").desc(nulls_first=True), F("due_at").asc(nulls_last=True), "pk")
        return clocks.order_by(F("due_at").asc(nulls_last=True), "pk")


def build_state_condition(state: str, now: datetime) -> Q:
    """Return the condition of a state filter on clocks."""
    return {
        "at_risk": Q(state=ClockStatus.RUNNING, warn75_at__lte=now) & IS_MONITORED,
        "overdue": Q(state=ClockStatus.OVERDUE) & IS_MONITORED,
        "data_incomplete": Q(state=ClockStatus.DATA_INCOMPLETE) & IS_MONITORED,
        "paused": Q(state=ClockStatus.PAUSED) & IS_MONITORED,
        "disputed": Q(issue__disputed_at__isnull=False),
        "unmonitored": Q(state__in=OPEN_STATES) & ~IS_MONITORED,
        "met": Q(state=ClockStatus.MET),
        "late": Q(state=ClockStatus.LATE),
        "ideal_missed": build_missed_ideal_condition(now),
        "all": Q(),
    }.get(state, Q(state__in=OPEN_STATES) & IS_MONITORED)


def build_visibility_condition(user: AnyUser) -> Q:
    """Return the condition for clocks that the user can see: all for program staff, otherwise those of own partners."""
    is_staff = permissions.is_program_staff(user)
    return Q() if is_staff else Q(integration__partner__in=list(permissions.get_roles(user)))


Choices: TypeAlias = list[tuple[str, str]]


class SlaFilterForm(forms.Form):
    """Filter form. An invalid value is reported and doesn't affect the other filters.

    Partners and integrations have a select of up to MAX_OPTIONS names. If there are more, people enter a name.
    """

    # An integration alone would select its partner again.
    dependent_filters: ClassVar[Mapping[str, tuple[str, ...]]] = {"partner": ("integration",)}
    program = FilterField(
        label=gettext_lazy("Program"), choices=[(key, program.name) for key, program in PROGRAMS.items()]
    )
    severity = FilterField(
        label=gettext_lazy("Severity"),
        choices=[(str(Severity.CRITICAL), gettext_lazy("Critical")), (str(Severity.OTHER), gettext_lazy("Other"))],
    )

    def __init__(self, filters: ClockFilters) -> None:
        # Valid values replace what was entered, such as the beginning of a name. Invalid ones stay, to be reported.
        super().__init__(filters.entered | {name: value for name, value in filters.values.items() if value})
        partners = [] if _get_only_partner_id(filters.user) else _list_partners(filters.user)
        if len(partners) > 1:
            self._add_row_field("partner", _("Partner"), partners, filters.partner)
        integrations = _list_integrations(filters.partner_id) if filters.partner_id else []
        if integrations:
            self._add_row_field("integration", _("Integration"), integrations, filters.integration)
            # It comes last, where the page can insert it once a partner is selected.
            self.fields["integration"].wrapper_id = "filter-integration"  # type: ignore[attr-defined]
            self.fields["integration"].widget.attrs["data-depends-on"] = "partner"
        self.order_fields(FIELD_ORDER)

    def _add_row_field(self, name: str, label: str, options: Choices, row: Partner | Integration | None) -> None:
        if len(options) <= MAX_OPTIONS:
            self.fields[name] = FilterField(label=label, choices=options)
            return
        validators = [] if row else [_reject_unknown_value]
        help_text = _("Enter the beginning of the name.")
        self.fields[name] = forms.CharField(label=label, required=False, help_text=help_text, validators=validators)
        self.data = {**self.data, name: row.name if row else self.data[name]}


def _reject_unknown_value(_value: object) -> None:
    raise forms.ValidationError(FilterField.default_error_messages["invalid_choice"])


def parse_filters(user: AnyUser, parameters: Mapping[str, str]) -> ClockFilters:
    """Parse the query string. Takes a query each for a partner and an integration that it names.

    The filter of a user with one partner is that partner.
    """
    entered = {name: clean_search_query(parameters.get(name, ""))[:MAX_SLUG_LENGTH] for name in FILTER_NAMES}
    only_partner_id = _get_only_partner_id(user)
    partner = _find_partner(user, entered["partner"])
    partner_id = partner.pk if partner else only_partner_id
    integration = _find_integration(user, partner_id, entered["integration"])
    if integration and not partner_id:
        partner = integration.partner
        partner_id = integration.partner_id
    values = {
        "program": entered["program"] if entered["program"] in PROGRAMS else "",
        "partner": partner.slug if partner else "",
        "integration": str(integration.uuid) if integration else "",
        "severity": entered["severity"] if entered["severity"] in list(Severity) else "",
    }
    scope = {
        "integration__program_key": values["program"],
        "integration__partner": partner_id,
        "integration": integration.pk if integration else None,
    }
    return ClockFilters(
        user,
        # No filter can widen what the user can see.
        build_visibility_condition(user) & Q(**{name: value for name, value in scope.items() if value}),
        entered,
        entered["state"] if entered["state"] in STATE_LABELS else "",
        values,
        partner,
        partner_id,
        integration,
    )


def _get_only_partner_id(user: AnyUser) -> int | None:
    """Return the ID of the partner of a user who can see no other one."""
    partner_ids = [] if permissions.is_program_staff(user) else list(permissions.get_roles(user))
    return partner_ids[0] if len(partner_ids) == 1 else None


def _list_partners(user: AnyUser) -> Choices:
    """Return (slug, name) of the partners with monitored repositories, sorted by name, at most MAX_OPTIONS + 1."""
    monitored_repositories = MonitoredRepository.objects.filter(integration__partner=OuterRef("pk"))
    # Unordered, because beyond the limit only the number of rows counts, and the database would sort all of them.
    rows = _list_visible_partners(user).filter(Exists(monitored_repositories)).order_by().values_list("slug", "name")
    return _read_options("all" if permissions.is_program_staff(user) else f"user {user.pk}", rows)


def _list_integrations(partner_id: int) -> Choices:
    """Return (UUID, name) of a partner's monitored integrations, sorted by name, at most MAX_OPTIONS + 1."""
    integrations = Integration.objects.filter(partner=partner_id, monitored_repository__isnull=False)
    rows = integrations.order_by().values_list("uuid", "name")
    return _read_options(f"partner {partner_id}", rows)


def _read_options(key: str, rows: "QuerySet[Any, tuple[object, str]]") -> Choices:
    """Return up to MAX_OPTIONS + 1 options, sorted by name. If there are more than MAX_OPTIONS, they are cached."""
    return read_figures(
        f"options {key}",
        lambda: sorted(
            ((str(value), name) for value, name in rows[: MAX_OPTIONS + 1]), key=lambda option: option[1].casefold()
        ),
        len,
        max_uncached_rows=MAX_OPTIONS,
    )


def _list_visible_partners(user: AnyUser) -> QuerySet[Partner]:
    rows = Partner.objects.all()
    return rows if permissions.is_program_staff(user) else rows.filter(pk__in=list(permissions.get_roles(user)))


def _find_partner(user: AnyUser, text: str) -> Partner | None:
    """Return the partner with a slug, or the first one whose name begins with the text."""
    if not text:
        return None
    rows = _list_visible_partners(user)
    # Links contain the slug. People who get a text field instead of a select enter a name.
    return rows.filter(slug=text).first() or _find_by_name(rows, text)


def _find_integration(user: AnyUser, partner_id: int | None, text: str) -> Integration | None:
    """Return the integration with a UUID, or the first one of the partner whose name begins with the text."""
    rows = Integration.objects.visible_to(user).select_related("partner")
    rows = rows.filter(partner=partner_id) if partner_id else rows
    try:
        return rows.filter(uuid=UUID(text)).first() if text else None
    except ValueError:
        return _find_by_name(rows, text) if partner_id else None


def _find_by_name(rows: QuerySet[NamedRow], text: str) -> NamedRow | None:
    name_key = compute_name_key(text)
    return rows.filter(name_key__startswith=name_key).order_by("name_key", "pk").first() if name_key else None
