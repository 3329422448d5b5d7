"""How is the story of an issue told in tests? Hours after its opening, who, what.

It is opened on Tuesday 14 April 2026 at 09:00 in UTC by a user; the 5 business days end on Tuesday 21 April at 09:00,
168 hours later.
"""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from integrations.programs.schema import Sla, Target, Verb
from integrations.sla.engine.projection import fold
from integrations.sla.engine.types import Actor, Asked, Happening, IssueState, Kind, Policy
from integrations.sla.github.event_mapping import comment_facts
from portal.core.business_time import Calendar

OPENED = datetime(2026, 4, 14, 9, 0, tzinfo=UTC)
DUE = 168
CRITICAL_DUE = 48
NOW = 500

USER = Actor(1, "pat")
DEV = Actor(2, "dana", association="MEMBER")
COLLEAGUE = Actor(3, "cory", association="COLLABORATOR")
PASSER_BY = Actor(4, "robin", association="CONTRIBUTOR")
STALE = Actor(5, "stale[bot]", "Bot")
ACME_BOT = Actor(6, "acme-bot", association="MEMBER")
SERVICE = Actor(7, "acmeservices", association="MEMBER")
NOBODY = Actor(0, "ghost")

QUESTION = "Which version of the provider do you use?"
ANSWER = "The token is refreshed too late; a fix is on its way."
RESOLVE = Sla(Verb.RESOLVE, "", Target(hours=48), Target(business_days=5))
RESPOND = Sla(Verb.RESPOND, "", Target(hours=48), Target(business_days=5))
IDEALLY = Sla(Verb.RESOLVE, "", Target(hours=48, ideally=True), Target(business_days=5))
TRACK = Sla(Verb.TRACK, "")


def at(hours: float) -> datetime:
    return OPENED + timedelta(hours=hours)


def hours(moment: datetime | None) -> float | None:
    """The inverse of `at`."""
    return None if moment is None else (moment - OPENED) / timedelta(hours=1)


def policy(sla: Sla = RESOLVE, **more: object) -> Policy:
    return Policy(sla, frozenset({"critical", "p0"}), frozenset({"needs-info"}), **more)  # type: ignore[arg-type]


def opened(who: Actor = USER, **data: object) -> Happening:
    return Happening("opened", Kind.OPENED, OPENED, who, "It fails.", data=data)


def says(hour: float, who: Actor, text: str = ANSWER, number: int = 0) -> Happening:
    return Happening(f"comment:{number or round(hour * 3600) + 1}", Kind.COMMENTED, at(hour), who, text)


def edits(hour: float, comment: Happening, text: str, who: Actor | None = None) -> Happening:
    data = {"comment": comment.key}
    return Happening(
        f"{comment.key}:edited:{hour}", Kind.COMMENT_EDITED, at(hour), who or comment.actor, text, data=data
    )


def listed(made: float, changed: float, who: Actor, text: str = ANSWER, number: int = 77) -> tuple[Happening, ...]:
    """A comment as a list shows it that was edited before we saw it: its last words, and both moments."""
    user = {"id": who.id, "login": who.login, "type": who.type}
    raw = {"id": number, "user": user, "author_association": who.association, "body": text}
    return comment_facts(raw | {"created_at": at(made).isoformat(), "updated_at": at(changed).isoformat()})


def deletes(hour: float, comment: Happening, who: Actor = DEV) -> Happening:
    data = {"comment": comment.key}
    return Happening(f"{comment.key}:deleted", Kind.COMMENT_DELETED, at(hour), who, data=data)


def does(hour: float, who: Actor, kind: Kind, label: str = "", **data: object) -> Happening:
    return Happening(f"event:{round(hour * 3600)}{kind}{label}", kind, at(hour), who, label=label, data=data)


def asked(rules: Policy, now: float = NOW, known: float | None = None) -> Asked:
    return Asked(rules, Calendar(), at(now), at(now if known is None else known))


def told(
    facts: Iterable[Happening], rules: Policy | None = None, now: float = NOW, known: float | None = None
) -> IssueState:
    return fold([opened(), *facts], asked(rules or policy(), now, known))
