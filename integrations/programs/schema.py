"""Schema of program editions.

The frozen dataclasses are both the objects that the portal reads and the schema of the YAML files in `content/`:
`loader.py` validates the files against their annotations. A key of a file is the name of its field, unless `Key`
gives another one. A published edition is immutable, so every collection is a tuple or a read-only mapping.

A program is data: the state machine, the guards and the pages read it and never ask which program it is.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from types import MappingProxyType
from typing import Annotated, Literal

from pydantic import Field as Key

from integrations.programs.field_types import Count, EditionDate, FieldType, FileKind, Pairs, Slug, Text, Url
from portal.core.content_files import Content


class Stage(StrEnum):
    """Where an integration stands: five stages and three ends, the same for every program."""

    ENGAGE = "engage"
    DEVELOP = "develop"
    REVIEW = "review"
    RELEASE = "release"
    SUPPORT = "support"
    WITHDRAWN = "withdrawn"
    DECLINED = "declined"
    ARCHIVED = "archived"


OPEN_STAGES = (Stage.ENGAGE, Stage.DEVELOP, Stage.REVIEW, Stage.RELEASE, Stage.SUPPORT)
FINAL_STAGES = (Stage.WITHDRAWN, Stage.DECLINED, Stage.ARCHIVED)


class FulfillingParty(StrEnum):
    """Who fulfils a requirement. BOTH: each side signs or attends."""

    PARTNER = "partner"
    PROGRAM = "program"
    BOTH = "both"
    MACHINE = "machine"


class RequirementKind(StrEnum):
    """How a requirement is fulfilled."""

    FORM = "form"
    DOCUMENT = "document"
    AGREEMENT = "agreement"
    ATTESTATION = "attestation"
    MEETING = "meeting"
    CREDENTIALS = "credentials"
    CHECK = "check"


class AnswerScope(StrEnum):
    """Given once for one integration, or once for all of the company's integrations in the program."""

    INTEGRATION = "integration"
    PARTNER = "partner"


class TargetType(StrEnum):
    """What a program promises its users about issues. TRACK: no figures are promised."""

    RESPOND = "respond"
    RESOLVE = "resolve"
    TRACK = "track"


@dataclass(frozen=True, slots=True)
class ResourceLink(Content):
    """A resource: its title and address."""

    title: Text
    url: Url
    about: Annotated[str, Key(alias="description")] = ""


@dataclass(frozen=True, slots=True)
class Question(Content):
    """One question of a form. `type`: text, lines, url, email, choice, choices, number, date, yes.

    `max_lines` and `max_length` bound the answer; `options` are (value, label) pairs. `public`: what the answer is
    called on the listing, which everyone reads; an answer without it stays between the company and the program.
    """

    key: Slug
    label: Text
    type: FieldType = "text"
    help: str = ""
    required: bool = True
    max_lines: Count | None = None
    max_length: Count = 4000
    options: Pairs = ()
    public: Annotated[str, Key(alias="listing_label")] = ""


@dataclass(frozen=True, slots=True)
class Requirement(Content):
    """One item of a program's checklist.

    It must be met to leave its own step, or, where `needed_for` names a stage, to enter that stage.
    `group` puts it into an any-of group; `categories` limits it to integrations of those categories;
    `optional` means that a missing answer never blocks ("only if needed").
    """

    id: Text
    title: Text
    who: Annotated[FulfillingParty, Key(alias="responsible_party")]
    kind: RequirementKind
    why: Annotated[str, Key(alias="reason")] = ""
    needed_for: Stage | None = None
    scope: AnswerScope = AnswerScope.INTEGRATION
    optional: bool = False
    group: str = ""
    fields: tuple[Question, ...] = ()
    statement: str = ""  # attestation: what is attested
    agreement: Literal["", "mnda", "tpa"] = ""  # agreement: "mnda" or "tpa"
    meeting_items: tuple[str, ...] = ()  # meeting: what is ticked there
    meeting_hints: Pairs = ()  # meeting: an item, and the check requirement that has seen it
    checks: tuple[str, ...] = ()  # check: keys of verification's checks
    permanent: bool = False  # credentials: may stay for re-checks after the review
    accept: tuple[FileKind, ...] = ("pdf", "png", "jpeg", "txt", "zip")  # document: kinds by content
    categories: tuple[str, ...] = ()
    links: tuple[ResourceLink, ...] = ()
    public: Annotated[bool, Key(alias="show_on_listing")] = False  # document: the picture beside the listing
    after_findings: bool = False  # asked for only when no finding of the review waits for an answer


