"""PDF of a stored report. The same report always has the same bytes."""

from collections.abc import Sequence
from datetime import datetime

from django.conf import settings
from django.utils.translation import gettext as _, override

from portal.core.pdf_documents import FONT_NAME, PdfDocument
from portal.core.value_types import JsonObject
from portal.reports.presenters import build_report_context

FONT_SIZE = 9  # points
ROW_HEIGHT = 5  # millimeters
Rows = Sequence[Sequence[object]]


def render_pdf(figures: JsonObject) -> bytes:
    """Return the report as a PDF in the portal's language."""
    with override(settings.LANGUAGE_CODE):
        report: JsonObject = build_report_context(figures)
        tables = [(title, rows) for title, rows in _list_tables(report) if len(rows) > 1]
    period = f"{report['label']}: {report['start']} – {report['end']} ({report['zone']})"
    texts = [report["subject"], period, report["verdict"], *(title for title, _rows in tables)]
    cells = [str(cell) for _title, rows in tables for row in rows for cell in row]
    # The time of the report and not of this file, because the bytes must not change.
    pdf = PdfDocument(report["subject"], datetime.fromisoformat(figures["created_at"]))
    pdf.use_fonts({character for text in (*texts, *cells) for character in text if character.isprintable()})
    pdf.add_page()
    pdf.write_paragraph(report["subject"], size=14)
    pdf.write_paragraph(period)
    pdf.write_paragraph(report["verdict"])
    for title, rows in tables:
        pdf.write_paragraph(title, size=12, space=1)
        pdf.set_font(FONT_NAME, size=FONT_SIZE)
        with pdf.table(first_row_as_headings=False, line_height=ROW_HEIGHT, text_align="LEFT") as table:
            for row in rows:
                table.row([str(cell) for cell in row])
        pdf.ln(4)
    return bytes(pdf.output())


def _list_tables(report: JsonObject) -> list[tuple[str, Rows]]:
    """Return each table with its title. The first row has the headings."""
    issue_headers = (_("Issue"), _("Title"), _("Severity"), _("Target"))
    overdue_issues = [
        (row["name"], row["title"], row["severity"], f"{row['target']} {row['lateness']}")
        for row in report["overdue_issues"]
    ]
    due_soon_issues = [
        (row["name"], row["title"], row["severity"], f"{row['target']} {row['due_at']}")
        for row in report["due_soon_issues"]
    ]
    bars = [(label, description) for label, _percent, description in report["trend_bars"]]
    program_headers = (_("Program"), _("On time"), _("Breached"), _("Overdue"))
    return [
        (_("SLA targets"), [report["figure_headers"], *report["headline_rows"], *report["figure_rows"]]),
        (_("Most overdue issues"), [issue_headers, *overdue_issues]),
        (report["texts"]["due_after"], [issue_headers, *due_soon_issues]),
        (report["texts"]["trend"], [(_("Period"), _("SLA targets")), *bars]),
        (_("By program"), [program_headers, *report["program_figures"]]),
    ]
