"""Attacks with pauses, labels, and forged events, and the list of all attacks."""

from integrations.sla.engine.projection import UNVERIFIED_EVENT_NOTE
from integrations.sla.engine.types import ClockStatus, IssueEventKind, TimelineEvent
from tests.clock_abuse.attacks import (
    ANSWER_EVENT,
    ANSWERING_ATTACKS,
    CLOSING_ATTACKS,
    CRITICAL_LABEL,
    NEEDS_INFO_LABEL,
    QUESTION_EVENT,
    Attack,
    RespondAttack,
    close_issue,
)
from tests.integrations.sla.event_builders import (
    CRITICAL_DUE,
    DEV,
    DUE,
    GHOST,
    IDEAL_RESOLVE,
    OUTSIDER,
    QUESTION,
    STALE_BOT,
    USER,
    build_comment,
    build_deletion,
    build_edit,
    build_edited_comment,
    build_event,
    build_policy,
    to_hours,
)

PAUSING_ATTACKS = [
    Attack("a question within seconds", [build_comment(0.002, DEV, QUESTION), build_comment(300, USER, "1.2.3")]),
    Attack("a question in an automatic reply", [build_comment(5, DEV, f"This is an automated message. {QUESTION}")]),
    Attack(
        "the label alone", [NEEDS_INFO_LABEL], note="The pause label has no matching question. The clock keeps running."
    ),
    Attack("the label with thanks", [build_comment(23, DEV, "Thanks for the report!"), NEEDS_INFO_LABEL]),
    Attack("the label with an answer", [build_comment(23, DEV), NEEDS_INFO_LABEL]),
    Attack(
        "a bot's label",
        [
            build_comment(23, DEV, "Please send us the whole log file."),
            build_event(24, STALE_BOT, IssueEventKind.LABELED, "needs-info"),
        ],
        note="A bot added a pause label. The clock keeps running.",
    ),
    Attack("a bot's question", [build_comment(24, STALE_BOT, QUESTION)]),
    Attack("a passer-by's question", [build_comment(24, OUTSIDER, QUESTION)]),
    Attack("a stock question", [build_comment(24, DEV, "Is this still an issue with the newest release?")]),
    Attack("a question without words", [build_comment(24, DEV, "Hm?")]),
    Attack("a quoted question", [build_comment(24, DEV, f"> {QUESTION}\n\nThat was asked before.")]),
    Attack(
        "a question mark in an address",
        [build_comment(24, DEV, "See https://example.com/search?q=token for the cause")],
    ),
    Attack(
        "a question mark in code",
        [build_comment(24, DEV, "Use `var.x != null ? 1 : 0` there and then\n```\nis it so?\n```")],
    ),
    Attack("a question after it was due", [build_comment(200, DEV, QUESTION)]),
    Attack(
        "the question deleted again",
        [QUESTION_EVENT, build_deletion(25, QUESTION_EVENT)],
        due=DUE + 1,
        note="A question was deleted. The pause ended with the deletion.",
    ),
    Attack(
        "the question edited away",
        [QUESTION_EVENT, build_edit(25, QUESTION_EVENT, "We look into it.")],
        due=DUE + 1,
        note="A question was removed by an edit. The pause ended with the edit.",
    ),
    Attack(
        "locked so that the reporter cannot answer",
        [QUESTION_EVENT, build_event(25, DEV, IssueEventKind.LOCKED)],
        due=DUE + 1,
        note="The conversation was locked during a pause. The pause ended.",
    ),
    Attack("asked in a locked conversation", [build_event(23, DEV, IssueEventKind.LOCKED), QUESTION_EVENT]),
    Attack(
        "the reporter's answer deleted", [QUESTION_EVENT, ANSWER_EVENT, build_deletion(49, ANSWER_EVENT)], due=DUE + 24
    ),
    Attack(
        "a remark edited into a question before we saw it",  # it pauses from the edit on
        [*build_edited_comment(5, 24, DEV, QUESTION), ANSWER_EVENT],
        due=DUE + 24,
    ),
    Attack(
        "the reporter's answer edited away before we saw it",
        [QUESTION_EVENT, *build_edited_comment(48, 60, USER, "-")],
        due=DUE + 24,
    ),
    Attack(
        "the same question again",
        [QUESTION_EVENT, ANSWER_EVENT, build_comment(72, DEV, f"@pat  {QUESTION.upper()}")],
        due=DUE + 24,
        note="The partner repeated a question. The clock keeps running.",
    ),
    Attack(
        "the label again, without a new question",
        [QUESTION_EVENT, NEEDS_INFO_LABEL, ANSWER_EVENT, build_event(72, DEV, IssueEventKind.LABELED, "needs-info")],
        due=DUE + 24,
    ),
    Attack(
        "a pause over the weekend gains nothing", [build_comment(87, DEV, QUESTION), build_comment(135, USER, "1.2.3")]
    ),
]


