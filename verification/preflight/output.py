"""How is a preflight told? To people, to JSON, to JUnit's readers and to GitHub's workflow pages."""

import json
from collections import Counter
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree as xml

from verification.outcomes import Outcome
from verification.preflight.report import Report

Told = dict[str, Any]
RESET = "\x1b[0m"
LOOKS: dict[str, tuple[str, str]] = {
    "pass": ("✓", "\x1b[32m"),
    "warn": ("!", "\x1b[33m"),
    "fail": ("✗", "\x1b[31m"),
    "error": ("?", "\x1b[35m"),
    "not_run": ("-", "\x1b[36m"),
    "waived": ("~", "\x1b[36m"),
    "stale": ("~", "\x1b[35m"),
}
NAMES = {"not_run": "not run"}
OPEN = (Outcome.FAIL, Outcome.WARN, Outcome.NOT_RUN)
ENDINGS = (
    "Nothing is left to fix.",
    "Something is left to fix; the advice stands under each line marked ✗, and hints may stay.",
    "Nothing is known to be wrong, but not everything could be told.",
)
ANNOTATIONS = {"fail": "error", "error": "warning", "stale": "warning", "warn": "warning", "not_run": "notice"}
# the file in which a fault of these checks is mended, or where to begin; the first that fits decides
FILES = (
    ("repository.licence", "LICENSE"),
    ("repository.release", ".goreleaser.yml"),
    ("repository.", "README.md"),
    ("release.protocols", "terraform-registry-manifest.json"),
    ("release.", ".goreleaser.yml"),
    ("keys.", ".goreleaser.yml"),
    ("registry.protocols", "terraform-registry-manifest.json"),
    ("registry.platforms", ".goreleaser.yml"),
    ("registry.docs", "docs/index.md"),
    ("registry.", "README.md"),
    ("docs.", "docs/index.md"),
    ("go.nightly", ".github/workflows/test.yml"),
    ("go.", "go.mod"),
    ("guide.", "main.go"),
    ("", "README.md"),
)


def plain(text: str) -> str:
    """Text that others wrote without what moves a terminal's cursor or hides what stands there."""
    return "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text)


def as_text(report: Report, colour: bool = False) -> str:
    """Readable lines: each check, under it what was seen where something is open, and what to do."""
    told = report.as_dict()
    counts = Counter(check["outcome"] for check in told["checks"])
    lines = [f"{plain(told['repository'])} · {told['program']} · edition {told['edition']}", ""]
    for check in told["checks"]:
        lines += _lines(check, colour)
    summed = ", ".join(f"{count} {NAMES.get(outcome, outcome)}" for outcome, count in counts.items())
    return "\n".join((*lines, "", f"{summed or 'No checks'}. {ENDINGS[report.exit_code]}"))


def _lines(check: Told, colour: bool) -> list[str]:
    sign, paint = LOOKS[check["outcome"]]
    head = f"{sign} {NAMES.get(check['outcome'], check['outcome']):7}"
    title = f"{check['title']} (a hint)" if check["hint"] else check["title"]
    lines = [f"{paint + head + RESET if colour else head} {title}: {plain(check['summary'])}"]
    if check["outcome"] in OPEN:
        lines += [f"          {plain(seen['label'])}: {plain(_seen(seen))}" for seen in check["evidence"]]
    if check["outcome"] in (Outcome.FAIL, Outcome.WARN) and check["advice"]:
        lines.append(f"          → {check['advice']}  ({check['id']})")
    return lines


def _seen(seen: Told) -> str:
    return f"{seen['value']}  {seen['url']}" if seen["url"] and seen["url"] != seen["value"] else seen["value"]


def as_json(report: Report) -> str:
    return json.dumps(report.as_dict(), indent=2, ensure_ascii=False)


def as_junit(report: Report) -> str:
    """A test suite: fail is a failure, error an error, not run and stale are skipped."""
    told = report.as_dict()
    counts = Counter(_junit(check) for check in told["checks"])
    suite = xml.Element("testsuite", name=f"portal-preflight {told['program']}", tests=str(len(told["checks"])))
    for kind, attribute in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
        suite.set(attribute, str(counts[kind]))
    for check in told["checks"]:
        case = xml.SubElement(suite, "testcase", classname=told["program"], name=check["id"])
        kind, message = _junit(check), plain(check["summary"])
        if kind:
            xml.SubElement(case, kind, message=message).text = check["advice"] if kind == "failure" else message
        elif check["outcome"] != Outcome.PASS:
            xml.SubElement(case, "system-out").text = f"{check['outcome']}: {message}"
    xml.indent(suite)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + xml.tostring(suite, encoding="unicode")


def _junit(check: Told) -> str:
    """The element for a result, blank for one that passes; a hint fails nothing."""
    outcome = check["outcome"]
    if check["hint"] and outcome in (Outcome.FAIL, Outcome.ERROR):
        return ""
    return {"fail": "failure", "error": "error", "not_run": "skipped", "stale": "skipped"}.get(outcome, "")


def as_annotations(report: Report) -> str:
    """GitHub's workflow commands, one line for each check that is not settled, then one for all of them."""
    lines = []
    for check in report.as_dict()["checks"]:
        level = ANNOTATIONS.get(check["outcome"])
        if level:
            advice = check["advice"] if check["outcome"] == Outcome.FAIL else ""
            level = "notice" if check["hint"] else level
            message = plain(f"{check['summary']} {advice}".strip())
            place = f"file={file_of(check['id'])},line=1,title={_property(check['title'])}"
            lines.append(f"::{level} {place}::{_data(message)}")
    return "\n".join((*lines, ENDINGS[report.exit_code]))


def file_of(key: str) -> str:
    """Where GitHub shows what a check said; it needs no such file to be there."""
    return next(file for prefix, file in FILES if key.startswith(prefix))


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


FORMS: dict[str, Callable[[Report], str]] = {"json": as_json, "junit": as_junit, "github": as_annotations}
