"""Which clocks does a page show? Filters read from the address, within what the reader may see."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django import forms
from django.db.models import F, Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop

from integrations.partners import permissions
from integrations.partners.models import Partner
from integrations.programs.registry import PROGRAMS
from integrations.sla.engine.types import Severity, Watching
from integrations.sla.metrics import OPEN_STATES
from integrations.sla.models import Clock
from integrations.submissions.models import Integration

NAMES = ("program", "partner", "integration", "severity", "state")
STATES = {
    "": gettext_noop("Open"),
    "at_risk": gettext_noop("At risk"),
    "breached": gettext_noop("Breached"),
    "blind": gettext_noop("Blind"),
    "paused": gettext_noop("Paused"),
    "disputed": gettext_noop("Disputed"),
    "kept": gettext_noop("Kept"),
    "late": gettext_noop("Answered late"),
    "all": gettext_noop("All"),
}
SETTLED = ("kept", "late")


@dataclass(frozen=True, slots=True)
class Choice:
    """What the address asks for, checked. `scope`: whose, on any row that knows its integration; `fields`: HTML.

    `report`: the key of the weekly report that tells of just these; blank where there is none.
    """

    scope: Q
    severity: Q = field(default_factory=Q)
    state: str = ""
    given: dict[str, str] = field(default_factory=dict)
    fields: str = ""
    report: str = ""

    @property
    def in_force(self) -> dict[str, str]:
        """What of the address counts, without what is blank."""
        return {name: value for name, value in {**self.given, "state": self.state}.items() if value}

    @property
    def is_filtered(self) -> bool:
        return any(self.given.values())

    @property
    def of(self) -> Q:
        """Everything that is asked for but the state, on clocks and breaches alike."""
        return self.scope & self.severity

    def integration(self) -> Integration | None:
        """The one integration that is asked for. A query where there is one."""
        named = self.given.get("integration")
        return Integration.objects.select_related("partner").get(uuid=named) if named else None

    def clocks(self) -> QuerySet[Clock]:
        """The promised clocks that the filters leave, whatever their state."""
        return Clock.objects.filter(self.of, promised=True)

    def shown(self, now: datetime) -> QuerySet[Clock]:
        """Those of the state asked for, the most pressing first; what is settled after them, newest first."""
        found = self.clocks().filter(in_state(self.state, now))
        if self.state in SETTLED:
            return found.order_by("-stopped_at", "-pk")
        if self.state == "all":
            return found.order_by(F("stopped_at").desc(nulls_first=True), F("due_at").asc(nulls_last=True), "pk")
        return found.order_by(F("due_at").asc(nulls_last=True), "pk")


def in_state(state: str, now: datetime) -> Q:
    """A state of the address as a condition on clocks."""
    watched = Q(watch__ended_at=None)
    return {
        "at_risk": Q(state=Watching.RUNNING, warn75_at__lte=now) & watched,
        "breached": Q(state=Watching.OVERDUE) & watched,
        "blind": Q(state=Watching.BLIND) & watched,
        "paused": Q(state=Watching.PAUSED) & watched,
        "disputed": Q(issue__disputed_at__isnull=False),
        "kept": Q(state=Watching.MET),
        "late": Q(state=Watching.LATE),
        "all": Q(),
    }.get(state, Q(state__in=OPEN_STATES) & watched)


def visible(user: Any, prefix: str = "integration__") -> Q:
    """The program's people see all clocks, everybody else those of their own companies."""
    return (
        Q() if permissions.works_for_program(user) else Q(**{f"{prefix}partner__in": list(permissions.roles_of(user))})
    )


class SlaFilter(forms.Form):
    """The fields above the list. Nonsense in one of them is said and leaves the others in force."""

    program = forms.ChoiceField(label=gettext_lazy("Program"), required=False)
    partner = forms.ChoiceField(label=gettext_lazy("Partner"), required=False)
    integration = forms.ChoiceField(label=gettext_lazy("Integration"), required=False)
    severity = forms.ChoiceField(label=gettext_lazy("Severity"), required=False)

    def __init__(self, data: Mapping[str, str], partners: list[Any], integrations: list[Any]) -> None:
        super().__init__(data)
        options = {
            "program": [(key, program.name) for key, program in PROGRAMS.items()],
            "partner": partners,
            "integration": integrations,
            "severity": [(str(Severity.CRITICAL), _("Critical")), (str(Severity.OTHER), _("Other"))],
        }
        for name, choices in options.items():
            self.fields[name].choices = [("", _("All")), *choices]  # type: ignore[attr-defined]
            self.fields[name].error_messages["invalid_choice"] = _("There is no such choice: all are shown.")
        if len(partners) < 2:
            del self.fields["partner"]
        if not integrations:
            del self.fields["integration"]


def chosen(user: Any, given: Mapping[str, str]) -> Choice:
    """Read the address. Two queries: the companies and, where one is meant, its integrations; a third where an
    integration is asked for without its company.
    """
    asked = {name: given.get(name, "")[:60] for name in NAMES}
    partners = _partners(user)
    slugs = list(partners)
    if asked["integration"] and not asked["partner"] and len(slugs) > 1:
        asked["partner"] = _company_of(asked["integration"], partners)
    one = asked["partner"] if asked["partner"] in slugs else slugs[0] if len(slugs) == 1 else ""
    form = SlaFilter(asked, [(slug, name) for slug, (name, _) in partners.items()], _integrations(one))
    form.is_valid()
    kept = {name: str(form.cleaned_data.get(name, "")) for name in NAMES if name != "state"}
    state = asked["state"] if asked["state"] in STATES else ""
    severity = Q(severity=kept["severity"]) if kept["severity"] else Q()
    report = report_of(kept, partners[one][1] if one else 0, everybody=permissions.works_for_program(user))
    return Choice(visible(user) & scope_of(kept), severity, state, kept, form.render(), report)


def report_of(kept: Mapping[str, str], partner: int, *, everybody: bool) -> str:
    """The report whose scope is just what the filters leave. `partner`: the one that is meant or read, else 0."""
    if kept["severity"] or kept["integration"] or (kept["program"] and kept["partner"]):
        return ""
    if everybody and not kept["partner"]:
        return f"program:{kept['program']}" if kept["program"] else "programs"
    return f"partner:{partner}" if partner and not kept["program"] else ""


def scope_of(kept: Mapping[str, str]) -> Q:
    """Whose clocks the filters leave."""
    columns = {
        "integration__program_key": kept.get("program"),
        "integration__partner__slug": kept.get("partner"),
        "integration__uuid": UUID(kept["integration"]) if kept.get("integration") else None,
    }
    return Q(**{column: value for column, value in columns.items() if value})


def _partners(user: Any) -> dict[str, tuple[str, int]]:
    """Companies with anything watched: {slug: (name, number)}, in the order of their names."""
    found = Partner.objects.filter(visible(user, "integrations__"), integrations__watch__isnull=False)
    named = found.distinct().order_by("name").values_list("slug", "name", "pk")
    return {slug: (name, pk) for slug, name, pk in named}


def _company_of(integration: str, partners: Mapping[str, Any]) -> str:
    """The company of an integration that the reader may see; blank where there is none."""
    try:
        found = Partner.objects.filter(integrations__uuid=UUID(integration)).values_list("slug", flat=True).first()
    except ValueError:
        return ""
    return found if found and found in partners else ""


def _integrations(partner: str) -> list[tuple[str, str]]:
    if not partner:
        return []
    found = Integration.objects.filter(partner__slug=partner, watch__isnull=False).order_by("name_key", "pk")
    return [(str(uuid), name) for uuid, name in found.values_list("uuid", "name")]
