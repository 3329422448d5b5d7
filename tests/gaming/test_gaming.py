"""Can the watched party stop its own clock? What may be tried, and the clock that it must show.

The issue is opened on Tuesday 14 April 2026, 09:00; undisturbed, it is due 168 hours later (48 when critical). The
state is asked for after 500 hours.
"""

from dataclasses import dataclass, field

import pytest

from integrations.programs.schema import TargetType
from integrations.sla.engine.projection import UNVERIFIED_EVENT_NOTE, project_issue_state
from integrations.sla.engine.types import Actor, ClockStatus, IssueEventKind, Severity, SlaPolicy, TimelineEvent
from tests.integrations.sla.story import (
    ACME_BOT,
    ANSWER,
    COLLEAGUE,
    CRITICAL_DUE,
    DEV,
    DUE,
    IDEALLY,
    NOBODY,
    NOW,
    PASSER_BY,
    QUESTION,
    RESPOND,
    SERVICE,
    STALE,
    USER,
    at,
    build_edited_comment,
    build_projection_context,
    deletes,
    does,
    edits,
    hours,
    open_issue,
    policy,
    project,
    says,
)


@dataclass(frozen=True)
class Attack:
    """What is tried, and what must come of it. `due`, `stopped`: hours after the opening."""

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
TWICE_SAID = "Could you share the whole log, please?"
ANSWERS = {"rules": policy(RESPOND), "target_type": TargetType.RESPOND}

CLOSING = [
    Attack(
        "a stale bot closes", [close_issue(100, STALE)], note="A bot closed the issue. This doesn't stop the clock."
    ),
    Attack("a stale bot closes after an answer", [says(5, DEV), close_issue(100, STALE)]),
    Attack("a machine under a user's name closes", [says(5, DEV), close_issue(100, ACME_BOT)]),
    Attack(
        "a machine that the program knows closes",
        [says(5, DEV), close_issue(100, SERVICE)],
        rules=policy(bots=frozenset({7})),
    ),
    Attack("a machine's commit closes", [says(5, DEV), close_issue(100, STALE, commit="abc")]),
    Attack(
        "nobody closes",
        [says(5, DEV), close_issue(100, NOBODY)],
        note="We don't know who closed the issue. This doesn't stop the clock.",
    ),
    Attack(
        "closed without an answer",
        [close_issue(100)],
        note="The issue was closed without a reply. This counts only after the partner replies.",
    ),
    Attack("closed as a duplicate without a word", [close_issue(100, reason="duplicate")]),
    Attack("closed with thanks only", [says(99.9, DEV, "Thanks for your report!"), close_issue(100)]),
    Attack(
        "closed first, explained after it was due", [close_issue(100), says(200, DEV)], ClockStatus.LATE, stopped=200
    ),
    Attack("closed after a machine's answer", [says(5, STALE), close_issue(100)]),
    Attack("closed after a passer-by's answer", [says(5, PASSER_BY), close_issue(100)]),
    Attack("closed after an answer that was deleted", [SOON_GONE, deletes(11, SOON_GONE), close_issue(100)]),
    Attack(
        "closed and reopened again and again",  # only the first closing stops it: two hours
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
    Attack("closed by a machine, reopened by hand", [says(5, DEV), close_issue(6, STALE), reopen_issue(100)]),
]

ANSWERING = [
    Attack("a machine answers", [says(1, STALE)], **ANSWERS),
    Attack("a machine under a user's name answers", [says(1, ACME_BOT)], **ANSWERS),
    Attack(
        "an automatic reply within seconds",
        [says(0.002, DEV, "Thank you, we look into each report within a week.")],
        note="A reply came within 30 seconds. It counts as automatic and doesn't stop the clock.",
        **ANSWERS,
    ),
    Attack("a passer-by answers", [says(1, PASSER_BY)], **ANSWERS),
    Attack("the reporter answers", [says(1, USER)], **ANSWERS),
    Attack("the reporter, let in meanwhile, answers", [says(1, Actor(1, "pat", association="MEMBER"))], **ANSWERS),
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
    Attack("a hidden remark is no answer", [says(1, DEV, "<!-- looked at it, it is the token -->")], **ANSWERS),
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
        "words edited into an empty comment while nobody looked",
        [*build_edited_comment(5, 200, DEV)],
        ClockStatus.LATE,
        stopped=200,
        note="We don't have the original text of this comment. It counts from the edit.",
        **ANSWERS,
    ),
    Attack(
        "words edited into an empty comment, the webhook of a second edit let through",
        [*build_edited_comment(5, 200, DEV, "."), *build_edited_comment(5, 200.5, DEV)],
        ClockStatus.LATE,
        stopped=200.5,
        **ANSWERS,
    ),
    Attack(
        "an empty comment whose first words come late",
        [*build_edited_comment(5, 200, DEV), says(5, DEV, ".", number=77)],
        ClockStatus.LATE,
        stopped=200,
        **ANSWERS,
    ),
    Attack("closed without a word", [close_issue(1)], **ANSWERS),
    Attack("labelled, assigned, locked, no word", [LABEL, does(25, DEV, IssueEventKind.LOCKED)], **ANSWERS),
]

