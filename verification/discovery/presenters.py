"""Rows of the discovery page: facts, recognized programs, and requirements that are already met."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.translation import gettext as _, gettext_noop

from integrations.partners.models import Partner
from integrations.programs.registry import PROGRAMS
from integrations.programs.requirements import AnswerScope, Requirement, RequirementGroup
from integrations.programs.schema import Program
from integrations.programs.selectors import get_edition_in_force
from integrations.submissions.models import RequirementFulfillment
from integrations.submissions.selectors.context import count_with_groups
from integrations.submissions.workflow.states import FULFILLED_STATUSES
from portal.core.value_types import JsonObject
from verification.checks.facts import FACTS, Fact, FactGroup, group_facts
from verification.discovery.models import Discovery
from verification.outcomes import Outcome, get_worst_outcome

REASON_TEXTS = {
    "module": gettext_noop("The code depends on %(value)s."),
    "name": gettext_noop("The repository is named %(value)s."),
    "listing": gettext_noop("The Terraform Registry lists %(value)s."),
    "namespace": gettext_noop("The Terraform Registry lists the providers of %(value)s."),
    "endpoint": gettext_noop("The endpoint accepted a verification request with status %(value)s."),
}
# A warning doesn't block a requirement.
MET_OUTCOMES = frozenset({Outcome.PASS, Outcome.WARN})


@dataclass(frozen=True, slots=True)
class RequirementPreview:
    """Requirement before the integration exists. `status` is an outcome of checks, "met", or "open"."""

    requirement: Requirement
    status: str
    reason: str

    @property
    def is_met(self) -> bool:
        return self.status in {"met", *MET_OUTCOMES}


@dataclass(frozen=True, slots=True)
class RequirementsPreview:
    """Mandatory requirements of a program in the order of the path, counted as those of an integration."""

    rows: tuple[RequirementPreview, ...]
    groups: tuple[RequirementGroup, ...]

    @property
    def total(self) -> int:
        return count_with_groups((row.requirement for row in self.rows), self.groups)

    @property
    def met_count(self) -> int:
        return count_with_groups((row.requirement for row in self.rows if row.is_met), self.groups)

    @property
    def segments(self) -> list[tuple[str, int]]:
        """Return the met requirements as a segment of a meter."""
        return [("counted", self.met_count)]

    @property
    def checked_rows(self) -> tuple[RequirementPreview, ...]:
        """Return what is decided already, failures first."""
        failures = tuple(row for row in self.rows if row.status == Outcome.FAIL)
        return failures + tuple(row for row in self.rows if row.is_met)

    @property
    def open_rows(self) -> tuple[RequirementPreview, ...]:
        """Return what is done after the start."""
        return tuple(row for row in self.rows if not row.is_met and row.status != Outcome.FAIL)


def list_facts(discovery: Discovery) -> list[FactGroup]:
    """Return the facts by source, in the order in which they were read."""
    # Facts are stored for weeks, and a newer version of the portal may no longer know some of them.
    return group_facts([Fact(**fact) for fact in discovery.facts if fact["key"] in FACTS])


def list_program_choices(discovery: Discovery) -> list[tuple[Program, list[str]]]:
    """Return every program, the recognized ones first, with the reasons for which it fits."""
    reasons_by_program = {candidate["program"]: candidate["reasons"] for candidate in discovery.candidates}
    keys = [key for key in dict.fromkeys([*reasons_by_program, *PROGRAMS]) if key in PROGRAMS]
    return [(PROGRAMS[key], list(map(_describe_reason, reasons_by_program.get(key, ())))) for key in keys]


def _describe_reason(reason: JsonObject) -> str:
    return _(REASON_TEXTS[reason["code"]]) % {"value": reason["value"]}


def build_requirements_preview(discovery: Discovery, partners: Iterable[Partner]) -> RequirementsPreview:
    """Return the mandatory requirements of the selected program, with what the checks and the company already meet."""
    edition = get_edition_in_force(discovery.program_key)
    results = {result["id"]: result for result in discovery.results}
    shared = _find_shared_answers(discovery, partners)
    category = str(discovery.values.get("category", ""))
    mandatory = (each for each in edition.list_requirements() if not (each.optional or each.after_findings))
    requirements = (each for each in mandatory if not each.categories or category in each.categories)
    rows = tuple(_build_row(requirement, results, shared) for requirement in requirements)
    return RequirementsPreview(rows, edition.groups)


def _build_row(requirement: Requirement, results: dict[str, JsonObject], shared: set[str]) -> RequirementPreview:
    if requirement.id in shared:
        return RequirementPreview(requirement, "met", _("Your company has already submitted this."))
    own_results = [results[key] for key in requirement.checks if key in results]
    # Some of the results aren't enough: the missing ones could fail.
    if not requirement.checks or len(own_results) < len(requirement.checks):
        return RequirementPreview(requirement, "open", requirement.reason)
    outcome = get_worst_outcome(result["outcome"] for result in own_results)
    worst = [result for result in own_results if result["outcome"] == outcome]
    summaries = dict.fromkeys(result["summary"] for result in worst)
    # A warning doesn't block, so only a failure needs advice before the start.
    advice = dict.fromkeys(result["advice"] for result in worst if outcome == Outcome.FAIL)
    return RequirementPreview(requirement, str(outcome), " ".join([*summaries, *advice]))


def _find_shared_answers(discovery: Discovery, partners: Iterable[Partner]) -> set[str]:
    """Return the requirements that a submission for another integration of the person's only company fulfills."""
    companies = list(partners)
    # With several companies, it isn't known yet whose answers count.
    if len(companies) != 1:
        return set()
    edition = get_edition_in_force(discovery.program_key)
    shared = {requirement.id for requirement in edition.list_requirements() if requirement.scope == AnswerScope.PARTNER}
    rows = RequirementFulfillment.objects.filter(
        integration__partner=companies[0],
        integration__program_key=discovery.program_key,
        requirement_id__in=shared,
        status__in=[str(status) for status in FULFILLED_STATUSES],
    )
    return set(rows.values_list("requirement_id", flat=True))
