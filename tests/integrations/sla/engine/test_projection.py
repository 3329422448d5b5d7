"""What follows from what happened to an issue?"""

import random
from datetime import date, timedelta
from zoneinfo import ZoneInfo

import pytest

from integrations.programs.schema import Sla, Target, Verb
from integrations.sla.engine.projection import fold
from integrations.sla.engine.types import Actor, Asked, Happening, Kind, Severity, Watching
from portal.core.business_time import Calendar
from tests.integrations.sla.story import (
    ANSWER,
    COLLEAGUE,
    CRITICAL_DUE,
    DEV,
    DUE,
    IDEALLY,
    NOW,
    PASSER_BY,
    QUESTION,
    RESPOND,
    STALE,
    TRACK,
    USER,
    asked,
    at,
    deletes,
    does,
    edits,
    hours,
    opened,
    policy,
    says,
    told,
)

CRITICAL = does(0.1, DEV, Kind.LABELED, " Critical ")
CLOSED = does(100, DEV, Kind.CLOSED)
REOPENED = does(120, DEV, Kind.REOPENED)
LABEL = does(24, DEV, Kind.LABELED, "needs-info")


def test_nothing_happens_and_time_passes() -> None:
    clock = told([], now=84).resolve
    assert (clock.state, clock.promised, hours(clock.due_at)) == (Watching.RUNNING, True, DUE)
    assert (clock.counted, clock.share) == (timedelta(hours=84), 0.7)
    assert [hours(moment) for moment in clock.warn_at] == [60, 84 + 54, 156]


def test_it_is_overdue_at_the_due_moment() -> None:
    assert [told([], now=moment).resolve.state for moment in (DUE - 0.01, DUE)] == [Watching.RUNNING, Watching.OVERDUE]


@pytest.mark.parametrize(("hour", "state"), [(10, Watching.MET), (DUE, Watching.MET), (DUE + 0.01, Watching.LATE)])
def test_the_first_answer_of_the_partner_stops_respond(hour: float, state: Watching) -> None:
    clock = told([says(hour, DEV), says(hour + 1, COLLEAGUE)], policy(RESPOND)).respond
    assert (clock.state, hours(clock.stopped_at), clock.stopped_by) == (state, hour, says(hour, DEV).key)


def test_a_person_that_the_partner_named_answers() -> None:
    state = told([says(10, PASSER_BY)], policy(RESPOND, team=frozenset({PASSER_BY.id})))
    assert state.respond.state == Watching.MET


def test_a_member_whom_github_does_not_show_is_known_by_what_takes_rights() -> None:
    hidden = Actor(9, "quiet")
    state = told([says(10, hidden), does(300, hidden, Kind.LABELED, "bug")], policy(RESPOND))
    assert (state.respond.state, hours(state.respond.stopped_at)) == (Watching.MET, 10)


def test_an_answer_edited_afterwards_was_an_answer() -> None:
    answer = says(10, DEV)
    assert told([answer, edits(11, answer, ".")], policy(RESPOND)).respond.state == Watching.MET


def test_another_answer_stands_when_the_first_is_deleted() -> None:
    first, second = says(10, DEV), says(20, DEV)
    clock = told([first, second, deletes(30, first)], policy(RESPOND)).respond
    assert (clock.state, hours(clock.stopped_at)) == (Watching.MET, 10)


def test_time_runs_again_between_a_deleted_answer_and_the_next() -> None:
    first = says(10, DEV)
    clock = told([first, deletes(20, first), says(30, DEV)], policy(RESPOND)).respond
    assert (hours(clock.stopped_at), hours(clock.due_at), clock.counted) == (30, DUE + 10, timedelta(hours=20))


def test_resolved_when_closed_after_an_answer() -> None:
    state = told([says(5, DEV), CLOSED])
    assert (state.resolve.state, hours(state.resolve.stopped_at), state.is_open) == (Watching.MET, 100, False)