PAUSING = [
    Attack("the label alone", [LABEL], note="The pause label has no matching question. The clock keeps running."),
    Attack("the label with thanks", [says(23, DEV, "Thanks for the report!"), LABEL]),
    Attack("the label with an answer", [says(23, DEV), LABEL]),
    Attack(
        "a machine's label",
        [says(23, DEV, "Please send us the whole log file."), does(24, STALE, IssueEventKind.LABELED, "needs-info")],
        note="A bot added a pause label. The clock keeps running.",
    ),
    Attack("a machine's question", [says(24, STALE, QUESTION)]),
    Attack("a passer-by's question", [says(24, PASSER_BY, QUESTION)]),
    Attack("a stock question", [says(24, DEV, "Is this still an issue with the newest release?")]),
    Attack("a question without words", [says(24, DEV, "Hm?")]),
    Attack("a quoted question", [says(24, DEV, f"> {QUESTION}\n\nThat was asked before.")]),
    Attack("a question mark in an address", [says(24, DEV, "See https://example.com/search?q=token for the cause")]),
    Attack(
        "a question mark in code", [says(24, DEV, "Use `var.x != null ? 1 : 0` there and then\n```\nis it so?\n```")]
    ),
    Attack("a question after it was due", [says(200, DEV, QUESTION)]),
    Attack(
        "the question deleted again",
        [QUESTION_EVENT, deletes(25, QUESTION_EVENT)],
        due=DUE + 1,
        note="A question was deleted. The pause ended with the deletion.",
    ),
    Attack(
        "the question edited away",
        [QUESTION_EVENT, edits(25, QUESTION_EVENT, "We look into it.")],
        due=DUE + 1,
        note="A question was removed by an edit. The pause ended with the edit.",
    ),
    Attack(
        "locked so that the reporter cannot answer",
        [QUESTION_EVENT, does(25, DEV, IssueEventKind.LOCKED)],
        due=DUE + 1,
        note="The conversation was locked during a pause. The pause ended.",
    ),
    Attack("asked in a locked conversation", [does(23, DEV, IssueEventKind.LOCKED), QUESTION_EVENT]),
    Attack("the reporter's answer deleted", [QUESTION_EVENT, ANSWER_EVENT, deletes(49, ANSWER_EVENT)], due=DUE + 24),
    Attack(
        "a question edited into a remark while nobody looked",  # what pauses is what it says since, from then on
        [*build_edited_comment(5, 24, DEV, QUESTION), ANSWER_EVENT],
        due=DUE + 24,
    ),
    Attack(
        "the reporter's answer edited away while nobody looked",
        [QUESTION_EVENT, *build_edited_comment(48, 60, USER, "-")],
        due=DUE + 24,
    ),
    Attack(
        "the same question again",
        [QUESTION_EVENT, ANSWER_EVENT, says(72, DEV, f"@pat  {QUESTION.upper()}")],
        due=DUE + 24,
        note="The partner repeated a question. The clock keeps running.",
    ),
    Attack(
        "the label again, without a new question",
        [QUESTION_EVENT, LABEL, ANSWER_EVENT, does(72, DEV, IssueEventKind.LABELED, "needs-info")],
        due=DUE + 24,
    ),
    Attack("a pause over the weekend gains nothing", [says(87, DEV, QUESTION), says(135, USER, "1.2.3")]),
]


