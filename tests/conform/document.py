"""The conformance reports as text: one line for the terminal, docs/reference/conformance.md for readers.

The document holds no times and no paths, so that runs with the same seed and references write the same bytes.
"""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from itertools import groupby
from pathlib import Path

from tests.conform.base import Disagreement, Suite, SuiteReport

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "conformance.md"
MAX_LISTED_CASES = 5
STATUSES = ("Passed", "Failed", "Error", "Not run")
UNEXPLAINED_HEADING = "Not explained"

INTRODUCTION = """# Conformance

Each suite compares results of the portal with a reference that shares no code with it: another implementation,
recorded results, or labeled cases. `bin/conform` runs all suites and writes this page; `bin/conform --short` runs the
short forms, which are part of `bin/test`. Without the reference on the machine, a suite is *Not run*, with the reason.

Agreement is the share of cases with the expected verdict. A difference is explained if it belongs to a documented
class; each class has a heading below with up to five of its cases.

"""


def format_share(report: SuiteReport) -> str:
    """Return the agreement in percent. Only complete agreement reads 100%."""
    share = min(report.agreement * 100, 99.99) if report.disagreements else 100.0
    return f"{share:.2f}".rstrip("0").rstrip(".") + "%"


def format_status(report: SuiteReport) -> str:
    if report.error:
        return "Error"
    if report.not_run:
        return "Not run"
    return "Passed" if report.is_met else "Failed"


def render_row(suite: Suite, report: SuiteReport) -> str:
    """Return the suite's line of the terminal table."""
    if report.error or report.not_run:
        return f"{suite.key:<18} {format_status(report)}: {report.error or report.not_run}"
    explained_count = len(report.disagreements) - len(report.unexplained_disagreements)
    unexplained_count = len(report.unexplained_disagreements)
    counts = f"{report.cases:>7,} {format_share(report):>9} {explained_count:>10,} {unexplained_count:>12,}"
    return f"{suite.key:<18} {counts}  {format_status(report):<7} {report.reference}"


def render_totals(reports: Sequence[SuiteReport]) -> str:
    """Return how many suites had each result, in one line."""
    counts = Counter(format_status(report) for report in reports)
    return ", ".join(f"{counts[status]} {status.lower()}" for status in STATUSES)


HEADING = f"{'suite':<18} {'cases':>7} {'agreement':>9} {'explained':>10} {'unexplained':>12}  {'result':<7} reference"


TABLE_HEAD = """| Suite | Reference | Cases | Agreement | Explained | Unexplained | Result |
| --- | --- | ---: | ---: | ---: | ---: | --- |
"""
ROW = re.compile(r"^\| \[[^\]]*\]\(#(?P<key>[\w-]+)\) \|.*\n", re.MULTILINE)
SECTION = re.compile(r'\n<a id="(?P<key>[\w-]+)"></a>\n(?:(?!\n<a id=).)*', re.DOTALL)


def update_page(page: str, results: Sequence[tuple[Suite, SuiteReport]], seed: int, keys: Collection[str]) -> str:
    """Return the document with the rows and sections of these reports replaced.

    Those of other suites stay as they are; a suite that is no longer in `keys` is dropped.
    """
    rows = {match["key"]: match[0] for match in ROW.finditer(page)}
    sections = {match["key"]: match[0] for match in SECTION.finditer(page)}
    for suite, report in results:
        rows[suite.key] = _render_table_row(suite, report)
        sections[suite.key] = _render_section(suite, report, seed)
    kept_keys = sorted(rows.keys() & sections.keys() & set(keys))
    return (
        INTRODUCTION
        + TABLE_HEAD
        + "".join(rows[key] for key in kept_keys)
        + "".join(sections[key] for key in kept_keys)
    )


def _render_table_row(suite: Suite, report: SuiteReport) -> str:
    title = f"[{suite.title}](#{suite.key})"
    if report.error or report.not_run:
        return f"| {title} | {_escape(report.reference)} | | | | | {format_status(report)} |\n"
    explained_count = len(report.disagreements) - len(report.unexplained_disagreements)
    cells = [title, _escape(report.reference), f"{report.cases:,}", format_share(report)]
    cells += [str(explained_count), str(len(report.unexplained_disagreements)), format_status(report)]
    return f"| {' | '.join(cells)} |\n"


def _render_section(suite: Suite, report: SuiteReport, seed: int) -> str:
    text = f'\n<a id="{suite.key}"></a>\n\n## {suite.title}\n\n'
    text += f"Command: `bin/conform {suite.arguments or suite.key} --seed {seed}`. Reference: {report.reference}.\n"
    if report.error or report.not_run:
        return f"{text}\n{format_status(report)}: {report.error or report.not_run}\n"
    if report.figures:
        text += "\n| Figure | Value |\n| --- | --- |\n"
        text += "".join(f"| {_escape(name)} | {_escape(value)} |\n" for name, value in report.figures)
    if not report.disagreements:
        return f"{text}\nNo disagreements.\n"
    by_reason = sorted(report.disagreements, key=lambda each: (each.reason != "", each.reason))
    for reason, group in groupby(by_reason, key=lambda each: each.reason):
        text += _render_reason(reason, list(group))
    return text


def _render_reason(reason: str, group: Sequence[Disagreement]) -> str:
    """Return the cases of one class of disagreements."""
    text = f"\n**{reason or UNEXPLAINED_HEADING}** ({len(group):,})\n\n"
    text += "| Case | Portal | Reference |\n| --- | --- | --- |\n"
    for each in group[:MAX_LISTED_CASES]:
        text += f"| {_escape(each.case)} | {_escape(each.portal)} | {_escape(each.reference)} |\n"
    if len(group) > MAX_LISTED_CASES:
        text += f"\n{len(group) - MAX_LISTED_CASES:,} more of this class are printed by the command.\n"
    return text


def _escape(text: str) -> str:
    return " ".join(text.replace("|", "\\|").replace("<", "&lt;").split())
