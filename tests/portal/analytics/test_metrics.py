"""Tests of figures, by hand and against the independent calculation with random histories."""

import itertools
from collections import Counter
from datetime import timedelta
from random import Random

import pytest

from portal.analytics import metrics
from portal.analytics.funnel import IntegrationGroup, build_funnel, find_drop_offs
from portal.analytics.metrics import ResponsiblePartyTime, StageStay
from portal.analytics.stage_durations import StagePeriod, build_periods
from tests.portal.analytics import oracle
from tests.portal.analytics.histories import DAY, START, UTC_CALENDAR, build_change, generate_changes


def build_period(
    stage: str,
    responsible_party: str,
    stay_start: float,
    start: float,
    end: float | None,
    ends_stay: bool,
    round: int = 0,
) -> StagePeriod:
    ended_at = None if end is None else START + end * DAY
    return StagePeriod(
        stage, responsible_party, round, START + stay_start * DAY, START + start * DAY, ended_at, ends_stay
    )


def test_changes_become_segments_without_gaps() -> None:
    changes = [
        build_change(0, "engage", "partner"),
        build_change(2, "engage", "program"),
        build_change(3, "review", "program", 1),
    ]
    assert build_periods(changes) == [
        build_period("engage", "partner", 0, 0, 2, False),
        build_period("engage", "program", 0, 2, 3, True),
        build_period("review", "program", 3, 3, None, False, 1),
    ]


def test_end_closes_the_last_segment_and_reopening_begins_a_new_stay() -> None:
    changes = [
        build_change(0, "review", "program", 1),
        build_change(4, "declined", ""),
        build_change(9, "review", "partner", 1),
    ]
    assert build_periods(changes) == [
        build_period("review", "program", 0, 0, 4, True, 1),
        build_period("review", "partner", 9, 9, None, False, 1),
    ]


@pytest.mark.parametrize("decision", [("release", "program"), ("declined", ""), ("review", "partner")])
def test_undone_decision_leaves_no_trace(decision: tuple[str, str]) -> None:
    changes = [
        build_change(0, "review", "program", 1),
        build_change(4, *decision, 1),
        build_change(4.01, "review", "program", 1, is_undo=True),
    ]
    assert build_periods(changes) == build_periods(changes[:1])


def test_random_histories_equal_the_independent_calculation() -> None:
    random = Random(7)
    for _ in range(400):
        changes = generate_changes(random)
        pieces = build_periods(changes)
        for at in {each.at + shift for each in changes for shift in (timedelta(), timedelta(hours=1))}:
            inside = [p for p in pieces if p.started_at <= at and (p.ended_at is None or at < p.ended_at)]
            here = [(p.stage, p.responsible_party) for p in inside[-1:]]
            assert here == [place for place in [oracle.find_responsible_party(changes, at)] if place]
        for one, following in itertools.pairwise(pieces):
            assert one.ended_at is not None
            assert one.ended_at <= following.started_at
            assert following.stay_started_at == (one.stay_started_at if not one.ends_stay else following.started_at)


@pytest.mark.parametrize("share", [50, 90])
def test_percentile_equals_the_independent_calculation(share: int) -> None:
    random = Random(share)
    for length in range(1, 45):
        values = [round(random.lognormvariate(1, 1), 1) for _ in range(length)]
        assert metrics.calculate_counted_percentile(Counter(values), share / 100) == oracle.calculate_percentile(
            values, share
        )
    assert metrics.calculate_counted_percentile({}, 0.5) is None


def test_business_days_equal_the_count_of_minutes() -> None:
    random = Random(3)
    for _ in range(12):
        start = START + timedelta(minutes=random.randrange(20_000))
        end = start + timedelta(minutes=random.randrange(20_000))
        assert metrics.count_business_days(start, end, UTC_CALENDAR) == pytest.approx(
            oracle.count_business_days(start, end)
        )


def build_stays(stage: str, *days: float) -> list[StageStay]:
    return [StageStay("nomad", stage, each) for each in days]


def test_stage_has_median_and_percentile_from_eight_stays_on() -> None:
    (_, develop, review, _) = metrics.calculate_stage_figures(
        build_stays("review", *range(1, 11)) + build_stays("develop", *range(7))
    )
    assert (review.count, review.p50, review.p90, review.columns) == (10, 5, 9, (1, 1, 3, 5, 0, 0, 0))
    assert (develop.count, develop.p50, develop.p90) == (7, None, None)
    assert list(metrics.group_by_program(build_stays("review", 1))) == ["nomad"]


def test_time_is_added_up_by_stage_and_responsible_party() -> None:
    party_times = [
        ResponsiblePartyTime("nomad", "review", "program", DAY),
        ResponsiblePartyTime("vault", "review", "program", 2 * DAY),
        ResponsiblePartyTime("vault", "review", "outage", DAY),
        ResponsiblePartyTime("vault", "support", "portal", DAY),
    ]
    assert metrics.sum_time_by_responsible_party(party_times)["review"] == {"program": 3 * DAY, "outage": DAY}
    assert "support" not in metrics.sum_time_by_responsible_party(party_times)


def test_reviews_are_counted_by_their_rounds() -> None:
    assert metrics.count_rounds([(1, 5), (2, 3), (4, 1), (6, 1)]) == [
        ("1 round", 5),
        ("2 rounds", 3),
        ("3 rounds", 0),
        ("4 or more", 2),
    ]


def test_funnel_counts_everything_once_at_the_furthest_step() -> None:
    groups = [
        IntegrationGroup("engage", 4),
        IntegrationGroup("withdrawn", 2, "engage", step="Engage", program="nomad"),
        IntegrationGroup("review", 3, has_review_request=True),
        IntegrationGroup("declined", 1, "review", has_review_request=True, step="Review", program="nomad"),
        IntegrationGroup("release", 2, has_review_request=True),
        IntegrationGroup("support", 5, has_review_request=True, was_listed=True),
        IntegrationGroup("archived", 1, "support", has_review_request=True, was_listed=True),
    ]
    step_counts = [(step.reached_count, step.current_count, step.end_counts) for step in build_funnel(groups)]
    assert step_counts == [
        (18, 4, (("withdrawn", 2),)),
        (12, 3, (("declined", 1),)),
        (8, 2, ()),
        (6, 0, (("archived", 1),)),
        (5, 5, ()),
    ]
    for step, following in zip(build_funnel(groups), build_funnel(groups)[1:], strict=False):
        assert step.reached_count == step.current_count + sum(n for _, n in step.end_counts) + following.reached_count
    assert find_drop_offs(groups) == [("nomad", "Engage", 2, 0), ("nomad", "Review", 0, 1)]
