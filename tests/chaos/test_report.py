"""Tests of the targets and the text of a chaos run."""

from dataclasses import replace

import pytest

from tests.chaos.report import ChaosReport

REPORT = ChaosReport(
    seed=7,
    breaches=10_000,
    lost=0,
    false=0,
    double=0,
    emails=5_009,
    copies=5_011,
    cuts=2,
    refusals=250,
    kills=110,
    flushes=12,
    restarts=6,
    slowest=31.04,
    p99=5.1,
    slowest_email=137.0,
    p99_email=64.2,
    is_short=False,
    is_calm=False,
    is_naive=False,
)
TEXT = """\
faults     110 kills, 12 Redis flushes, 6 database restarts, 250 emails refused, 2 connections cut (seed 7)
breaches   10,000: 0 lost, 0 false, 0 recorded twice
emails     5,009: 2 sent again
recorded   p99 5.1 s after the due time, slowest 31.0 s
notified   p99 64.2 s after the due time, slowest 137.0 s
targets    0 lost, 0 false, 0 recorded twice, ≤ 50 emails sent again, recorded within 60 s: met"""


def test_report_prints_its_figures_and_targets() -> None:
    assert REPORT.format_text() == TEXT


@pytest.mark.parametrize(
    ("changes", "missed_targets"),
    [
        ({"lost": 3}, ["3 lost"]),
        ({"false": 1, "double": 2}, ["1 false", "2 recorded twice"]),
        ({"copies": 5_060}, ["51 emails sent again"]),
        ({"copies": 5_060, "is_short": True}, []),  # fewer than the kills
        ({"slowest": 61.0}, ["slowest after 61 s"]),
        ({"slowest": 61.0, "is_short": True}, []),
        ({"is_calm": True}, ["slowest after 137 s"]),  # the emails, without faults
        ({"is_naive": True}, ["0 lost"]),
        ({"is_naive": True, "lost": 5_672}, []),
    ],
)
def test_report_lists_missed_targets(changes: dict[str, int], missed_targets: list[str]) -> None:
    assert replace(REPORT, **changes).missed_targets == missed_targets  # type: ignore[arg-type]
