"""Classification of issue participants as reporter, partner, bot, or other."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from integrations.sla.engine.types import CHANGE_KINDS, FINAL_KINDS, Actor, IssueEventKind, SlaPolicy, TimelineEvent


class ParticipantSide(StrEnum):
    """Side of a participant in an issue."""

    REPORTER = "reporter"
    PARTNER = "partner"
    MACHINE = "machine"
    OTHER = "other"


TEAM_ASSOCIATIONS = frozenset({"OWNER", "MEMBER", "COLLABORATOR"})
# An outside collaborator can be a user of the product. An issue that such a person opens is not the partner's own.
PARTNER_ASSOCIATIONS = frozenset({"OWNER", "MEMBER"})
BOT_LOGIN_PATTERN = re.compile(r"\[bot\]$|(?:^|[-_])(?:ro)?bot\d*(?:$|[-_])", re.IGNORECASE)
# Actions that GitHub restricts to collaborators, except that anyone can close and reopen their own issue
PRIVILEGED_KINDS = CHANGE_KINDS - {IssueEventKind.EDITED} | FINAL_KINDS
# Actions that GitHub's lists show without their actor or not at all, so a forged webhook can't be denied
UNVERIFIABLE_KINDS = frozenset({IssueEventKind.EDITED, IssueEventKind.COMMENT_DELETED})


@dataclass(frozen=True, slots=True)
class IssueParticipants:
    """Participants of an issue. `team` holds the user IDs of partner members that the issue's events reveal."""

    policy: SlaPolicy
    author: int
    team: frozenset[int]

    def get_side(self, actor: Actor) -> ParticipantSide:
        if is_machine(actor, self.policy):
            return ParticipantSide.MACHINE
        person_id = self.policy.second_accounts.get(actor.id, actor.id)
        # Before the team: people don't respond to themselves, even if the reporter is a maintainer (decision 0073).
        if person_id == self.author:
            return ParticipantSide.REPORTER
        is_team = actor.association in TEAM_ASSOCIATIONS or actor.id in self.team
        return ParticipantSide.PARTNER if is_team else ParticipantSide.OTHER


@dataclass(slots=True)
class EventTracker:
    """Tracker that reads an issue's events in order. Subclasses handle events of kind K in methods `handle_K`."""

    participants: IssueParticipants
    notes: list[str] = field(default_factory=list)
    sides_by_comment: dict[str, ParticipantSide] = field(default_factory=dict)

    def read(self, event: TimelineEvent) -> None:
        side = self.participants.get_side(event.actor)
        if event.kind == IssueEventKind.COMMENTED:
            self.sides_by_comment[event.comment] = side
        handler = getattr(self, f"handle_{event.kind}", None)
        if handler:
            handler(event, side)

    def get_writer_side(self, event: TimelineEvent, side: ParticipantSide) -> ParticipantSide:
        """Return the side of an edited comment's author, or else of the editor."""
        return self.sides_by_comment.get(event.comment, side)


def is_machine(actor: Actor, policy: SlaPolicy) -> bool:
    """Return whether GitHub, the login, or the policy identifies the actor as a bot."""
    # GitHub's other types are Bot, Organization, and Mannequin, the stand-in for an imported author.
    return actor.type != "User" or actor.id in policy.bots or bool(BOT_LOGIN_PATTERN.search(actor.login))


def identify_participants(
    events: Iterable[TimelineEvent], opening: TimelineEvent, policy: SlaPolicy
) -> IssueParticipants:
    """Identify the participants. Anyone who acts with repository permissions once counts as partner throughout."""
    author = policy.second_accounts.get(opening.actor.id, opening.actor.id)
    team = {
        event.actor.id
        for event in events
        # All unknown actors have the ID 0, so one of them must not make the others partners.
        if event.actor.id
        and event.kind not in UNVERIFIABLE_KINDS
        and (event.actor.association in TEAM_ASSOCIATIONS or event.kind in PRIVILEGED_KINDS)
    }
    return IssueParticipants(policy, author, policy.team | team - {opening.actor.id})


def claims_more(claimed: Actor, listed: Actor) -> bool:
    """Return whether an association stands for more permissions than the one that GitHub lists for the account."""
    return any(
        claimed.association in associations and listed.association not in associations
        for associations in (TEAM_ASSOCIATIONS, PARTNER_ASSOCIATIONS)
    )


def is_opened_by_partner(opening: TimelineEvent, policy: SlaPolicy) -> bool:
    """Return whether the partner opened the issue."""
    return opening.actor.association in PARTNER_ASSOCIATIONS or opening.actor.id in policy.team
