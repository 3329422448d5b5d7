"""Schema of requirements, part of the schema of program editions."""

from enum import StrEnum
from typing import Annotated, Literal

from integrations.programs.agreements import AgreementKey
from integrations.programs.field_types import (
    Count,
    FieldType,
    FileKind,
    Pairs,
    RegularExpression,
    RequirementId,
    Slug,
    Text,
    Url,
)
from integrations.programs.stages import Stage
from portal.core.content_files import Content, load_content, require_keys


class FulfillingParty(StrEnum):
    """Party that fulfills a requirement. BOTH means that each side signs or attends."""

    PARTNER = "partner"
    PROGRAM = "program"
    BOTH = "both"
    PORTAL = "portal"


class RequirementKind(StrEnum):
    """Kind of a requirement, which determines how it is fulfilled."""

    FORM = "form"
    DOCUMENT = "document"
    AGREEMENT = "agreement"
    ATTESTATION = "attestation"
    MEETING = "meeting"
    CREDENTIALS = "credentials"
    CHECK = "check"


class KindDescription(Content):
    """Properties of a kind. `party` is the only one that can fulfill it, if there is only one."""

    label: str
    action: str
    required_key: Literal["fields", "accept", "agreement", "statement", "meeting_items", "checks"] | None = None
    party: FulfillingParty | None = None


class KindFile(Content):
    """Content of requirement_kinds.yaml: all kinds."""

    kinds: Annotated[dict[RequirementKind, KindDescription], require_keys(RequirementKind)]


KINDS = load_content("integrations/programs/content/requirement_kinds.yaml", KindFile).kinds


class AnswerScope(StrEnum):
    """Scope of an answer: one integration, or all integrations of a partner in the program."""

    INTEGRATION = "integration"
    PARTNER = "partner"


class ResourceLink(Content):
    """Resource with its title and URL."""

    title: Text
    url: Url
    description: str = ""


class Question(Content):
    """Question of a form.

    `max_lines` and `max_length` limit the answer, and `pattern` is a regular expression for the whole of it. A question
    with a pattern has a `help` that shows an example. `options` are (value, label) pairs. `listing_label` is the label
    of the answer on the public listing. Answers without it are visible to the partner and the program only.
    """

    key: Slug
    label: Text
    type: FieldType = "text"
    help: str = ""
    required: bool = True
    max_lines: Count | None = None
    max_length: Count = 4000
    pattern: RegularExpression = ""
    options: Pairs = ()
    listing_label: str = ""


class Requirement(Content):
    """Requirement of a program.

    A requirement must be fulfilled to leave its step or, with `needed_for`, to enter that stage. `group` assigns it
    to an any-of group. `categories` limits it to integrations of these categories. `optional` requirements never
    block. `confirms` are the IDs of the requirements that a statement is about: it can be confirmed after they are
    fulfilled, and must be confirmed again if their checks find another repository or release.
    """

    id: RequirementId
    title: Text
    responsible_party: FulfillingParty
    kind: RequirementKind
    reason: str = ""
    needed_for: Stage | None = None
    scope: AnswerScope = AnswerScope.INTEGRATION
    optional: bool = False
    group: str = ""
    fields: tuple[Question, ...] = ()
    statement: str = ""  # attestation: text to confirm
    agreement: AgreementKey | Literal[""] = ""  # agreement: "mnda" or "tpa"
    meeting_items: tuple[str, ...] = ()  # meeting: items to present
    meeting_hints: Pairs = ()  # meeting: item and the requirement whose checks cover it
    checks: tuple[str, ...] = ()  # check: keys of verification's checks
    permanent: bool = False  # credentials: can stay after the review for later checks
    accept: tuple[FileKind, ...] = ("pdf", "png", "jpeg", "txt", "zip")  # document: allowed file types
    categories: tuple[str, ...] = ()
    links: tuple[ResourceLink, ...] = ()
    show_on_listing: bool = False  # document: image on the listing
    confirms: tuple[Text, ...] = ()  # attestation: requirements that the statement is about
    after_findings: bool = False  # attestation: about findings, so required only after the response to each

    @property
    def is_on_listing(self) -> bool:
        """Return whether the public listing shows an answer or the image."""
        return self.show_on_listing or any(question.listing_label for question in self.fields)


class RequirementGroup(Content):
    """Any-of group, of which at least `minimum` requirements must be fulfilled."""

    key: Slug
    title: Text
    minimum: Count = 1