@pytest.mark.parametrize(
    ("facts", "stopped"),
    [
        ([does(50, USER, Kind.CLOSED)], 50),
        ([does(50, DEV, Kind.CLOSED, commit="0a1b2c")], 50),
        ([does(50, DEV, Kind.CLOSED), says(60, DEV)], 60),
        ([says(5, DEV), does(50, STALE, Kind.CLOSED), does(60, DEV, Kind.CLOSED)], 60),
        ([says(5, DEV, QUESTION), says(8, USER, "1.2.3"), does(60, DEV, Kind.CLOSED)], 60),
        ([says(5, DEV, QUESTION), does(5 + 14 * 24, DEV, Kind.CLOSED)], 5 + 14 * 24),
        ([says(5, DEV, f"{ANSWER} Does it work with 1.2.4?"), does(6, DEV, Kind.CLOSED)], 6),
    ],
    ids=[
        "by the reporter",
        "by a fix",
        "explained afterwards",
        "by a person after a machine",
        "asked and answered",
        "asked in vain",
        "answered with a question",
    ],
)
def test_other_closings_that_count(facts: list[Happening], stopped: float) -> None:
    assert hours(told(facts).resolve.stopped_at) == stopped


@pytest.mark.parametrize("closing", [does(50, USER, Kind.CLOSED), does(50, DEV, Kind.CLOSED, commit="0a1b2c")])
def test_a_fix_and_the_reporter_end_the_wait_for_an_answer_too(closing: Happening) -> None:
    assert told([closing], policy(RESPOND)).respond.state == Watching.MET


def test_reopened_it_runs_on_with_what_was_left() -> None:
    clock = told([says(5, DEV), CLOSED, REOPENED], now=130).resolve  # closed on Saturday, reopened on Sunday
    assert (clock.state, hours(clock.due_at), clock.stopped_at) == (Watching.RUNNING, DUE, None)
    assert [(hours(s.start), hours(s.end), s.counted) for s in clock.segments][-3:] == [
        (87, 100, False),
        (100, 120, False),
        (120, 130, False),
    ]


def test_closed_for_long_and_reopened_twice_is_no_flapping() -> None:
    later = [does(2000, DEV, Kind.CLOSED), does(4000, DEV, Kind.REOPENED)]
    assert (
        told([says(5, DEV), does(24, DEV, Kind.CLOSED), does(1500, DEV, Kind.REOPENED), *later], now=4001).notes == ()
    )


def test_a_question_pauses_until_the_reporter_speaks() -> None:
    question, answer = says(24, DEV, QUESTION), says(48, USER, "1.2.3")
    paused, later = told([question], now=40).resolve, told([question, answer], now=60).resolve
    assert (paused.state, paused.due_at, paused.counted) == (Watching.PAUSED, None, timedelta(hours=24))
    assert (later.state, hours(later.due_at)) == (Watching.RUNNING, DUE + 24)
    assert (later.segments[1].why, later.segments[1].key) == (
        "Waiting for the reporter to answer a question",
        question.key,
    )


@pytest.mark.parametrize(
    "end",
    [
        says(48, USER, "+1"),
        does(48, USER, Kind.EDITED),
        does(48, DEV, Kind.UNLABELED, "Needs-Info"),
        edits(48, says(2, USER, "It fails."), "It fails with 1.2.3."),
    ],
    ids=["any word", "the report completed", "the label taken off", "a comment completed"],
)
def test_what_ends_a_pause(end: Happening) -> None:
    facts = [says(2, USER, "It fails."), says(24, DEV, QUESTION), LABEL, end]
    assert hours(told(facts, now=60).resolve.due_at) == DUE + 24


def test_a_request_pauses_with_the_label() -> None:
    request = says(24, DEV, "Please send us the whole log file.")
    assert [told(facts, now=40).resolve.state for facts in ([request], [request, LABEL])] == [
        Watching.RUNNING,
        Watching.PAUSED,
    ]


def test_others_do_not_end_a_pause() -> None:
    assert told([says(24, DEV, QUESTION), says(30, PASSER_BY)], now=40).resolve.state == Watching.PAUSED