@dataclass(frozen=True, slots=True)
class RequirementGroup(Content):
    """An any-of group: at least `minimum` of the requirements that name it must be met."""

    key: Slug
    title: Text
    minimum: Count = 1


@dataclass(frozen=True, slots=True)
class Step(Content):
    """One step of the path under its published name. `also`: further stages lived under the same name."""

    key: Slug
    name: Text
    stage: Stage
    summary: Text
    requirements: tuple[Requirement, ...] = ()
    links: tuple[ResourceLink, ...] = ()
    also: Annotated[tuple[Stage, ...], Key(alias="additional_stages")] = ()

    @property
    def stages(self) -> tuple[Stage, ...]:
        return (self.stage, *self.also)


@dataclass(frozen=True, slots=True)
class Category(Content):
    """What an integration is about, with its meaning in one line. `links`: resources of this category.

    `plugin`: the type of plugin that it is, where such plugins can be rehearsed.
    """

    key: Slug
    name: Text
    meaning: Annotated[Text, Key(alias="description")]
    links: tuple[ResourceLink, ...] = ()
    plugin: Annotated[Literal["", "driver", "device"], Key(alias="plugin_type")] = ""


@dataclass(frozen=True, slots=True)
class LicenseRule(Content):
    """One published line of a license list: SPDX ids that pass, SPDX ids on which a person decides."""

    published: Text
    allow: tuple[str, ...] = ()
    ask: Annotated[tuple[str, ...], Key(alias="manual_review")] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class LicensePolicy(Content):
    """Which licenses pass. No lines: the program publishes no rule."""

    summary: Text
    lines: Annotated[tuple[LicenseRule, ...], Key(alias="rules")] = ()
    languages: tuple[str, ...] = ()

    @property
    def allow(self) -> frozenset[str]:
        return frozenset(spdx for line in self.lines for spdx in line.allow)

    @property
    def ask(self) -> frozenset[str]:
        return frozenset(spdx for line in self.lines for spdx in line.ask)


@dataclass(frozen=True, slots=True)
class SlaTarget(Content):
    """A promise in elapsed hours or in business days; `ideally` where the text is not hard."""

    hours: Count | None = None
    business_days: Count | None = None
    ideally: Annotated[bool, Key(alias="best_effort")] = False


@dataclass(frozen=True, slots=True)
class Sla(Content):
    """What the program promises about issues in support. A target may be absent."""

    target_type: TargetType
    summary: Text
    critical: SlaTarget | None = None
    other: SlaTarget | None = None


@dataclass(frozen=True, slots=True)
class Tier(Content):
    """A tier of listed integrations. `requirements` and `groups` must be met to be granted it.

    `granted_at_release`: the tier that a released integration enters; `on_request`: the partner may ask for it.
    """

    key: Slug
    name: Text
    meaning: Annotated[Text, Key(alias="description")]
    namespace: str = ""
    granted_at_release: bool = False
    on_request: bool = False
    requirements: tuple[Requirement, ...] = ()
    groups: tuple[RequirementGroup, ...] = ()


@dataclass(frozen=True, slots=True)
class Agency(Content):
    """A development agency that partners may hire."""

    name: Text
    email: Text
    site: Url


