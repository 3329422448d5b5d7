"""Schema of program editions.

The frozen dataclasses are both the objects that the portal reads and the schema of the YAML files in `content/`:
`loader.py` validates the files against their annotations. The keys of a file are the names of the fields. A published
edition is immutable, so every collection is a tuple or a read-only mapping.

A program is data: the state machine, the guards and the pages read it and never ask which program it is.
"""

from collections.abc import Mapping
from dataclasses import field
from functools import cached_property
from types import MappingProxyType
from typing import Literal

from integrations.programs.agreements import AgreementKey
from integrations.programs.calendars import DEFAULT_CALENDAR, ProgramCalendar
from integrations.programs.field_types import Count, EditionDate, Email, Pairs, RegularExpression, Slug, Text, Url
from integrations.programs.requirements import Requirement, RequirementGroup, ResourceLink
from integrations.programs.sla_policy import Sla
from integrations.programs.stages import Stage
from portal.core.business_time import Calendar
from portal.core.content_files import Content


class ReviewPolicy(Content):
    """Rules of a review. With `second_reviewer`, an approval needs two reviewers."""

    second_reviewer: bool = False


class Step(Content):
    """Step of a program under its published name. `additional_stages` follow `stage`; `diagram` is a sequence."""

    key: Slug
    name: Text
    stage: Stage
    summary: Text
    requirements: tuple[Requirement, ...] = ()
    links: tuple[ResourceLink, ...] = ()
    additional_stages: tuple[Stage, ...] = ()
    diagram: tuple[Text, ...] = ()
    review: ReviewPolicy = ReviewPolicy()

    @property
    def stages(self) -> tuple[Stage, ...]:
        return (self.stage, *self.additional_stages)


class Category(Content):
    """Category of integrations, with a pattern of repository names. The portal can test plugins of a `plugin_type`."""

    key: Slug
    name: Text
    description: Text
    links: tuple[ResourceLink, ...] = ()
    plugin_type: Literal["", "driver", "device"] = ""
    repository_pattern: RegularExpression = ""


class LicenseRule(Content):
    """Published rule of a license policy: SPDX IDs that pass, and SPDX IDs that need a manual review."""

    published: Text
    allow: tuple[str, ...] = ()
    manual_review: tuple[str, ...] = ()
    note: str = ""


class LicensePolicy(Content):
    """License policy. Without rules, the program publishes no rule."""

    summary: Text
    rules: tuple[LicenseRule, ...] = ()
    languages: tuple[str, ...] = ()

    @property
    def allow(self) -> frozenset[str]:
        return frozenset(spdx for rule in self.rules for spdx in rule.allow)

    @property
    def manual_review(self) -> frozenset[str]:
        return frozenset(spdx for rule in self.rules for spdx in rule.manual_review)


class Tier(Content):
    """Tier of listed integrations with its requirements.

    Released integrations enter the tier with `granted_at_release`. Partners can request tiers with `on_request`.
    """

    key: Slug
    name: Text
    description: Text
    namespace: str = ""
    granted_at_release: bool = False
    on_request: bool = False
    requirements: tuple[Requirement, ...] = ()
    groups: tuple[RequirementGroup, ...] = ()


class ProgramContact(Content):
    """Contact of a program for one purpose: an email address, a link, or both."""

    purpose: Text
    email: Email = ""
    url: Url = ""


class Agency(Content):
    """Development agency that partners can hire."""

    name: Text
    email: Email
    site: Url