def test_a_question_is_an_answer() -> None:
    assert told([says(24, DEV, QUESTION)], policy(RESPOND)).respond.state == Watching.MET


def test_warnings_that_came_before_a_pause_are_known_in_it() -> None:
    clock = told([says(24 * 6 + 0.5, DEV, QUESTION)], now=160).resolve
    assert [hours(moment) for moment in clock.warn_at] == [60, 138]


def test_critical_is_48_real_hours_from_the_opening_when_labelled_at_once() -> None:
    clock = told([CRITICAL], now=24).resolve
    assert (clock.severity, hours(clock.due_at), clock.share) == (Severity.CRITICAL, CRITICAL_DUE, 0.5)
    assert [hours(moment) for moment in clock.warn_at] == [24, 36, 43.2]


def test_labels_of_the_opening_count() -> None:
    state = fold([opened(labels=["P0", "bug"])], asked(policy()))
    assert hours(state.resolve.due_at) == CRITICAL_DUE


def test_labelled_critical_after_the_stop_changes_nothing() -> None:
    facts = [says(5, DEV), does(60, DEV, Kind.CLOSED), does(70, DEV, Kind.LABELED, "critical")]
    assert (told(facts).resolve.state, told(facts).severity) == (Watching.MET, Severity.CRITICAL)


def test_pauses_stay_when_the_severity_changes() -> None:
    facts = [CRITICAL, says(4, DEV, QUESTION), says(10, USER, "1.2")]
    lowered = does(12, Actor(0, "portal"), Kind.SEVERITY_LOWERED, severity="other")
    assert [hours(told(some).resolve.due_at) for some in (facts, [*facts, lowered])] == [CRITICAL_DUE + 6, DUE + 6]


def test_without_a_target_for_critical_issues_the_other_one_holds() -> None:
    sla = Sla(Verb.RESOLVE, "", None, Target(business_days=5))
    assert hours(told([CRITICAL], policy(sla)).resolve.due_at) == DUE


def test_an_ideal_target_is_shown_and_the_hard_one_holds() -> None:
    state = told([CRITICAL], policy(IDEALLY))
    assert (hours(state.resolve.due_at), state.resolve.promised) == (DUE, True)
    assert "Critical: ideally within 48 hours, by Thu 16 Apr, 09:00 UTC." in state.notes


def test_only_ideal_targets_promise_nothing() -> None:
    clock = told([], policy(Sla(Verb.RESOLVE, "", None, Target(business_days=5, ideally=True)))).resolve
    assert (clock.promised, clock.state, hours(clock.due_at), clock.warn_at) == (False, Watching.OFF, DUE, ())


def test_both_verbs_are_measured_and_one_is_promised() -> None:
    state = told([says(10, DEV)], policy(RESPOND), now=20)
    assert [(clock.promised, clock.state, clock.counted) for clock in state.clocks] == [
        (True, Watching.MET, timedelta(hours=10)),
        (False, Watching.OFF, timedelta(hours=20)),
    ]


def test_a_program_that_promises_no_figures_is_measured() -> None:
    state = told([says(10, DEV)], policy(TRACK), now=20)
    assert [(clock.state, clock.due_at, clock.share) for clock in state.clocks] == [(Watching.OFF, None, 0.0)] * 2
    assert state.respond.counted == timedelta(hours=10)


def test_what_a_machine_opened_is_not_covered() -> None:
    state = fold([opened(STALE)], asked(policy()))
    assert (state.covered, {clock.state for clock in state.clocks}) == (False, {Watching.OFF})


@pytest.mark.parametrize("author", [DEV, Actor(8, "olga", association="OWNER")])
def test_what_the_partner_opened_is_covered_and_marked(author: Actor) -> None:
    state = fold([opened(author)], asked(policy()))
    assert (state.covered, state.resolve.state) == (True, Watching.OVERDUE)
    assert state.notes == ("The partner opened this issue itself: it is covered until the program lets it off.",)


