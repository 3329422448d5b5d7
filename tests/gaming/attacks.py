"""Attacks on the SLA clock: events that a partner can cause, and the expected state of the clock.

The issue is opened on Tuesday, April 14, 2026, at 09:00. Without events, it is due after 168 hours (48 if critical).
The state is computed after 500 hours.
"""

from dataclasses import dataclass, field

from integrations.programs.sla_policy import TargetType
from integrations.sla.engine.types import Actor, ClockStatus, IssueEventKind, SlaPolicy, TimelineEvent
from tests.integrations.sla.story import (
    ACME_BOT,
    ANSWER,
    COLLEAGUE,
    DEV,
    DUE,
    NOBODY,
    PASSER_BY,
    QUESTION,
    RESPOND,
    SERVICE,
    STALE,
    USER,
    build_edited_comment,
    deletes,
    does,
    edits,
    policy,
    says,
)


@dataclass(frozen=True)
class Attack:
    """Attempt and expected result. `due` and `stopped` are hours after the opening."""

    name: str
    facts: list[TimelineEvent]
    state: ClockStatus = ClockStatus.OVERDUE
    due: float | None = DUE
    stopped: float | None = None
    note: str = ""
    rules: SlaPolicy = field(default_factory=policy)
    target_type: TargetType = TargetType.RESOLVE


def close_issue(hour: float, who: Actor = DEV, **data: object) -> TimelineEvent:
    return does(hour, who, IssueEventKind.CLOSED, **data)


def reopen_issue(hour: float, who: Actor = DEV) -> TimelineEvent:
    return does(hour, who, IssueEventKind.REOPENED)


EMPTY = says(5, DEV, "+1")
SOON_GONE = says(10, DEV)
QUESTION_EVENT = says(24, DEV, QUESTION)
ANSWER_EVENT = says(48, USER, "1.2.3")
LABEL = does(24, DEV, IssueEventKind.LABELED, "needs-info")
CRITICAL = does(0.1, DEV, IssueEventKind.LABELED, "critical")
ANSWERS = {"rules": policy(RESPOND), "target_type": TargetType.RESPOND}
CLOSING = [
    Attack(
        "a stale bot closes", [close_issue(100, STALE)], note="A bot closed the issue. This doesn't stop the clock."
    ),
    Attack("a stale bot closes after an answer", [says(5, DEV), close_issue(100, STALE)]),
    Attack("a bot under a user's name closes", [says(5, DEV), close_issue(100, ACME_BOT)]),
    Attack(
        "a bot that the partner declared closes",
        [says(5, DEV), close_issue(100, SERVICE)],
        rules=policy(bots=frozenset({7})),
    ),
    Attack("a bot's commit closes", [says(5, DEV), close_issue(100, STALE, commit="abc")]),
    Attack(
        "an unknown account closes",
        [says(5, DEV), close_issue(100, NOBODY)],
        note="We don't know who closed the issue. This doesn't stop the clock.",
    ),
    Attack(
        "closed without an answer",
        [close_issue(100)],
        note="The issue was closed without a reply. This counts only after the partner replies.",
    ),
    Attack("closed as a duplicate without a reply", [close_issue(100, reason="duplicate")]),
    Attack("closed with thanks only", [says(99.9, DEV, "Thanks for your report!"), close_issue(100)]),
    Attack(
        "closed first, explained after it was due", [close_issue(100), says(200, DEV)], ClockStatus.LATE, stopped=200
    ),
    Attack("closed after a bot's answer", [says(5, STALE), close_issue(100)]),
    Attack("closed after a passer-by's answer", [says(5, PASSER_BY), close_issue(100)]),
    Attack("closed after an answer that was deleted", [SOON_GONE, deletes(11, SOON_GONE), close_issue(100)]),
    Attack(
        "closed and reopened again and again",  # only the first closure stops it, for two hours
        [
            says(5, DEV),
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
    Attack("closed by a bot, reopened by hand", [says(5, DEV), close_issue(6, STALE), reopen_issue(100)]),
]
ANSWERING = [
    Attack("a bot answers", [says(1, STALE)], **ANSWERS),
    Attack("a bot under a user's name answers", [says(1, ACME_BOT)], **ANSWERS),
    Attack(
        "an automatic reply within seconds",
        [says(0.002, DEV, "Thank you, we look into each report within a week.")],
        note="A reply came within 30 seconds. It counts as automatic and doesn't stop the clock.",
        **ANSWERS,
    ),
    Attack("a passer-by answers", [says(1, PASSER_BY)], **ANSWERS),
    Attack("the reporter answers", [says(1, USER)], **ANSWERS),
    Attack(
        "the reporter, who became a member later, answers", [says(1, Actor(1, "pat", association="MEMBER"))], **ANSWERS
    ),
    Attack(
        "the reporter's second account in the team answers",
        [says(1, COLLEAGUE)],
        rules=policy(RESPOND, second_accounts={3: 1}),
        target_type=TargetType.RESPOND,
    ),
    Attack(
        "thanks are no answer",
        [says(1, DEV, "Hi @pat, thanks for the report! :tada:")],
        note="A partner comment has no content that answers the issue. It doesn't stop the clock.",
        **ANSWERS,
    ),
    Attack("a quote is no answer", [says(1, DEV, "> It fails with a token error\n\n+1")], **ANSWERS),
    Attack("a command is no answer", [says(1, DEV, "/assign @dana\n/label triage")], **ANSWERS),
    Attack("a hidden comment is no answer", [says(1, DEV, "<!-- looked at it, it is the token -->")], **ANSWERS),
    Attack("a picture is no answer", [says(1, DEV, "![thumbs up](https://example.com/up.gif)")], **ANSWERS),
    Attack(
        "words edited into an empty comment after it was due",
        [EMPTY, edits(200, EMPTY, ANSWER)],
        ClockStatus.LATE,
        stopped=200,
        note="An edit turned a comment into a reply. It counts from the edit.",
        **ANSWERS,
    ),
    Attack(
        "answered and deleted",
        [SOON_GONE, deletes(11, SOON_GONE)],
        due=DUE + 1,
        note="A reply was deleted. It doesn't count after the deletion.",
        **ANSWERS,
    ),
    Attack(
        "words edited into an empty comment before we saw it",
        [*build_edited_comment(5, 200, DEV)],
        ClockStatus.LATE,
        stopped=200,
        note="We don't have the original text of this comment. It counts from the edit.",
        **ANSWERS,
    ),
    Attack(
        "words edited into an empty comment, with the webhook of a second edit",
        [*build_edited_comment(5, 200, DEV, "."), *build_edited_comment(5, 200.5, DEV)],
        ClockStatus.LATE,
        stopped=200.5,
        **ANSWERS,
    ),
    Attack(
        "an empty comment whose original text arrives late",
        [*build_edited_comment(5, 200, DEV), says(5, DEV, ".", number=77)],
        ClockStatus.LATE,
        stopped=200,
        **ANSWERS,
    ),
    Attack("closed without a reply", [close_issue(1)], **ANSWERS),
    Attack("labeled and locked without a reply", [LABEL, does(25, DEV, IssueEventKind.LOCKED)], **ANSWERS),
]
