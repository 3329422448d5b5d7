"""Who is who in an issue: the reporter, the partner's people, machines, or somebody else?"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from integrations.sla.engine.types import Actor, IssueEventKind, SlaPolicy, TimelineEvent


class ParticipantSide(StrEnum):
    """For whom somebody speaks in an issue."""

    REPORTER = "reporter"
    PARTNER = "partner"
    MACHINE = "machine"
    OTHER = "other"


TEAM_ASSOCIATIONS = frozenset({"OWNER", "MEMBER", "COLLABORATOR"})
PARTNER_ASSOCIATIONS = frozenset({"OWNER", "MEMBER"})
BOT_LOGIN_PATTERN = re.compile(r"\[bot\]$|(?:^|[-_])(?:ro)?bot\d*(?:$|[-_])", re.IGNORECASE)
# what GitHub lets only people with rights to the repository do; closing and reopening one's own issue is for everybody
PRIVILEGED_KINDS = frozenset(
    {
        IssueEventKind.LABELED,
        IssueEventKind.UNLABELED,
        IssueEventKind.LOCKED,
        IssueEventKind.UNLOCKED,
        IssueEventKind.TRANSFERRED,
        IssueEventKind.DELETED,
        IssueEventKind.CLOSED,
        IssueEventKind.REOPENED,
    }
)


@dataclass(frozen=True, slots=True)
class IssueParticipants:
    """Who plays in one issue. `team`: ids of the partner's people as far as the issue shows them."""

    policy: SlaPolicy
    author: int
    team: frozenset[int]

    def get_side(self, actor: Actor) -> ParticipantSide:
        if is_machine(actor, self.policy):
            return ParticipantSide.MACHINE
        person_id = self.policy.second_accounts.get(actor.id, actor.id)
        if person_id == self.author:
            return ParticipantSide.REPORTER
        return (
            ParticipantSide.PARTNER
            if actor.association in TEAM_ASSOCIATIONS or actor.id in self.team
            else ParticipantSide.OTHER
        )


def is_machine(actor: Actor, policy: SlaPolicy) -> bool:
    """Whether GitHub, the name or the policy says that no person acts here."""
    return actor.type != "User" or actor.id in policy.bots or bool(BOT_LOGIN_PATTERN.search(actor.login))


def identify_participants(
    events: Iterable[TimelineEvent], opening: TimelineEvent, policy: SlaPolicy
) -> IssueParticipants:
    """The cast of an issue: whoever did what takes rights, or is called of the team once, is of the team throughout."""
    author = policy.second_accounts.get(opening.actor.id, opening.actor.id)
    team = {
        event.actor.id
        for event in events
        if event.actor.id and (event.actor.association in TEAM_ASSOCIATIONS or event.kind in PRIVILEGED_KINDS)
    }
    return IssueParticipants(policy, author, policy.team | team - {opening.actor.id})


def is_opened_by_partner(opening: TimelineEvent, policy: SlaPolicy) -> bool:
    """Whether the partner opened the issue itself."""
    return opening.actor.association in PARTNER_ASSOCIATIONS or opening.actor.id in policy.team
