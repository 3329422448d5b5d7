"""Tests of PDFs of agreements."""

from datetime import timedelta
from io import BytesIO

import pytest
from django.utils import timezone
from pypdf import PdfReader

from integrations.submissions.agreement_pdf import render_agreement_pdf
from integrations.submissions.agreement_texts import TextBlock, list_blocks, render_agreement
from integrations.submissions.services import agreements
from integrations.submissions.services.agreements import Signature
from tests.integrations.submissions.signatures import ALICE, RITA, TPA, sign

pytestmark = pytest.mark.any_database

STATEMENT = "I am authorized."


def read_pages(content):
    """Return the text of each page. pypdf puts a null character before those of OpenType fonts."""
    texts = [page.extract_text().replace("\0", "") for page in PdfReader(BytesIO(content)).pages]
    return [" ".join(text.split()) for text in texts]


def list_warnings(caplog):
    return [record.getMessage() for record in caplog.records if record.name.endswith("pdf_documents")]


def test_pdf_has_the_text_the_signatures_and_the_digest(rocket, alice, rita, now):
    with timezone.override("Europe/Berlin"):
        sign(rocket, alice, now)
    agreement = sign(rocket, rita, now + timedelta(hours=1), RITA)
    (page,) = read_pages(render_agreement_pdf(agreement))
    for text in (
        "Technology Partner Agreement Version 2026-01 Parties Acme and HashiCorp",
        "4. Each side keeps the rights to its own software, and neither side pays the other.",
        f"Signed for Acme Name Alice Archer Title CEO Statement {ALICE.statement}",
        "Time 2026-04-14 09:00:00 UTC (2026-04-14 11:00:00 in Europe/Berlin)",
        f"Signed for HashiCorp Name Rita Reyes Title Director Statement {RITA.statement}",
        "Time 2026-04-14 10:00:00 UTC",
        "Page 1 of 1",
        f"SHA-256 of the text: {agreement.digest}",
    ):
        assert text in page


def test_each_page_has_a_number_and_the_digest(rocket, alice, now):
    agreement = sign(rocket, alice, now)
    agreement.text += "\n\n" + "A long clause. " * 700
    pages = read_pages(render_agreement_pdf(agreement))
    assert len(pages) > 2
    for number, page in enumerate(pages, start=1):
        assert f"Page {number} of {len(pages)} SHA-256 of the text: {agreement.digest}" in page
    assert "Signed for HashiCorp Not signed yet." in pages[-1]


def test_same_agreement_has_the_same_bytes_after_a_new_name(rocket, alice, now):
    first = render_agreement_pdf(sign(rocket, alice, now))
    rocket.partner.name = "Acme Rockets"
    rocket.partner.save()
    agreement = agreements.get_current_agreement(rocket.partner, "tpa")
    assert render_agreement_pdf(agreement) == first
    assert PdfReader(BytesIO(first)).metadata.creation_date == now


def test_time_in_a_zone_with_a_fixed_offset_is_drawn(rocket, alice, now):
    with timezone.override("Etc/GMT+5"):
        agreement = sign(rocket, alice, now)
    (page,) = read_pages(render_agreement_pdf(agreement))
    assert "Time 2026-04-14 09:00:00 UTC (2026-04-14 04:00:00 in Etc/GMT+5)" in page


# in groups, because reading the fonts of a PDF takes most of the time
NAMES_BY_REGION = {
    "European": ("Łukasz Żółć", "Ольга Жукова", "Νίκος", "Արամ", "გიორგი", "አበበ"),
    "East Asian": ("山田太郎", "김철수", "कमल 王 Ж"),
    "Indic": ("नमन", "অমল", "કમલ", "ਅਮਰ", "தமிழ்", "తరుణ్", "ಕಮಲ", "കമല", "කමල්", "ចាន់", "สมชาย ใจดี"),
}


@pytest.mark.parametrize("names", NAMES_BY_REGION.values(), ids=NAMES_BY_REGION)
def test_names_in_other_scripts_are_drawn(rocket, alice, now, names, caplog):
    agreement = sign(rocket, alice, now, Signature(", ".join(names), "CEO", STATEMENT))
    (page,) = read_pages(render_agreement_pdf(agreement))
    assert ([name for name in names if name not in page], list_warnings(caplog)) == ([], [])


def test_names_in_reordered_glyphs_have_all_of_them(rocket, alice, now, caplog):
    agreement = sign(rocket, alice, now, Signature("نجيب محفوظ, נעמה כהן, ສົມພອນ, အောင်", "CEO", STATEMENT))
    assert PdfReader(BytesIO(render_agreement_pdf(agreement))).pages[0].extract_text()
    assert list_warnings(caplog) == []


def test_missing_glyph_is_logged(rocket, alice, now, caplog):
    render_agreement_pdf(sign(rocket, alice, now, Signature("Ж ᚠ", "CEO", STATEMENT)))
    assert list_warnings(caplog) == ["No font for the characters ᚠ of a document"]


@pytest.mark.parametrize(("who", "status"), [("alice", 200), ("bob", 404), ("rita", 200), ("charlie", 404)])
def test_pdf_is_for_owners_and_the_program(rocket, alice, now, sign_in, request, who, status):
    agreement = sign(rocket, alice, now)
    response = sign_in(request.getfixturevalue(who)).get(f"/agreements/{agreement.pk}.pdf")
    assert response.status_code == status
    if status == 200:
        assert (response.content, response["Content-Disposition"]) == (
            render_agreement_pdf(agreement),
            'attachment; filename="tpa-2026-01-acme.pdf"',
        )


def test_unsigned_pdf_has_blanks(rocket, alice, sign_in):
    response = sign_in(alice).get(f"/integrations/{rocket.uuid}/requirements/{TPA}/unsigned.pdf")
    (page,) = read_pages(response.content)
    assert f"Signed for Acme Name {'_' * 40} Title {'_' * 40} Date" in page


def test_blocks_are_those_of_the_page():
    text = "# Title\n\nFirst\nline.\n\n## Part\n\n1. One.\n\n   More.\n2. Two.\n   - Inner <b>.\n"
    assert list(list_blocks(text)) == [
        TextBlock("First line."),
        TextBlock("Part", is_heading=True),
        TextBlock("One.", "1.", 1),
        TextBlock("More.", "", 1),
        TextBlock("Two.", "2.", 1),
        TextBlock("Inner <b>.", "•", 2),
    ]
    html = render_agreement(text)
    assert ("<h3>Part</h3>" in html, "Inner &lt;b&gt;." in html, "Title" in html) == (True, True, False)
