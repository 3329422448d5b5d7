"""Context of a transition: its inputs and what its guards read."""

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

from integrations.programs.schema import Requirement
from integrations.submissions.selectors import context
from integrations.submissions.workflow.evidence import PROVIDER, ComplianceFacts
from integrations.submissions.workflow.states import OpenRequirement, Stage
from portal.accounts.requests import AnyUser
from portal.core.value_types import NamedValues

if TYPE_CHECKING:
    from integrations.submissions.models.integration import Integration


@dataclass(frozen=True)
class StepContext:
    """Inputs of a transition at one moment. What guards read is loaded at the first use and doesn't change after that.

    Pages that only list the available transitions pass no `note`.
    """

    integration: "Integration"
    now: datetime
    actor: AnyUser | None = None
    note: str | None = None
    inputs: NamedValues = field(default_factory=dict)

    @cached_property
    def missing(self) -> list[Requirement]:
        return context.list_missing_next(self.integration, self.now)

    @cached_property
    def reachable_position(self) -> int:
        """Return the last position that can be entered now without a review."""
        positions = self.integration.edition.positions
        index = self.integration.position + 1
        # Steps in which nothing is left to do would only ask for a click. The review and what follows it need a
        # decision.
        while (
            index + 1 < len(positions)
            and positions[index + 1][1] in (Stage.ENGAGE, Stage.DEVELOP)
            and not context.list_missing_at(self.integration, index + 1, self.now)
        ):
            index += 1
        return index

    @cached_property
    def missing_for_tier(self) -> list[Requirement]:
        tier = self.integration.requested_tier
        return context.list_missing_for_tier(self.integration, tier, self.now) if tier else []

    @cached_property
    def partner_requirements(self) -> tuple[OpenRequirement, ...]:
        return context.list_partner_requirements(self.integration, self.now)

    @cached_property
    def findings(self) -> Counter[str]:
        """Return the number of blocking findings by state."""
        return context.count_findings(self.integration)

    @cached_property
    def compliance(self) -> ComplianceFacts:
        return PROVIDER.get_facts(self.integration, self.now)
