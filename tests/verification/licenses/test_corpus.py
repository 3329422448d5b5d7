"""Tests of the verdicts on every file of the corpus."""

import csv
from pathlib import Path

import pytest

from integrations.programs.registry import PROGRAMS
from tests.verification.licenses.corpus import ACCEPTED_VERDICTS, CASES, build_policy
from verification.licenses.policy import evaluate_file
from verification.licenses.templates import VARIANTS

FOLDER = Path(__file__).parent
REAL_SHARE = 0.92  # of real files of allowed licenses, decided without a person


def read_real_files() -> list[dict[str, str]]:
    with (FOLDER / "expected.tsv").open(encoding="utf-8") as table:
        return list(csv.DictReader(table, delimiter="\t"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_verdict_on_a_case_is_expected(case):
    judgment = evaluate_file(case.text.encode(), build_policy(case.program))
    assert str(judgment.verdict) in ACCEPTED_VERDICTS[case.expected], judgment


def test_corpus_is_large_and_has_real_files():
    assert len(CASES) + len(read_real_files()) >= 150
    assert len(read_real_files()) >= 100
    assert {path.name for path in (FOLDER / "real").iterdir()} == {row["file"] for row in read_real_files()}


def test_no_real_file_is_allowed_or_denied_wrongly():
    wrong = {
        row["file"]: verdict
        for row in read_real_files()
        if (verdict := str(evaluate_file((FOLDER / "real" / row["file"]).read_bytes(), build_policy()).verdict))
        != "review"
        and verdict != row["truth"]
    }
    assert wrong == {}


def test_real_allowed_files_are_decided_without_a_person():
    allowed_rows = [row for row in read_real_files() if row["truth"] == "allow"]
    judgments = [evaluate_file((FOLDER / "real" / row["file"]).read_bytes(), build_policy()) for row in allowed_rows]
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