def deny_event(fact: TimelineEvent) -> list[TimelineEvent]:
    """A fact that the company's own webhook told, and what GitHub said when it was asked for it."""
    kind = IssueEventKind.REOPENED if fact.kind == IssueEventKind.CLOSED else IssueEventKind.COMMENT_DELETED
    data = {} if fact.kind == IssueEventKind.CLOSED else {"comment": fact.key}
    return [fact, does(hours(fact.at), NOBODY, kind, denied=fact.key, **data)]


TAMPERING = [
    Attack(
        "an answer that only its own webhook knows", deny_event(says(5, DEV)), note=UNVERIFIED_EVENT_NOTE, **ANSWERS
    ),
    Attack("a closing without an answer, explained by a forged one", [close_issue(4), *deny_event(says(5, DEV))]),
    Attack("a question that only its own webhook knows", [*deny_event(QUESTION_EVENT), ANSWER_EVENT]),
    Attack(
        "the reporter's closing that only its own webhook knows",
        deny_event(close_issue(6, USER)),
        note=UNVERIFIED_EVENT_NOTE,
    ),
    Attack(
        "locked", [does(24, DEV, IssueEventKind.LOCKED)], note="The conversation was locked. The clocks keep running."
    ),
    Attack(
        "transferred",
        [does(24, DEV, IssueEventKind.TRANSFERRED)],
        note="The issue was transferred. The clocks keep running.",
    ),
    Attack("deleted", [does(24, DEV, IssueEventKind.DELETED)], note="The issue was deleted. The clocks keep running."),
    Attack("the report rewritten", [does(24, DEV, IssueEventKind.EDITED)]),
    Attack(
        "the critical label taken off", [CRITICAL, does(1, DEV, IssueEventKind.UNLABELED, "critical")], due=CRITICAL_DUE
    ),
    Attack(
        "another severity put instead",
        [CRITICAL, does(1, DEV, IssueEventKind.UNLABELED, "critical"), does(1, DEV, IssueEventKind.LABELED, "p3")],
        due=CRITICAL_DUE,
    ),
    Attack(
        "critical labels changed in turn", [CRITICAL, does(40, DEV, IssueEventKind.LABELED, "p0")], due=CRITICAL_DUE
    ),
    Attack("labelled critical when it was nearly due", [does(160, DEV, IssueEventKind.LABELED, "critical")]),
    Attack("labelled critical to fall under an ideal target", [CRITICAL], rules=policy(IDEALLY)),
    Attack("labelled critical after a day", [does(24, DEV, IssueEventKind.LABELED, "critical")], due=24 + CRITICAL_DUE),
    Attack(
        "closed late, labels removed, answer edited", [says(200, DEV), close_issue(201)], ClockStatus.LATE, stopped=201
    ),
]
ATTACKS = [*CLOSING, *ANSWERING, *PAUSING, *TAMPERING]


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_watched_party_cannot_stop_its_own_clock(attack: Attack) -> None:
    state = project(attack.facts, attack.rules)
    clock = next(clock for clock in state.clocks if clock.target_type == attack.target_type)
    assert (clock.state, hours(clock.due_at), hours(clock.stopped_at)) == (attack.state, attack.due, attack.stopped)
    assert attack.note in ("", *state.notes)


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_each_explanation_adds_up(attack: Attack) -> None:
    for clock in project(attack.facts, attack.rules).clocks:
        end = NOW if clock.stopped_at is None else hours(clock.stopped_at)
        lengths = sum(segment.length.total_seconds() for segment in clock.segments) / 3600
        assert hours(clock.started_at) + lengths == pytest.approx(end)
        assert sum(segment.used.total_seconds() for segment in clock.segments) == clock.counted.total_seconds()


