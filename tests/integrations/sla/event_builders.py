"""Helpers that build the events of an issue, by hours after its opening.

A user opens it on Tuesday, April 14, 2026, at 09:00 UTC. Five business days later is Tuesday, April 21, at 09:00, after
168 hours.
"""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from integrations.programs.sla_policy import SeverityTargets, Sla, SlaTarget
from integrations.sla.engine.projection import project_issue_state
from integrations.sla.engine.types import Actor, IssueEventKind, IssueState, ProjectionContext, SlaPolicy, TimelineEvent
from integrations.sla.github.event_mapping import map_comment
from portal.core.business_time import Calendar
from verification.sources.github.issue_models import GitHubComment

OPENED_AT = datetime(2026, 4, 14, 9, 0, tzinfo=UTC)
DUE = 168
CRITICAL_DUE = 48
NOW = 500

USER = Actor(1, "pat")
DEV = Actor(2, "dana", association="MEMBER")
COLLABORATOR = Actor(3, "cory", association="COLLABORATOR")
OUTSIDER = Actor(4, "robin", association="CONTRIBUTOR")
STALE_BOT = Actor(5, "stale[bot]", "Bot")
ACME_BOT = Actor(6, "acme-bot", association="MEMBER")
SERVICE_ACCOUNT = Actor(7, "acmeservices", association="MEMBER")
GHOST = Actor(0, "ghost")

QUESTION = "Which version of the provider do you use?"
ANSWER = "The token is refreshed too late; a fix is on its way."
TARGETS = SeverityTargets(SlaTarget(hours=48), SlaTarget(business_days=5))
RESOLVE = Sla("", resolve=TARGETS)
RESPOND = Sla("", respond=TARGETS)
IDEAL_RESOLVE = Sla("", resolve=SeverityTargets(SlaTarget(hours=48, binding="ideal"), SlaTarget(business_days=5)))
NO_TARGETS = Sla("")


def to_time(hours: float) -> datetime:
    return OPENED_AT + timedelta(hours=hours)


def to_hours(moment: datetime | None) -> float | None:
    """Return the hours after the opening: the inverse of `to_time`."""
    return None if moment is None else (moment - OPENED_AT) / timedelta(hours=1)


def build_policy(sla: Sla = RESOLVE, **more: object) -> SlaPolicy:
    return SlaPolicy(sla, frozenset({"critical", "p0"}), frozenset({"needs-info"}), **more)  # type: ignore[arg-type]


def open_issue(who: Actor = USER) -> TimelineEvent:
    return TimelineEvent("opened", IssueEventKind.OPENED, OPENED_AT, who, "It fails.")


def build_comment(hour: float, who: Actor, text: str = ANSWER, number: int = 0) -> TimelineEvent:
    return TimelineEvent(
        f"comment:{number or round(hour * 3600) + 1}", IssueEventKind.COMMENTED, to_time(hour), who, text
    )


def build_edit(hour: float, comment: TimelineEvent, text: str, who: Actor | None = None) -> TimelineEvent:
    data = {"comment": comment.key}
    return TimelineEvent(
        f"{comment.key}:edited:{hour}",
        IssueEventKind.COMMENT_EDITED,
        to_time(hour),
        who or comment.actor,
        text,
        data=data,
    )


def build_edited_comment(
    created_hour: float, changed_hour: float, who: Actor, text: str = ANSWER, number: int = 77
) -> tuple[TimelineEvent, ...]:
    """Return the events of a comment that was edited before we saw it: its last text, and both times."""
    user = {"id": who.id, "login": who.login, "type": who.type}
    raw = {"id": number, "user": user, "author_association": who.association, "body": text}
    moments = {"created_at": to_time(created_hour), "updated_at": to_time(changed_hour)}
    return map_comment(GitHubComment.model_validate(raw | moments))


def build_deletion(hour: float, comment: TimelineEvent, who: Actor = DEV) -> TimelineEvent:
    data = {"comment": comment.key}
    return TimelineEvent(f"{comment.key}:deleted", IssueEventKind.COMMENT_DELETED, to_time(hour), who, data=data)


def build_event(hour: float, who: Actor, kind: IssueEventKind, label: str = "", **data: object) -> TimelineEvent:
    return TimelineEvent(f"event:{round(hour * 3600)}{kind}{label}", kind, to_time(hour), who, label=label, data=data)


def build_projection_context(rules: SlaPolicy, now: float = NOW, known_until: float | None = None) -> ProjectionContext:
    return ProjectionContext(rules, Calendar(), to_time(now), to_time(now if known_until is None else known_until))


def project(
    facts: Iterable[TimelineEvent], rules: SlaPolicy | None = None, now: float = NOW, known_until: float | None = None
) -> IssueState:
    return project_issue_state(
        [open_issue(), *facts], build_projection_context(rules or build_policy(), now, known_until)
    )


CRITICAL = build_event(0.1, DEV, IssueEventKind.LABELED, " Critical ")
