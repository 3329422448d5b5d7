"""Who is who in an issue: the reporter, the partner's people, machines, or somebody else?"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from integrations.sla.engine.types import Actor, Happening, Kind, Policy


class Side(StrEnum):
    """For whom somebody speaks in an issue."""

    REPORTER = "reporter"
    PARTNER = "partner"
    MACHINE = "machine"
    OTHER = "other"


TEAM = frozenset({"OWNER", "MEMBER", "COLLABORATOR"})
OWN_ISSUE = frozenset({"OWNER", "MEMBER"})
MACHINE = re.compile(r"\[bot\]$|(?:^|[-_])(?:ro)?bot\d*(?:$|[-_])", re.IGNORECASE)
# what GitHub lets only people with rights to the repository do; closing and reopening one's own issue is for everybody
WITH_RIGHTS = frozenset(
    {
        Kind.LABELED,
        Kind.UNLABELED,
        Kind.LOCKED,
        Kind.UNLOCKED,
        Kind.TRANSFERRED,
        Kind.DELETED,
        Kind.CLOSED,
        Kind.REOPENED,
    }
)


@dataclass(frozen=True, slots=True)
class Cast:
    """Who plays in one issue. `team`: ids of the partner's people as far as the issue shows them."""

    policy: Policy
    author: int
    team: frozenset[int]

    def side(self, actor: Actor) -> Side:
        if is_machine(actor, self.policy):
            return Side.MACHINE
        person = self.policy.second_accounts.get(actor.id, actor.id)
        if person == self.author:
            return Side.REPORTER
        return Side.PARTNER if actor.association in TEAM or actor.id in self.team else Side.OTHER


def is_machine(actor: Actor, policy: Policy) -> bool:
    """Whether GitHub, the name or the policy says that no person acts here."""
    return actor.type != "User" or actor.id in policy.bots or bool(MACHINE.search(actor.login))


def cast_of(happenings: Iterable[Happening], opened: Happening, policy: Policy) -> Cast:
    """The cast of an issue: whoever did what takes rights, or is called of the team once, is of the team throughout."""
    author = policy.second_accounts.get(opened.actor.id, opened.actor.id)
    team = {
        happening.actor.id
        for happening in happenings
        if happening.actor.id and (happening.actor.association in TEAM or happening.kind in WITH_RIGHTS)
    }
    return Cast(policy, author, policy.team | team - {opened.actor.id})


def is_of_the_partner(opened: Happening, policy: Policy) -> bool:
    """Whether the partner opened the issue itself."""
    return opened.actor.association in OWN_ISSUE or opened.actor.id in policy.team
