"""PDF of an agreement with its signatures. The same agreement always has the same bytes."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from integrations.programs.agreements import TITLE_MARK
from integrations.submissions.agreement_texts import TextBlock, list_blocks
from integrations.submissions.models import Agreement, AgreementSignature
from portal.core.pdf_documents import FONT_NAME, LINE_HEIGHT, PdfDocument

PROGRAM_NAME = "HashiCorp"
INDENT = 8  # millimeters
LABEL_WIDTH = 35  # millimeters
BLANK = "_" * 40


class AgreementPdf(PdfDocument):
    """Document with the agreement's version and digest and the page number at the end of each page."""

    def __init__(self, agreement: Agreement) -> None:
        self.agreement = agreement
        self.title_text = agreement.text.partition("\n")[0].removeprefix(TITLE_MARK)
        # A PDF states when it was created. With the time of the last signature, equal input gives equal bytes.
        super().__init__(f"{self.title_text}, version {agreement.version}", get_document_time(agreement))

    def footer(self) -> None:
        """Write the end of a page."""
        self.set_y(-22)
        self.set_font(FONT_NAME, size=7)
        self.set_text_color(90)
        self.cell(text=f"{self.title_text}, version {self.agreement.version}")
        self.cell(w=0, text=f"Page {self.page_no()} of {{nb}}", align="R", new_x="LMARGIN", new_y="NEXT")
        self.cell(text=f"SHA-256 of the text: {self.agreement.digest}")
        self.set_text_color(0)

    def write_block(self, block: TextBlock) -> None:
        """Write a block of the agreement's text, with its marker before the indented text."""
        if block.is_heading:
            self.ln(3)
        if block.marker:
            self.set_font(FONT_NAME, size=10.5)
            self.set_x(self.l_margin + INDENT * (block.depth - 1))
            self.cell(h=LINE_HEIGHT, text=block.marker)
        self.write_paragraph(block.text, size=13 if block.is_heading else 10.5, indent=INDENT * block.depth)

    def write_field(self, label: str, value: str) -> None:
        """Write a label and a value next to it."""
        self.set_font(FONT_NAME, size=10.5)
        self.cell(w=LABEL_WIDTH, h=LINE_HEIGHT, text=label)
        self.write_paragraph(value, indent=LABEL_WIDTH, space=0)


def get_document_time(agreement: Agreement) -> datetime:
    """Return the time of the last signature, or for an unsigned document the month of its version."""
    signatures = agreement.signatures.all() if agreement.pk else ()
    times = [signature.signed_at for signature in signatures]
    return max(times).astimezone(UTC) if times else datetime.strptime(agreement.version, "%Y-%m").replace(tzinfo=UTC)


def render_agreement_pdf(agreement: Agreement) -> bytes:
    """Return the PDF. It is in English, and without signatures it has blanks to sign by hand."""
    pdf = AgreementPdf(agreement)
    signatures = ((agreement.partner_name, agreement.partner_signature), (PROGRAM_NAME, agreement.program_signature))
    names = [f"{each.signer}{each.title}{each.statement}" for _party, each in signatures if each]
    texts = [agreement.text, agreement.partner_name, *names]
    # Names of companies and people come in many scripts, and no font has all of them.
    pdf.use_fonts({character for text in texts for character in text if character.isprintable()})
    pdf.add_page()
    pdf.write_paragraph(pdf.title_text, size=18, space=4)
    pdf.write_field("Version", agreement.version)
    pdf.write_field("Parties", f"{agreement.partner_name} and {PROGRAM_NAME}")
    pdf.ln(4)
    for block in list_blocks(agreement.text):
        pdf.write_block(block)
    for party, signature in signatures:
        _write_signature(pdf, party, signature, is_blank=not agreement.pk)
    return bytes(pdf.output())


def _write_signature(pdf: AgreementPdf, party: str, signature: AgreementSignature | None, *, is_blank: bool) -> None:
    with pdf.unbreakable() as block:
        block.ln(5)
        block.write_paragraph(f"Signed for {party}", size=13, space=1)
        if signature is not None:
            block.write_field("Name", signature.signer)
            block.write_field("Title", signature.title)
            block.write_field("Statement", signature.statement)
            block.write_field("Time", format_time(signature))
        elif is_blank:
            for label in ("Name", "Title", "Date", "Signature"):
                block.write_field(label, BLANK)
        else:
            block.write_paragraph("Not signed yet.")


def format_time(signature: AgreementSignature) -> str:
    """Return the time of a signature in UTC and in the signer's zone."""
    text = f"{signature.signed_at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
    # The time in UTC is there already.
    if signature.zone == "UTC":
        return text
    local = signature.signed_at.astimezone(ZoneInfo(signature.zone))
    return f"{text} ({local:%Y-%m-%d %H:%M:%S} in {signature.zone})"
