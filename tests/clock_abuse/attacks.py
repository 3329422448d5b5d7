"""Attacks on the SLA clock: events that a partner can cause, and the expected state of the clock.

The issue is opened on Tuesday, April 14, 2026, at 09:00. Without events, it is due after 168 hours (48 if critical).
The state is computed after 500 hours.
"""

from dataclasses import dataclass, field
from functools import partial

from integrations.programs.sla_policy import TargetType
from integrations.sla.engine.types import Actor, ClockStatus, IssueEventKind, SlaPolicy, TimelineEvent
from tests.integrations.sla.event_builders import (
    ACME_BOT,
    ANSWER,
    COLLABORATOR,
    DEV,
    DUE,
    GHOST,
    OUTSIDER,
    QUESTION,
    RESPOND,
    SERVICE_ACCOUNT,
    STALE_BOT,
    USER,
    build_comment,
    build_deletion,
    build_edit,
    build_edited_comment,
    build_event,
    build_policy,
)


@dataclass(frozen=True)
class Attack:
    """Attempt and expected result. `due` and `stopped` are hours after the opening."""

    name: str
    events: list[TimelineEvent]
    state: ClockStatus = ClockStatus.OVERDUE
    due: float | None = DUE
    stopped: float | None = None
    note: str = ""
    rules: SlaPolicy = field(default_factory=build_policy)
    target_type: TargetType = TargetType.RESOLVE


def close_issue(hour: float, who: Actor = DEV, **data: str) -> TimelineEvent:
    return build_event(hour, who, IssueEventKind.CLOSED, **data)


def reopen_issue(hour: float, who: Actor = DEV) -> TimelineEvent:
    return build_event(hour, who, IssueEventKind.REOPENED)