def deny_event(event: TimelineEvent) -> list[TimelineEvent]:
    """Return an event from a partner's own webhook, and the event that shows that GitHub denies it."""
    kind = IssueEventKind.REOPENED if event.kind == IssueEventKind.CLOSED else IssueEventKind.COMMENT_DELETED
    data = {} if event.kind == IssueEventKind.CLOSED else {"comment": event.key}
    hour = to_hours(event.at)
    assert hour is not None
    return [event, build_event(hour, GHOST, kind, denied=event.key, **data)]


LATE_ANSWER = build_comment(200, DEV)
TAMPERING_ATTACKS = [
    RespondAttack(
        "an answer that only its own webhook knows",
        deny_event(build_comment(5, DEV)),
        note=UNVERIFIED_EVENT_NOTE,
    ),
    Attack("a closure without an answer, with a forged one", [close_issue(4), *deny_event(build_comment(5, DEV))]),
    Attack("a question that only its own webhook knows", [*deny_event(QUESTION_EVENT), ANSWER_EVENT]),
    Attack(
        "the reporter's closure that only its own webhook knows",
        deny_event(close_issue(6, USER)),
        note=UNVERIFIED_EVENT_NOTE,
    ),
    Attack(
        "locked",
        [build_event(24, DEV, IssueEventKind.LOCKED)],
        note="The conversation was locked. The clocks keep running.",
    ),
    Attack(
        "transferred",
        [build_event(24, DEV, IssueEventKind.TRANSFERRED)],
        note="The issue was transferred. The clocks keep running.",
    ),
    Attack(
        "deleted",
        [build_event(24, DEV, IssueEventKind.DELETED)],
        note="The issue was deleted. The clocks keep running.",
    ),
    Attack("the report rewritten", [build_event(24, DEV, IssueEventKind.EDITED)]),
    Attack(
        "the critical label removed",
        [CRITICAL_LABEL, build_event(1, DEV, IssueEventKind.UNLABELED, "critical")],
        due=CRITICAL_DUE,
    ),
    Attack(
        "the critical label replaced by another severity",
        [
            CRITICAL_LABEL,
            build_event(1, DEV, IssueEventKind.UNLABELED, "critical"),
            build_event(1, DEV, IssueEventKind.LABELED, "p3"),
        ],
        due=CRITICAL_DUE,
    ),
    Attack(
        "critical labels changed in turn",
        [CRITICAL_LABEL, build_event(40, DEV, IssueEventKind.LABELED, "p0")],
        due=CRITICAL_DUE,
    ),
    Attack("labeled critical when it was nearly due", [build_event(160, DEV, IssueEventKind.LABELED, "critical")]),
    Attack("labeled critical to fall under an ideal target", [CRITICAL_LABEL], rules=build_policy(IDEAL_RESOLVE)),
    Attack(
        "labeled critical after a day",
        [build_event(24, DEV, IssueEventKind.LABELED, "critical")],
        due=24 + CRITICAL_DUE,
    ),
    Attack(
        "closed late, labels removed, answer edited",
        [
            CRITICAL_LABEL,
            LATE_ANSWER,
            close_issue(201),
            build_event(202, DEV, IssueEventKind.UNLABELED, "critical"),
            build_edit(203, LATE_ANSWER, "We answered this on the first day."),
        ],
        ClockStatus.LATE,
        due=CRITICAL_DUE,
        stopped=201,
    ),
]
ATTACKS = [*CLOSING_ATTACKS, *ANSWERING_ATTACKS, *PAUSING_ATTACKS, *TAMPERING_ATTACKS]
