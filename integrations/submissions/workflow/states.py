"""States of an integration and its next action, as pure functions of plain values."""

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy

from integrations.partners.models import VerificationState
from integrations.programs.stages import FINAL_STAGES as FINAL_STAGES, OPEN_STAGES as OPEN_STAGES, Stage as Stage
from integrations.submissions.workflow.next_action import ActionTextParams, get_action_label

COMMUNITY_TIER = "community"  # key of the tier without a support commitment, which some programs have
# not on the enumeration, because the modules of programs know nothing of Django
STAGE_LABELS = {
    Stage.ENGAGE: gettext_lazy("Engage"),
    Stage.DEVELOP: gettext_lazy("Develop"),
    Stage.REVIEW: gettext_lazy("Review"),
    Stage.RELEASE: gettext_lazy("Release"),
    Stage.SUPPORT: gettext_lazy("Support"),
    Stage.WITHDRAWN: gettext_lazy("Withdrawn"),
    Stage.DECLINED: gettext_lazy("Declined"),
    Stage.ARCHIVED: gettext_lazy("Archived"),
}


class ListingStatus(TextChoices):
    """Public state of a listed integration, independent of its stage."""

    UNLISTED = "unlisted", gettext_lazy("Unlisted")
    LISTED = "listed", gettext_lazy("Listed")
    ON_NOTICE = "on_notice", gettext_lazy("On notice")
    SUSPENDED = "suspended", gettext_lazy("Suspended")
    DELISTED = "delisted", gettext_lazy("Delisted")


class ComplianceStatus(StrEnum):
    """State of the compliance procedure."""

    NONE = ""
    REQUESTED = "requested"  # a notice is suggested or a reinstatement requested
    RUNNING = "running"  # the partner can respond until the deadline
    EXPIRED = "expired"  # the deadline has passed; a reviewer must decide
    PARTNER_RESPONDED = "partner_responded"  # paused: the partner responded
    APPEALED = "appealed"  # paused: the partner appealed


class ReviewState(StrEnum):
    """State of a review round: none, waiting for the program, or waiting for changes."""

    NONE = ""
    WAITING = "waiting"
    CHANGES = "changes"


class Status(TextChoices):
    """State of a requirement, including the outcomes of checks."""

    OPEN = "open"
    SUBMITTED = "submitted"
    AWAITING_OTHER_PARTY = "awaiting_other_party"  # submitted by one side, open for the other
    NOT_APPLICABLE = "not_applicable"
    WAIVED = "waived"
    PASS = "pass"
    WARN = "warn"
    FAIL = "fail"
    ERROR = "error"
    NOT_RUN = "not_run"
    EXPIRED = "expired"


# A waiver counts, too, while unexpired.
FULFILLED_STATUSES = frozenset({Status.SUBMITTED, Status.NOT_APPLICABLE, Status.PASS, Status.WARN})


class ResponsibleParty(TextChoices):
    """Party that must act next, one for each open integration. The first of several open requirements determines it."""

    PARTNER = "partner", gettext_lazy("The partner")
    PROGRAM = "program", gettext_lazy("The program")
    PORTAL = "portal", gettext_lazy("The portal")
    THIRD_PARTY = "third_party", gettext_lazy("Others")


OUTAGE_PARTY = "outage"  # recorded instead of the portal while checks end with errors; never counts for the partner


@dataclass(frozen=True, slots=True)
class OpenRequirement:
    """Open requirement with its responsible party and the code of the action on it.

    `group`: its any-of group; `enough`: how many more of that group are needed, 0 without a group. `is_blocked`: it is
    a statement about something that must come first.
    """

    id: str
    title: str
    responsible_party: ResponsibleParty
    action: str = "complete"
    group: str = ""
    enough: int = 0
    is_blocked: bool = False

    @property
    def action_label(self) -> str:
        return get_action_label(self.action)

    @property
    def is_for_partner(self) -> bool:
        """Return whether the partner can complete it now."""
        return self.responsible_party == ResponsibleParty.PARTNER and not self.is_blocked


def count_open(open_requirements: Collection[OpenRequirement]) -> int:
    """Return how many requirements must be completed. An any-of group counts with its missing minimum."""
    remaining_by_group = {item.group: item.enough for item in open_requirements if item.group}
    return sum(not item.group for item in open_requirements) + sum(remaining_by_group.values())


@dataclass(frozen=True, slots=True)
class IntegrationSnapshot:
    """Values that determine the next action.

    `missing`: requirements that block the next position, in the order of the path, or in support those that are no
    longer fulfilled; `next_stage`: the stage of the next position, None in support; `undo_until`: end of the period in
    which the last decision can be undone, None after it.
    """

    stage: Stage
    step: str
    next_stage: Stage | None = None
    on_hold_for: ResponsibleParty | None = None
    hold_reason: str = ""
    review: ReviewState = ReviewState.NONE
    round: int = 0
    open_findings: int = 0
    resolved_findings: int = 0
    missing: tuple[OpenRequirement, ...] = ()
    partner_requests: tuple[OpenRequirement, ...] = ()  # in review: requirements that wait for the partner's response
    tier_request: str = ""
    company: VerificationState = VerificationState.VERIFIED
    listing_status: ListingStatus = ListingStatus.UNLISTED
    process: ComplianceStatus = ComplianceStatus.NONE
    compliance_request: str = ""
    compliance_request_params: ActionTextParams = field(default_factory=dict)
    undo_until: datetime | None = None
    is_awaiting_second_reviewer: bool = False