class Edition(Content):
    """Edition of a program as of a date (YYYY-MM), immutable after its publication.

    Unless a setting says otherwise, the newest edition that is not `upcoming` is in force for new integrations.
    `renames` maps requirement IDs, step keys, category keys, and offerings of older editions to this edition
    ({"2021-10": {"old": "new"}}). Other names stay the same if they exist in this edition, or are dropped.
    """

    date: EditionDate
    title: Text
    source: Text
    steps: tuple[Step, ...]
    categories: tuple[Category, ...]
    mailbox: Email
    licenses: LicensePolicy
    sla: Sla
    listing: Text
    removal: Text
    tiers: tuple[Tier, ...]
    offerings: tuple[str, ...]
    offering_descriptions: Pairs = ()
    contact: str = "Alliances manager"
    contacts: tuple[ProgramContact, ...] = ()  # in addition to the contact and the mailbox
    calendar: ProgramCalendar = DEFAULT_CALENDAR
    review_days: Count = 10  # the program's own target for reviews, in business days of `calendar`
    groups: tuple[RequirementGroup, ...] = ()
    links: tuple[ResourceLink, ...] = ()
    agencies: tuple[Agency, ...] = ()
    agreements: tuple[AgreementKey, ...] = ()  # their newest versions apply
    badges: tuple[str, ...] = ()
    badge_label: str = ""  # on the left of the badge; the default is the name of the program
    badge_terms: str = ""
    benefits: tuple[str, ...] = ()
    resubmission: str = ""
    upcoming: bool = False
    renames: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Make `renames` read-only."""
        # A frozen dataclass keeps its attributes, not the contents of a dictionary.
        frozen = {date: MappingProxyType(dict(names)) for date, names in self.renames.items()}
        object.__setattr__(self, "renames", MappingProxyType(frozen))

    @property
    def business_calendar(self) -> Calendar:
        return self.calendar.business_calendar

    def list_requirements(self) -> tuple[Requirement, ...]:
        """Return the requirements of all steps in order, without those of tiers."""
        return tuple(r for step in self.steps for r in step.requirements)

    def list_all_requirements(self) -> tuple[Requirement, ...]:
        """Return the requirements of all steps in order, then those of tiers."""
        return (*self.list_requirements(), *(r for tier in self.tiers for r in tier.requirements))

    def get_requirement(self, id: str) -> Requirement | None:
        """Return the requirement with this ID from the steps or tiers, or None."""
        return next((r for r in self.list_all_requirements() if r.id == id), None)

    def get_step(self, key: str) -> Step:
        return next(step for step in self.steps if step.key == key)

    def find_step(self, requirement: Requirement) -> Step | None:
        return next((s for s in self.steps if requirement in s.requirements), None)

    def get_category(self, key: str) -> Category | None:
        return next((c for c in self.categories if c.key == key), None)

    def get_tier(self, key: str) -> Tier | None:
        return next((t for t in self.tiers if t.key == key), None)

    def describe_offerings(self) -> tuple[tuple[str, str], ...]:
        """Return each offering with its description, which can be blank."""
        descriptions = dict(self.offering_descriptions)
        return tuple((offering, descriptions.get(offering, "")) for offering in self.offerings)

    @property
    def release_tier(self) -> Tier:
        return next(t for t in self.tiers if t.granted_at_release)

    @cached_property
    def positions(self) -> tuple[tuple[Step, Stage], ...]:
        """Return each step with each of its stages, in order."""
        return tuple((step, stage) for step in self.steps for stage in step.stages)

    def get_position(self, step: str, stage: str) -> int:
        """Return the index in `positions`. Raises ValueError for an unknown step or stage."""
        return [(s.key, str(g)) for s, g in self.positions].index((step, str(stage)))

    def get_deadline(self, requirement: Requirement) -> int:
        """Return the position that requires the requirement to be fulfilled, after all steps if only a tier does."""
        # A requirement of a tier alone never blocks the path.
        return self._deadlines.get(requirement.id, len(self.positions))

    @cached_property
    def _deadlines(self) -> dict[str, int]:
        """Return the deadlines of all requirements, cached because every page uses them many times."""
        return {requirement.id: self._find_deadline(requirement) for requirement in self.list_requirements()}

    def _find_deadline(self, requirement: Requirement) -> int:
        if requirement.needed_for is not None:
            stages = [stage for _, stage in self.positions]
            return stages.index(requirement.needed_for) if requirement.needed_for in stages else len(stages)
        # To leave its step is to enter the position after the last one of the step.
        return 1 + max(i for i, (step, _) in enumerate(self.positions) if requirement in step.requirements)


class ProgramProfile(Content):
    """Description of the program in an edition's file. The newest edition determines how the program is shown.

    `partner_type` is "infrastructure", "workflow", or "" without this distinction. `question` helps partners find
    it, as `repository_pattern` does. `sdk_modules` are Go modules that only code of this program needs.
    """

    key: Slug
    product: Text
    name: Text
    summary: Text
    question: Text
    partner_type: Literal["", "infrastructure", "workflow"] = ""
    repository_pattern: RegularExpression = ""
    repository_hint: str = ""
    sdk_modules: tuple[str, ...] = ()
    needs_repository: bool = True


class EditionFile(Content):
    """File in `content/` with the program and one edition."""

    program: ProgramProfile
    edition: Edition


class Program(ProgramProfile):
    """Program as its newest edition describes it, with its editions, oldest first."""

    editions: tuple[Edition, ...] = field(kw_only=True)

    @cached_property
    def by_date(self) -> Mapping[str, Edition]:
        return MappingProxyType({edition.date: edition for edition in self.editions})

    @property
    def default_edition(self) -> Edition:
        """Return the newest edition that is not upcoming."""
        # loader.py refuses a program without such an edition.
        return next(edition for edition in reversed(self.editions) if not edition.upcoming)
