"""Tests of the sentences of a report in all situations."""

import re
from functools import cache
from itertools import product

import pytest

from portal.core.periods import PeriodKind
from portal.core.value_types import JsonObject
from portal.reports.management.commands.report_situations_table import Command
from portal.reports.situations import COUNT_KEYS, SCOPES, build_situation, iterate_counts
from portal.reports.summaries import CONCERNS, build_subject, build_verdict, describe_next_action, format_count

PRAISE = re.compile(r"100|on time|All \d|Both|only SLA target was met|No action|no targets due", re.IGNORECASE)
PRESENT_OR_FUTURE = re.compile(r"\b(will|is overdue|are overdue|is at risk|are at risk|Action required)\b")


@cache
def list_all_situations() -> list[tuple[dict[str, int], JsonObject]]:
    return [
        (counts, build_situation(counts, scope, kind=kind, is_past=is_past))
        for counts, scope, kind, is_past in product(iterate_counts((0, 1, 2)), SCOPES, PeriodKind, (False, True))
    ]


def test_all_combinations_are_enumerated() -> None:
    assert len(list_all_situations()) == 3**6 * 3 * 3 * 2


def test_no_sentence_praises_a_period_with_an_overdue_or_unmeasurable_issue() -> None:
    severe = [figures for counts, figures in list_all_situations() if counts["overdue"] or counts["data_incomplete"]]
    texts = [[build_subject(each), build_verdict(each), describe_next_action(each)] for each in severe]
    assert [text for group in texts for text in group if PRAISE.search(text)] == []


def test_first_sentence_names_the_worst_concern() -> None:
    for counts, figures in list_all_situations():
        expected = next((row for row in CONCERNS if row.is_severe and counts[row.key]), None)
        if expected:
            sentence = expected.past_sentences[figures["kind"]] if figures["is_past"] else expected.sentence
            assert build_verdict(figures).startswith(format_count(sentence, counts[expected.key]))
            assert f": {format_count(expected.subject, counts[expected.key])}" in build_subject(figures)


def test_every_count_that_is_not_zero_is_in_the_subject_and_the_verdict() -> None:
    for counts, figures in list_all_situations():
        concerns = [concern for concern in CONCERNS if counts[concern.key]]
        subject = build_subject(figures)
        verdict = build_verdict(figures)
        assert [format_count(row.subject, counts[row.key]) in subject for row in concerns] == [True] * len(concerns)
        assert [str(counts[row.key]) in verdict for row in concerns] == [True] * len(concerns)


def test_past_period_is_described_in_the_past_tense() -> None:
    past = [figures for _, figures in list_all_situations() if figures["is_past"]]
    texts = [[build_verdict(each), describe_next_action(each)] for each in past]
    assert [text for group in texts for text in group if PRESENT_OR_FUTURE.search(text)] == []


def test_subjects_of_scopes_with_the_same_counts_differ() -> None:
    for counts in iterate_counts():
        assert len({build_subject(build_situation(counts, scope)) for scope in SCOPES}) == len(SCOPES)


@pytest.mark.parametrize(
    ("counts", "scope", "subject"),
    [
        ({"met": 4, "overdue": 1}, "partner:acme", "SLA week 16: 1 issue overdue – Acme"),
        ({"met": 4, "overdue": 1}, "programs", "SLA week 16, all programs: 1 issue overdue (Acme)"),
        ({"met": 4}, "program:nomad", "SLA week 16, Nomad: 100.0% on time, 0 breached, 0 at risk"),
        ({"met": 2999, "breached": 1}, "partner:acme", "SLA week 16: 99.9% on time, 1 breached, 0 at risk – Acme"),
    ],
)
def test_subject_begins_with_the_scope_and_result(counts: dict[str, int], scope: str, subject: str) -> None:
    zeros = dict.fromkeys(next(iterate_counts()), 0)
    assert build_subject(build_situation(zeros | counts, scope)) == subject


def test_documented_situations_are_complete() -> None:
    page, text = Command().render_docs()
    assert page.read_text() == text
    assert len(Command().build_section().splitlines()) == 2 + 3 * 2**6


@pytest.mark.parametrize(
    ("met", "verdict"),
    [(1, "The only SLA target was met."), (2, "Both SLA targets were met."), (3, "All 3 SLA targets were met.")],
)
def test_met_targets_are_counted_in_words(met: int, verdict: str) -> None:
    counts = dict.fromkeys(COUNT_KEYS, 0) | {"met": met}
    assert build_verdict(build_situation(counts)) == verdict
