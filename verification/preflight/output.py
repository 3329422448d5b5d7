"""Output formats of preflight: text, JSON, SARIF, JUnit, and GitHub workflow commands."""

import json
from collections import Counter
from collections.abc import Callable
from xml.etree import ElementTree as xml

from portal.core.json_text import clean_string
from portal.core.terminal import sanitize
from portal.core.value_types import JsonObject
from verification.outcomes import Outcome
from verification.preflight.report import EXIT_FINDINGS, EXIT_PASSED, EXIT_UNDECIDED, PreflightReport
from verification.preflight.sarif import build_sarif

RESET_CODE = "\x1b[0m"
OUTCOME_STYLES: dict[str, tuple[str, str]] = {
    "pass": ("✓", "\x1b[32m"),
    "warn": ("!", "\x1b[33m"),
    "fail": ("✗", "\x1b[31m"),
    "error": ("?", "\x1b[35m"),
    "not_run": ("-", "\x1b[36m"),
    "waived": ("~", "\x1b[36m"),
    "stale": ("~", "\x1b[35m"),
}
OPEN_OUTCOMES = (Outcome.FAIL, Outcome.WARN, Outcome.NOT_RUN)
SUMMARY_BY_EXIT_CODE = {
    EXIT_PASSED: "Nothing is left to fix.",
    EXIT_FINDINGS: "Some checks failed. Follow the advice under each line marked ✗. Warnings are optional.",
    EXIT_UNDECIDED: "No check failed, but some checks couldn't be completed.",
}
# Only a failure is an error in the pull request. An error on our side is a warning.
ANNOTATION_LEVELS = {"fail": "error", "error": "warning", "stale": "warning", "warn": "warning", "not_run": "notice"}


def format_text(report: PreflightReport, use_color: bool = False) -> str:
    """Format the report as text: each check, with its evidence and advice if it is open."""
    report_data = report.as_dict()
    counts = Counter(check["outcome"] for check in report_data["checks"])
    lines = [f"{sanitize(report_data['repository'])} · {report_data['program']} · edition {report_data['edition']}", ""]
    for check in report_data["checks"]:
        lines += _format_check(check, use_color)
    count_summary = ", ".join(f"{count} {outcome.replace('_', ' ')}" for outcome, count in counts.items())
    return "\n".join((*lines, "", f"{count_summary or 'No checks'}. {SUMMARY_BY_EXIT_CODE[report.exit_code]}"))


def _format_check(check: JsonObject, use_color: bool) -> list[str]:
    symbol, color_code = OUTCOME_STYLES[check["outcome"]]
    head = f"{symbol} {check['outcome'].replace('_', ' '):7}"
    title = f"{check['title']} (a hint)" if check["hint"] else check["title"]
    lines = [f"{color_code + head + RESET_CODE if use_color else head} {title}: {sanitize(check['summary'])}"]
    if check["outcome"] in OPEN_OUTCOMES:
        lines += [
            f"          {sanitize(item['label'])}: {sanitize(_format_evidence(item))}" for item in check["evidence"]
        ]
    if check["outcome"] in (Outcome.FAIL, Outcome.WARN) and check["advice"]:
        lines.append(f"          → {check['advice']}  ({check['id']})")
    return lines


def _format_evidence(item: JsonObject) -> str:
    return f"{item['value']}  {item['url']}" if item["url"] and item["url"] != item["value"] else item["value"]


def _format_data(data: JsonObject) -> str:
    # Names of local files that are not UTF-8 contain surrogates, which the output can't encode.
    return clean_string(json.dumps(data, indent=2, ensure_ascii=False))


def format_junit(report: PreflightReport) -> str:
    """Format the report as a JUnit test suite: fail is a failure, error an error, not run and stale are skipped."""
    report_data = report.as_dict()
    counts = Counter(_get_junit_kind(check) for check in report_data["checks"])
    suite = xml.Element(
        "testsuite", name=f"portal-preflight {report_data['program']}", tests=str(len(report_data["checks"]))
    )
    for kind, attribute in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
        suite.set(attribute, str(counts[kind]))
    for check in report_data["checks"]:
        case = xml.SubElement(suite, "testcase", classname=report_data["program"], name=check["id"])
        kind = _get_junit_kind(check)
        message = sanitize(check["summary"])
        if kind:
            xml.SubElement(case, kind, message=message).text = check["advice"] if kind == "failure" else message
        elif check["outcome"] != Outcome.PASS:
            xml.SubElement(case, "system-out").text = f"{check['outcome']}: {message}"
    xml.indent(suite)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + xml.tostring(suite, encoding="unicode")


def _get_junit_kind(check: JsonObject) -> str:
    """Return the JUnit element of a result, blank if it passes. A failed hint counts as passed."""
    outcome = check["outcome"]
    # Test reports have no warnings, and a hint must not make the job fail.
    if check["hint"] and outcome in (Outcome.FAIL, Outcome.ERROR):
        return ""
    return {"fail": "failure", "error": "error", "not_run": "skipped", "stale": "skipped"}.get(outcome, "")


def format_annotations(report: PreflightReport) -> str:
    """Format the report as GitHub workflow commands: one line for each open check, then a summary."""
    lines = []
    for check in report.as_dict()["checks"]:
        level = ANNOTATION_LEVELS.get(check["outcome"])
        if level:
            advice = check["advice"] if check["outcome"] == Outcome.FAIL else ""
            level = "notice" if check["hint"] else level
            # An annotation has one file.
            file = sanitize(report.list_files(check)[0])
            message = sanitize(f"{check['summary']} {advice}".strip())
            place = f"file={_escape_property(file)},line=1,title={_escape_property(check['title'])}"
            lines.append(f"::{level} {place}::{_escape_data(message)}")
    return "\n".join((*lines, SUMMARY_BY_EXIT_CODE[report.exit_code]))


def _escape_data(text: str) -> str:
    # The runner decodes these escapes in workflow commands. Without them, a summary could contain a command.
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape_data(text).replace(":", "%3A").replace(",", "%2C")


FORMATTERS: dict[str, Callable[[PreflightReport], str]] = {
    "text": format_text,
    "json": lambda report: _format_data(report.as_dict()),
    "sarif": lambda report: _format_data(build_sarif(report)),
    "junit": format_junit,
    "github": format_annotations,
}


def format_report(report: PreflightReport, output_format: str, use_color: bool = False) -> str:
    """Format the report. Only text can have colors."""
    return format_text(report, use_color) if output_format == "text" else FORMATTERS[output_format](report)
