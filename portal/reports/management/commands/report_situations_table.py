"""Command that writes the table of docs/reference/report-situations.md from the code."""

from itertools import product

from portal.core.generated_docs import SectionDocsCommand, format_table
from portal.core.periods import PeriodKind
from portal.reports.situations import COUNT_KEYS, build_situation, iterate_counts
from portal.reports.summaries import build_subject, build_verdict, describe_next_action

HEADERS = ("Period", *(key.replace("_", " ").capitalize() for key in COUNT_KEYS), "Subject", "First line", "Verdict")


class Command(SectionDocsCommand):
    help = "Write the table of docs/reference/report-situations.md."
    subject = "the sentences of reports"
    page = "reference/report-situations.md"
    section = "situations"

    def build_section(self) -> str:
        """Return each situation of a partner's report on a week, month, and quarter as a row."""
        rows = []
        for kind, counts in product(PeriodKind, list(iterate_counts())):
            figures = build_situation(counts, kind=kind)
            sentences = (build_subject(figures), describe_next_action(figures), build_verdict(figures))
            rows.append((kind.capitalize(), *map(str, counts.values()), *sentences))
        return format_table(HEADERS, rows)