EMPTY_COMMENT = build_comment(5, DEV, "+1")
DELETED_ANSWER = build_comment(10, DEV)
QUESTION_EVENT = build_comment(24, DEV, QUESTION)
ANSWER_EVENT = build_comment(48, USER, "1.2.3")
NEEDS_INFO_LABEL = build_event(24, DEV, IssueEventKind.LABELED, "needs-info")
CRITICAL_LABEL = build_event(0.1, DEV, IssueEventKind.LABELED, "critical")
RespondAttack = partial(Attack, rules=build_policy(RESPOND), target_type=TargetType.RESPOND)
CLOSING_ATTACKS = [
    Attack(
        "a stale bot closes", [close_issue(100, STALE_BOT)], note="A bot closed the issue. This doesn't stop the clock."
    ),
    Attack("a stale bot closes after an answer", [build_comment(5, DEV), close_issue(100, STALE_BOT)]),
    Attack("a bot under a user's name closes", [build_comment(5, DEV), close_issue(100, ACME_BOT)]),
    Attack(
        "a bot that the partner declared closes",
        [build_comment(5, DEV), close_issue(100, SERVICE_ACCOUNT)],
        rules=build_policy(bots=frozenset({7})),
    ),
    Attack("a bot's commit closes", [build_comment(5, DEV), close_issue(100, STALE_BOT, commit="abc")]),
    Attack(
        "an unknown account closes",
        [build_comment(5, DEV), close_issue(100, GHOST)],
        note="We don't know who closed the issue. This doesn't stop the clock.",
    ),
    Attack(
        "closed without an answer",
        [close_issue(100)],
        note="The issue was closed without a reply. This counts only after the partner replies.",
    ),
    Attack("closed as a duplicate without a reply", [close_issue(100, reason="duplicate")]),
    Attack("closed with thanks only", [build_comment(99.9, DEV, "Thanks for your report!"), close_issue(100)]),
    Attack(
        "closed first, explained after it was due",
        [close_issue(100), build_comment(200, DEV)],
        ClockStatus.LATE,
        stopped=200,
    ),
    Attack("closed after a bot's answer", [build_comment(5, STALE_BOT), close_issue(100)]),
    Attack("closed after a passer-by's answer", [build_comment(5, OUTSIDER), close_issue(100)]),
    Attack(
        "closed after an answer that was deleted",
        [DELETED_ANSWER, build_deletion(11, DELETED_ANSWER), close_issue(100)],
    ),
    Attack(
        "closed and reopened again and again",  # only the first closure stops it, for two hours
        [
            build_comment(5, DEV),
            close_issue(6),
            reopen_issue(8),
            close_issue(9),
            reopen_issue(29),
            close_issue(30),
            reopen_issue(50),
        ],
        due=DUE + 2,
        note="The issue was closed and reopened repeatedly. The time in between counts.",
    ),
    Attack(
        "asked and closed at once",
        [QUESTION_EVENT, close_issue(25), ANSWER_EVENT],
        due=DUE + 24,
        note="The issue was closed with an open question and without another reply. This doesn't stop the clock.",
    ),
    Attack("closed by a bot, reopened by hand", [build_comment(5, DEV), close_issue(6, STALE_BOT), reopen_issue(100)]),
]
ANSWERING_ATTACKS = [
    RespondAttack("a bot answers", [build_comment(1, STALE_BOT)]),
    RespondAttack("a bot under a user's name answers", [build_comment(1, ACME_BOT)]),
    RespondAttack(
        "an automatic reply within seconds",
        [build_comment(0.002, DEV, "Thank you, we look into each report within a week.")],
        note="A reply came within 30 seconds. It counts as automatic and doesn't stop the clock.",
    ),
    RespondAttack("a passer-by answers", [build_comment(1, OUTSIDER)]),
    RespondAttack("the reporter answers", [build_comment(1, USER)]),
    RespondAttack(
        "the reporter, who became a member later, answers",
        [build_comment(1, Actor(1, "pat", association="MEMBER"))],
    ),
    Attack(
        "the reporter's second account in the team answers",
        [build_comment(1, COLLABORATOR)],
        rules=build_policy(RESPOND, second_accounts={3: 1}),
        target_type=TargetType.RESPOND,
    ),
    RespondAttack(
        "thanks are no answer",
        [build_comment(1, DEV, "Hi @pat, thanks for the report! :tada:")],
        note="A partner comment has no content that answers the issue. It doesn't stop the clock.",
    ),
    RespondAttack("a quote is no answer", [build_comment(1, DEV, "> It fails with a token error\n\n+1")]),
    RespondAttack("a command is no answer", [build_comment(1, DEV, "/assign @dana\n/label triage")]),
    RespondAttack(
        "a hidden comment is no answer",
        [build_comment(1, DEV, "<!-- looked at it, it is the token -->")],
    ),
    RespondAttack("a picture is no answer", [build_comment(1, DEV, "![thumbs up](https://example.com/up.gif)")]),
    RespondAttack(
        "words edited into an empty comment after it was due",
        [EMPTY_COMMENT, build_edit(200, EMPTY_COMMENT, ANSWER)],
        ClockStatus.LATE,
        stopped=200,
        note="An edit turned a comment into a reply. It counts from the edit.",
    ),
    RespondAttack(
        "answered and deleted",
        [DELETED_ANSWER, build_deletion(11, DELETED_ANSWER)],
        due=DUE + 1,
        note="A reply was deleted. It doesn't count after the deletion.",
    ),
    RespondAttack(
        "words edited into an empty comment before we saw it",
        [*build_edited_comment(5, 200, DEV)],
        ClockStatus.LATE,
        stopped=200,
        note="We don't have the original text of this comment. It counts from the edit.",
    ),
    RespondAttack(
        "words edited into an empty comment, with the webhook of a second edit",
        [*build_edited_comment(5, 200, DEV, "."), *build_edited_comment(5, 200.5, DEV)],
        ClockStatus.LATE,
        stopped=200.5,
    ),
    RespondAttack(
        "an empty comment whose original text arrives late",
        [*build_edited_comment(5, 200, DEV), build_comment(5, DEV, ".", number=77)],
        ClockStatus.LATE,
        stopped=200,
    ),
    RespondAttack("closed without a reply", [close_issue(1)]),
    RespondAttack(
        "labeled and locked without a reply",
        [NEEDS_INFO_LABEL, build_event(25, DEV, IssueEventKind.LOCKED)],
    ),
]
