"""Tests of agreement documents."""

from pathlib import Path

import pytest

from integrations.programs.agreements import AgreementDocument, compute_digest, load_agreements
from integrations.programs.registry import AGREEMENTS, PROGRAMS, get_agreement_document
from integrations.submissions.agreement_texts import TextBlock, list_blocks
from portal.core.content_errors import ContentError


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_every_agreement_of_every_edition_is_a_document() -> None:
    named = {key for program in PROGRAMS.values() for edition in program.editions for key in edition.agreements}
    assert named == set(AGREEMENTS) == {"mnda", "tpa"}


def test_nomad_packer_and_vault_name_both_agreements() -> None:
    programs = [key for key, program in PROGRAMS.items() if program.default_edition.agreements == ("mnda", "tpa")]
    assert programs == ["nomad", "packer", "vault"]


def test_newest_version_applies(tmp_path: Path) -> None:
    write(tmp_path, "tpa/2027-01.md", "# Agreement\n\nNew.\n")
    write(tmp_path, "tpa/2026-01.md", "# Agreement\n\nOld.\n")
    assert [document.version for document in load_agreements(tmp_path)["tpa"]] == ["2026-01", "2027-01"]
    assert get_agreement_document("tpa").title == "Technology Partner Agreement"


def test_text_names_the_company_and_has_a_digest() -> None:
    document = AgreementDocument("tpa", "2026-01", "# Agreement\n\n{partner} signs.\n")
    text = document.render_text("Acme_Co *Ltd*")
    assert text == "# Agreement\n\nAcme\\_Co \\*Ltd\\* signs.\n"
    assert compute_digest(text) == "55e8f338197b45b3cb32386ba4d4b24b720a1e67741271d998d43b5b3e6b5abe"
    assert compute_digest(document.render_text("Other")) != compute_digest(text)


@pytest.mark.parametrize("name", ["1. FC Rocket", "2) Rocket", "- Rocket", "+ Rocket", "~~~Rocket", "A & B_C"])
def test_name_at_the_beginning_of_a_clause_stays_as_it_is(name: str) -> None:
    text = AgreementDocument("tpa", "2026-01", "# Agreement\n\n1. {partner} signs.\n").render_text(name)
    assert list(list_blocks(text)) == [TextBlock(f"{name} signs.", marker="1.", depth=1)]


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("tpa/new.md", "# A\n", ":1:1: The name of the file is not a version. Name it YYYY-MM.md."),
        ("tpa/2026-01.md", "A\n", ':1:1: The document has no title. Begin it with "# " and the title.'),
        (
            "tpa/2026-01.md",
            "# A\n\n{partner\n",
            ":3:1: The line has a single brace. Double it, or complete the placeholder.",
        ),
        ("tpa/2026-01.md", "# A\n\n{company}\n", ":3:1: Unknown placeholder 'company'. Use 'partner'."),
    ],
)
def test_problem_of_a_document_is_reported(tmp_path: Path, name: str, text: str, problem: str) -> None:
    path = write(tmp_path, name, text)
    with pytest.raises(ContentError) as error:
        load_agreements(tmp_path)
    assert str(error.value) == f"{path}{problem}"