def test_answer_whose_first_words_come_late_counts_from_when_it_was_given() -> None:
    facts = [*build_edited_comment(5, 200, DEV), says(5, DEV, number=77)]
    for issue_state in (project(facts, policy(RESPOND)), project(facts[::-1], policy(RESPOND))):
        assert (issue_state.respond.state, hours(issue_state.respond.stopped_at)) == (ClockStatus.MET, 5)


def test_moving_a_report_to_an_issue_of_one_s_own_gains_nothing() -> None:
    own = [open_issue(DEV), says(1, DEV)]
    assert project_issue_state(own, build_projection_context(policy())).resolve.state == ClockStatus.OVERDUE


def test_there_are_more_attacks_than_twenty() -> None:
    assert len({attack.name for attack in ATTACKS}) == len(ATTACKS) >= 20


def lower_severity(hour: float, requested_hour: float | None = None) -> TimelineEvent:
    """The program consents, to what the partner asked for then."""
    data = {} if requested_hour is None else {"asked": at(requested_hour).isoformat()}
    return does(hour, Actor(0, "portal"), IssueEventKind.SEVERITY_LOWERED, severity="other", **data)


def test_only_the_program_lowers_the_severity() -> None:
    state = project([CRITICAL, lower_severity(10)])
    assert (state.severity, hours(state.resolve.due_at)) == (Severity.OTHER, DUE)


BREACH_RESULT = (ClockStatus.OVERDUE, Severity.CRITICAL, CRITICAL_DUE)
MILDER = (ClockStatus.RUNNING, Severity.OTHER, DUE)


@pytest.mark.parametrize(
    ("facts", "clock"),
    [
        ([lower_severity(CRITICAL_DUE + 2)], BREACH_RESULT),
        ([lower_severity(CRITICAL_DUE)], BREACH_RESULT),
        ([lower_severity(CRITICAL_DUE - 1)], MILDER),
        ([lower_severity(CRITICAL_DUE + 2, requested_hour=CRITICAL_DUE + 1)], BREACH_RESULT),
        ([lower_severity(CRITICAL_DUE + 40, requested_hour=CRITICAL_DUE - 1)], MILDER),
        ([lower_severity(60), does(70, DEV, IssueEventKind.LABELED, "p0"), lower_severity(80)], BREACH_RESULT),
        ([does(30, DEV, IssueEventKind.LABELED, "p0"), lower_severity(60, requested_hour=20)], MILDER),
        ([says(60, DEV), close_issue(61), lower_severity(70)], (ClockStatus.LATE, Severity.CRITICAL, CRITICAL_DUE)),
        (
            [says(60, DEV), close_issue(61), lower_severity(70, requested_hour=20)],
            (ClockStatus.MET, Severity.OTHER, DUE),
        ),
        (
            [says(60, DEV), close_issue(61), lower_severity(55), does(90, DEV, IssueEventKind.LABELED, "p0")],
            (ClockStatus.LATE, Severity.CRITICAL, CRITICAL_DUE),
        ),
    ],
    ids=[
        "after the due moment",
        "at the due moment",
        "before it",
        "asked for after it",
        "asked for before it",
        "after it, raised and lowered again",
        "asked for before it, labelled again meanwhile",
        "after a late answer",
        "asked for before a late answer",
        "after it, then answered, then raised",
    ],
)
def test_what_was_late_when_the_severity_was_lowered_stays_late(
    facts: list[TimelineEvent], clock: tuple[ClockStatus, Severity, float]
) -> None:
    issue_state = project([CRITICAL, *facts], now=100)
    assert (issue_state.resolve.state, issue_state.resolve.severity, hours(issue_state.resolve.due_at)) == clock
    has_note = "The severity was lowered after the due date. The breach stays on record." in issue_state.notes
    assert has_note == (clock[1] == Severity.CRITICAL)


def test_until_the_program_agrees_the_clock_runs_on() -> None:
    assert project([CRITICAL, lower_severity(90, requested_hour=20)], now=60).resolve.state == ClockStatus.OVERDUE


def test_label_put_after_that_raises_it_again() -> None:
    state = project([CRITICAL, lower_severity(10), does(20, DEV, IssueEventKind.LABELED, "critical")])
    assert (state.severity, hours(state.resolve.due_at)) == (Severity.CRITICAL, 20 + CRITICAL_DUE)