def test_a_collaborator_from_outside_is_a_reporter() -> None:
    state = fold([opened(COLLEAGUE), says(3, COLLEAGUE)], asked(policy(RESPOND)))
    assert (state.covered, state.respond.state) == (True, Watching.OVERDUE)


def test_the_program_may_let_an_issue_off() -> None:
    assert told([does(300, Actor(0, "portal"), Kind.NOT_AN_ISSUE)]).covered is False


@pytest.mark.parametrize(
    ("facts", "known", "state"),
    [
        ([], DUE - 1, Watching.BLIND),
        ([], DUE, Watching.OVERDUE),
        ([says(10, DEV), does(100, DEV, Kind.CLOSED)], 99, Watching.BLIND),
        ([says(10, DEV), does(100, DEV, Kind.CLOSED)], 100, Watching.MET),
        ([says(10, DEV), does(200, DEV, Kind.CLOSED)], DUE - 1, Watching.BLIND),
        ([says(10, DEV), does(200, DEV, Kind.CLOSED)], DUE, Watching.LATE),
        ([says(100, DEV, QUESTION)], 10, Watching.PAUSED),
    ],
)
def test_nothing_is_declared_beyond_what_is_known(facts: list[Happening], known: float, state: Watching) -> None:
    assert told(facts, known=known).resolve.state == state


def test_who_spoke_last() -> None:
    facts = [says(10, DEV), says(20, USER, "Still."), says(30, STALE, "It is stale."), says(40, PASSER_BY, "Same.")]
    last = [(told(facts[:n]).spoke_last, hours(told(facts[:n]).spoke_last_at)) for n in range(5)]
    assert last == [("reporter", 0), ("partner", 10), ("reporter", 20), ("reporter", 20), ("other", 40)]


STORY = [
    CRITICAL,
    says(5, DEV, QUESTION),
    says(9, USER, "1.2.3"),
    says(12, DEV),
    does(20, DEV, Kind.CLOSED),
    does(30, DEV, Kind.REOPENED),
    does(30, DEV, Kind.LOCKED),
    does(40, DEV, Kind.CLOSED),
]


def test_order_and_repetition_of_facts_change_nothing() -> None:
    facts = [opened(), *STORY]
    state = fold(facts, asked(policy()))
    draw = random.Random(4)
    for _ in range(50):
        assert fold(draw.sample(facts * 2, 2 * len(facts)), asked(policy())) == state


def test_a_fact_told_under_two_keys_is_one() -> None:
    again = [  # as a webhook tells it, and as a list of events
        Happening(f"again:{h.key}", h.kind, h.at, h.actor, h.text, h.label, h.data)
        for h in STORY
        if h.kind != Kind.COMMENTED
    ]
    assert told([*STORY, *again]) == told(STORY)


def test_the_state_at_a_moment_knows_nothing_of_later() -> None:
    for moment in range(0, 60, 3):
        before = [fact for fact in STORY if fact.at <= at(moment)]
        assert told(STORY, now=moment) == told(before, now=moment)


def test_without_an_opening_nothing_can_be_said() -> None:
    with pytest.raises(ValueError, match="when this issue was opened"):
        fold(STORY, asked(policy()))


def test_segments_cost_nothing_where_they_are_not_asked_for() -> None:
    question = Asked(policy(), Calendar(), at(NOW), at(NOW), segments=False)
    state, whole = fold([opened(), *STORY], question), told(STORY)
    assert (state.resolve.segments, state.resolve.due_at, state.resolve.counted) == (
        (),
        whole.resolve.due_at,
        whole.resolve.counted,
    )


def test_days_off_are_called_by_their_names() -> None:
    calendar = Calendar(ZoneInfo("UTC"), days_off=frozenset({date(2026, 4, 17)}), names={date(2026, 4, 17): "Fair"})
    state = fold([opened()], Asked(policy(), calendar, at(NOW), at(NOW)))
    assert (
        next(s.why for s in state.resolve.segments if not s.counted)
        == "Days off: Fri 17 Apr (Fair), Sat 18 Apr, Sun 19 Apr"
    )