@dataclass(frozen=True)
class Edition(Content):
    """A program's text as of one date (YYYY-MM): immutable once used.

    `renamed` maps requirement ids, step keys and category keys of an older edition to this one's
    ({"2021-10": {"old": "new"}}); what it does not name keeps its name where it exists here, else it is dropped.
    """

    date: EditionDate
    title: Text
    source: Text
    steps: tuple[Step, ...]
    categories: tuple[Category, ...]
    mailbox: Text
    licenses: LicensePolicy
    sla: Sla
    listing: Text
    removal: Text
    tiers: tuple[Tier, ...]
    offerings: tuple[str, ...]
    contact: str = "Alliances manager"
    review_days: Count = 10  # the portal's own promise to the partner, in business days
    groups: tuple[RequirementGroup, ...] = ()
    links: tuple[ResourceLink, ...] = ()
    agencies: tuple[Agency, ...] = ()
    badges: tuple[str, ...] = ()
    badge_terms: str = ""
    benefits: tuple[str, ...] = ()
    resubmission: str = ""
    renamed: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Make the one mapping of an edition read-only."""
        frozen = {date: MappingProxyType(dict(names)) for date, names in self.renamed.items()}
        object.__setattr__(self, "renamed", MappingProxyType(frozen))

    def requirements(self) -> tuple[Requirement, ...]:
        """Every requirement of the path, in order (tiers apart)."""
        return tuple(r for step in self.steps for r in step.requirements)

    def requirement(self, id: str) -> Requirement | None:
        """The requirement of that id, of the path or of a tier."""
        tier = (r for t in self.tiers for r in t.requirements)
        return next((r for r in (*self.requirements(), *tier) if r.id == id), None)

    def step(self, key: str) -> Step:
        return next(step for step in self.steps if step.key == key)

    def step_of(self, requirement: Requirement) -> Step | None:
        return next((s for s in self.steps if requirement in s.requirements), None)

    def category(self, key: str) -> Category | None:
        return next((c for c in self.categories if c.key == key), None)

    def tier(self, key: str) -> Tier | None:
        return next((t for t in self.tiers if t.key == key), None)

    @property
    def release_tier(self) -> Tier:
        return next(t for t in self.tiers if t.granted_at_release)

    def positions(self) -> tuple[tuple[Step, Stage], ...]:
        """The path unfolded: each step with each stage lived under it, in order."""
        return self._positions

    @cached_property
    def _positions(self) -> tuple[tuple[Step, Stage], ...]:
        return tuple((step, stage) for step in self.steps for stage in step.stages)

    def position(self, step: str, stage: str) -> int:
        """Index into positions(). Raises ValueError when the path has no such place."""
        return [(s.key, str(g)) for s, g in self.positions()].index((step, str(stage)))

    def deadline(self, requirement: Requirement) -> int:
        """The position that must not be entered before the requirement is met."""
        return self._deadlines[requirement.id] if requirement.id in self._deadlines else self._deadline(requirement)

    @cached_property
    def _deadlines(self) -> dict[str, int]:
        """Of every requirement of the path: asked for many times on every page."""
        return {requirement.id: self._deadline(requirement) for requirement in self.requirements()}

    def _deadline(self, requirement: Requirement) -> int:
        places = self.positions()
        if requirement.needed_for is not None:
            return next(i for i, (_, stage) in enumerate(places) if stage == requirement.needed_for)
        return 1 + max(i for i, (step, _) in enumerate(places) if requirement in step.requirements)


@dataclass(frozen=True, slots=True)
class ProgramProfile(Content):
    """What the file of an edition says about its program. A program is shown as its newest edition describes it."""

    key: Slug
    product: Text
    name: Text
    summary: Text
    chooser: Annotated[Text, Key(alias="question")]
    partners: Annotated[Literal["", "infrastructure", "workflow"], Key(alias="partner_type")] = ""
    repository_pattern: str = ""
    repository_hint: str = ""
    needs_repository: bool = True


@dataclass(frozen=True, slots=True)
class EditionFile(Content):
    """One file of `content/`: the program, and its text as of one date."""

    program: ProgramProfile
    edition: Edition


@dataclass(frozen=True)
class Program:
    """A program: what it is called and its editions, oldest first.

    `partners`: "infrastructure", "workflow" or "" where the distinction does not exist. `chooser` is the
    question in the partner's words that leads here.
    """

    key: str
    product: str
    name: str
    summary: str
    chooser: str
    editions: tuple[Edition, ...]
    partners: str = ""
    repository_pattern: str = ""  # regular expression the repository's name must match
    repository_hint: str = ""
    needs_repository: bool = True

    @cached_property
    def by_date(self) -> Mapping[str, Edition]:
        return MappingProxyType({edition.date: edition for edition in self.editions})

    @property
    def newest(self) -> Edition:
        return self.editions[-1]

    def edition(self, date: str) -> Edition:
        return self.by_date[date]
