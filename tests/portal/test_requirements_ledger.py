"""Tests of the requirements: every row has a proof, and its references exist."""

from pathlib import Path

import pytest

from integrations.programs.registry import PROGRAMS
from integrations.submissions.policy_labels import format_target
from portal.core.content_errors import ContentError
from portal.requirements_ledger import LedgerDocument, LedgerRow, find_problems, load_ledger

KNOWN_GAPS: list[str] = []
FIGURE = " within "
EDITION = "edition:nomad@2021-04"
PROOF = "tests/portal/test_requirements_ledger.py::test_every_requirement_without_a_known_gap_has_a_proof"


def test_every_requirement_without_a_known_gap_has_a_proof() -> None:
    documents = load_ledger()
    assert list(find_problems(documents)) == []
    unproven = [row for document in documents for row in document.requirements if not row.is_proven]
    assert [row.id for row in unproven if row.gap] == KNOWN_GAPS
    assert [row.id for row in unproven if not row.gap] == []


def test_each_published_sla_sentence_is_named_by_its_target() -> None:
    targets = {
        target.implements: (f"edition:{key}@{edition.date}#sla", str(verb), format_target(target), target.is_ideal)
        for key, program in PROGRAMS.items()
        for edition in program.editions
        for verb, _severity, target in edition.sla.list_targets()
        if target.implements
    }
    rows = {row.id: row for document in load_ledger() for row in document.requirements}
    sentences = {
        id: row for id, row in rows.items() if any(place.endswith("#sla") for place in row.by) and FIGURE in row.asks
    }
    assert sorted(targets) == sorted(sentences)
    for id, (place, verb, figure, is_ideal) in targets.items():
        asks = rows[id].asks
        assert (place in rows[id].by, verb in asks, figure.removesuffix(" (ideally)") in asks) == (True, True, True)
        assert ("ideally" in asks) == is_ideal


@pytest.mark.parametrize(
    ("by", "proof", "problem"),
    [
        ("edition:nomad@1999-01", PROOF, "X-1: edition:nomad@1999-01 does not exist."),
        (f"{EDITION}#NO-99", PROOF, "X-1: edition:nomad@2021-04#NO-99 does not exist."),
        ("check:no.such", PROOF, "X-1: check:no.such does not exist."),
        ("page:no_such", PROOF, "X-1: page:no_such does not exist."),
        ("command:no_such", PROOF, "X-1: command:no_such does not exist."),
        ("file:docs/no_such.md", PROOF, "X-1: file:docs/no_such.md does not exist."),
        ("rumor:x", PROOF, "X-1: rumor:x does not exist."),
        (EDITION, "tests/portal/test_no.py::test_no", "X-1: the test tests/portal/test_no.py::test_no does not exist."),
        (EDITION, f"{PROOF}_no", f"X-1: the test {PROOF}_no does not exist."),
    ],
)
def test_missing_reference_is_a_problem(by: str, proof: str, problem: str) -> None:
    document = LedgerDocument("X", (LedgerRow("X-1", "Asks.", (by,), (proof,)),))
    assert list(find_problems([document])) == [problem]


def test_existing_reference_is_not_a_problem() -> None:
    by = (f"{EDITION}#NO-3", f"{EDITION}#mailbox", "check:go.module", "page:submissions:program", "command:run_jobs")
    document = LedgerDocument("X", (LedgerRow("X-1", "Asks.", (*by, "file:README.md"), (PROOF,)),))
    assert list(find_problems([document])) == []


def test_repeated_number_is_a_problem() -> None:
    row = LedgerRow("X-1", "Asks.", (EDITION,), (PROOF,))
    assert list(find_problems([LedgerDocument("X", (row, row))])) == ["X-1 is repeated."]


@pytest.mark.parametrize(("proof", "gap"), [((), ""), ((PROOF,), "Not built.")])
def test_row_without_proof_or_with_a_gap_is_not_proven(proof: tuple[str, ...], gap: str) -> None:
    assert not LedgerRow("X-1", "Asks.", (EDITION,), proof, gap).is_proven


def test_wrong_figure_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.yaml").write_text("title: X\nrequirements:\n  - {id: x1, asks: Asks., by: []}\n")
    with pytest.raises(ContentError, match=r'a document and a number, such as "TIP-2\.1"'):
        load_ledger(tmp_path)
