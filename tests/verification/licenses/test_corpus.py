"""Tests of the verdicts on every file of the corpus."""

import csv
from pathlib import Path

import pytest

from integrations.programs.registry import PROGRAMS
from tests.verification.licenses.corpus import CASES, RIGHT, policy
from verification.licenses.policy import judge
from verification.licenses.variants import VARIANTS

HERE = Path(__file__).parent
REAL_SHARE = 0.92  # of real files of allowed licenses, decided without a person


def real() -> list[dict[str, str]]:
    with (HERE / "expected.tsv").open(encoding="utf-8") as table:
        return list(csv.DictReader(table, delimiter="\t"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case_is_judged_right(case):
    judgment = judge(case.text.encode(), policy(case.program))
    assert str(judgment.verdict) in RIGHT[case.expected], judgment


def test_corpus_is_large_and_has_real_files():
    assert len(CASES) + len(real()) >= 150
    assert len(real()) >= 100
    assert {path.name for path in (HERE / "real").iterdir()} == {row["file"] for row in real()}


def test_no_real_file_is_allowed_or_denied_wrongly():
    wrong = {
        row["file"]: verdict
        for row in real()
        if (verdict := str(judge((HERE / "real" / row["file"]).read_bytes(), policy()).verdict)) != "review"
        and verdict != row["truth"]
    }
    assert wrong == {}


def test_real_allowed_files_are_decided_without_a_person():
    allowed_rows = [row for row in real() if row["truth"] == "allow"]
    judgments = [judge((HERE / "real" / row["file"]).read_bytes(), policy()) for row in allowed_rows]
    passing_files = [
        row["file"] for row, judgment in zip(allowed_rows, judgments, strict=True) if judgment.verdict == "allow"
    ]
    assert len(passing_files) >= REAL_SHARE * len(allowed_rows)
    assert [j.expression for j in judgments if j.verdict == "allow"] == [
        row["expression"] for row in allowed_rows if row["file"] in passing_files
    ]


def test_every_allowed_license_has_a_text():
    listed_ids = {id for program in PROGRAMS.values() for edition in program.editions for id in edition.licenses.allow}
    assert listed_ids - VARIANTS.texts.keys() == set()
