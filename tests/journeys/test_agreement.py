"""Agreements: both sides sign on the requirement page, or the program confirms an uploaded PDF."""

from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from pypdf import PdfReader

from integrations.submissions.agreement_pdf import render_agreement_pdf
from integrations.submissions.models import Agreement, Integration
from integrations.submissions.services import agreements
from tests.journeys.person import Person

Visit = Callable[..., Person]
TPA_REQUIREMENT = "NO-8"


def fits_phone(person: Person) -> bool:
    return bool(person.page.evaluate("document.documentElement.scrollWidth <= 375"))


@pytest.mark.parametrize("javascript", [True, False])
def test_agreement_is_signed_by_both_sides_on_a_phone(
    visit: Visit, rocket: Integration, alice: Any, rita: Any, javascript: bool
) -> None:
    url = f"/integrations/{rocket.uuid}/requirements/{TPA_REQUIREMENT}/"
    company = visit(alice, phone=True, javascript=javascript).go(url).sees("on behalf of Acme")
    company.write("Full name", "阿丽思 Archer").write("Title", "CEO")
    company.shot("agreement-phone")
    assert not javascript or fits_phone(company)  # measured by a script
    company.press("Sign agreement").sees("Signature of version 2026-01 recorded.")
    program = visit(rita, phone=True, javascript=javascript).go(url)
    program.write("Full name", "Rita Reyes").write("Title", "Director").press("Sign agreement")
    program.sees("Both sides signed version 2026-01.")
    agreement = agreements.get_agreement_in_force(rocket.partner, "tpa")
    assert agreement is not None
    assert company.page.request.get(f"{company.base_url}/agreements/{agreement.pk}.pdf").body() == render_agreement_pdf(
        agreement
    )


@pytest.mark.parametrize("javascript", [True, False])
def test_uploaded_pdf_is_rejected_and_confirmed(
    visit: Visit, rocket: Integration, alice: Any, rita: Any, javascript: bool, tmp_path: Path
) -> None:
    url = f"/integrations/{rocket.uuid}/requirements/{TPA_REQUIREMENT}/"
    pdf = tmp_path / "signed.pdf"
    company = visit(alice, phone=True, javascript=javascript).go(url)
    blank = company.page.request.get(f"{company.base_url}{url}unsigned.pdf").body()
    assert "Signed for Acme" in PdfReader(BytesIO(blank)).pages[0].extract_text()
    pdf.write_bytes(blank)
    program = visit(rita, javascript=javascript)
    for decision in ("Reject", "Confirm"):
        company.go(url).page.locator("summary", has_text="Upload a signed PDF instead").click()
        company.write("Signed by", "Alice Archer").write("Title of the signer", "CEO").choose_file("File", pdf)
        company.press("Upload signed PDF").sees("The program confirms it next.")
        program.go(url)
        if decision == "Reject":
            program.page.get_by_text("Reject signed PDF").first.click()
            form = program.page.locator("form:has([value=reject_agreement])")
            program.write("Reason", "A signature is missing.", within=form).press("Reject signed PDF", within=form)
            program.sees("Signed PDF rejected. We notified the company.")
            assert program.page.get_by_role("dialog").count() == 0
        else:
            program.press("Confirm signed PDF")
    rows = [(each.rejection_reason, each.is_complete) for each in Agreement.objects.order_by("pk")]
    assert rows == [("A signature is missing.", False), ("", True)]
