"""Tests that run the short form of each conformance suite, and of the document they are written to."""

from argparse import Namespace
from pathlib import Path

import pytest

from tests.conform import __main__ as command
from tests.conform.__main__ import find_exit_code
from tests.conform.base import Disagreement, RunOptions, Suite, SuiteReport
from tests.conform.discovery import find_suites
from tests.conform.document import PAGE, render_row, render_totals, update_page

pytestmark = pytest.mark.any_database
SUITES = find_suites()


@pytest.mark.parametrize("key", SUITES)
def test_suite_in_short_form_meets_its_aim(key: str) -> None:
    report = SUITES[key].run(RunOptions())
    if report.not_run:
        pytest.skip(report.not_run)
    assert report.is_met


@pytest.mark.parametrize("key", SUITES)
def test_document_has_a_section_for_each_suite(key: str) -> None:
    assert f"\n## {SUITES[key].title}\n" in PAGE.read_text()


def run_nothing(options: RunOptions) -> SuiteReport:
    raise AssertionError("not called")


EXAMPLE = Suite("example", "Example suite", run_nothing)
MIXED_REPORT = SuiteReport(
    "an example reference",
    4,
    (Disagreement("case a", "accepts", "refuses", "Known difference"), Disagreement("b|c", "refuses", "accepts")),
    figures=(("Files", "12"),),
)


def test_row_counts_explained_and_unexplained_disagreements() -> None:
    assert render_row(EXAMPLE, MIXED_REPORT).split() == [
        "example",
        "4",
        "50%",
        "1",
        "1",
        "Failed",
        "an",
        "example",
        "reference",
    ]


def test_row_of_a_suite_without_its_reference_says_not_run() -> None:
    report = SuiteReport("an example reference", 0, not_run="Terraform is not installed")
    assert not report.is_met
    assert render_row(EXAMPLE, report).split(maxsplit=1)[1] == "Not run: Terraform is not installed"


CLEAN = SuiteReport("an example reference", 5)
NOT_RUN = SuiteReport("an example reference", 0, not_run="Terraform is not installed")


@pytest.mark.parametrize(
    ("reports", "exit_code"), [([CLEAN, NOT_RUN], 0), ([NOT_RUN, NOT_RUN], 1), ([], 1), ([CLEAN, MIXED_REPORT], 1)]
)
def test_command_succeeds_if_a_reference_ran_and_every_aim_was_met(reports: list[SuiteReport], exit_code: int) -> None:
    assert find_exit_code(reports) == exit_code


def test_totals_count_every_result() -> None:
    error = SuiteReport("Unknown", 0, error="The suite ended with ValueError.")
    assert render_totals([CLEAN, CLEAN, NOT_RUN, MIXED_REPORT, error]) == "2 passed, 1 failed, 1 error, 1 not run"


def test_suite_that_raises_loses_its_last_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "conformance.md"
    page.write_text(update_page("", [(EXAMPLE, CLEAN)], 1, ["example"]))
    monkeypatch.setattr(command, "PAGE", page)
    monkeypatch.setattr(command, "find_suites", lambda: {"example": EXAMPLE})
    arguments = Namespace(seed=1, short=False, keys=[])
    assert command.run_suites([EXAMPLE], arguments) == 1
    assert "| [Example suite](#example) | Unknown | | | | | Error |\n" in page.read_text()
    assert "\nError: The suite ended with AssertionError.\n" in page.read_text()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"{'example':<18} Error: The suite ended with AssertionError."
    assert lines[-1] == "0 passed, 0 failed, 1 error, 0 not run"


def test_report_without_cases_is_not_met() -> None:
    assert not SuiteReport("an example reference", 0).is_met


def test_agreement_rounds_to_less_than_complete() -> None:
    report = SuiteReport("an example reference", 100_000, (Disagreement("a", "b", "c", "d"),))
    assert "99.99%" in render_row(EXAMPLE, report)


def test_document_lists_every_disagreement_below_its_reason() -> None:
    page = update_page("", [(EXAMPLE, MIXED_REPORT)], 3, ["example"])
    assert "| [Example suite](#example) | an example reference | 4 | 50% | 1 | 1 | Failed |" in page
    assert (
        "**Not explained** (1)\n\n| Case | Portal | Reference |\n| --- | --- | --- |\n| b\\|c | refuses | accepts |"
        in page
    )
    assert "**Known difference** (1)" in page
    assert "| Files | 12 |" in page
    assert "`bin/conform example --seed 3`" in page


def test_document_keeps_other_suites_and_drops_removed_ones() -> None:
    other = Suite("other", "Other suite", run_nothing)
    both = update_page("", [(EXAMPLE, MIXED_REPORT), (other, MIXED_REPORT)], 1, ["example", "other"])
    clean = SuiteReport("an example reference", 5)
    assert update_page(both, [(EXAMPLE, clean)], 1, ["example", "other"]) == update_page(
        "", [(other, MIXED_REPORT), (EXAMPLE, clean)], 1, ["example", "other"]
    )
    assert update_page(both, [], 1, ["other"]) == update_page("", [(other, MIXED_REPORT)], 1, ["other"])
