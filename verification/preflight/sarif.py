"""SARIF 2.1.0 output of preflight.

Findings are results. Checks without an outcome are notifications of the run, so that code scanning shows no alert
for them. Every check that ran is a rule.
"""

import re
from urllib.parse import quote

from portal.core.value_types import JsonObject
from verification.checks.types import get_description
from verification.outcomes import Outcome
from verification.preflight.report import PreflightReport

SCHEMA_URL = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
LEVELS = {Outcome.FAIL: "error", Outcome.WARN: "warning"}
NOTIFICATION_LEVELS = {Outcome.ERROR: "warning", Outcome.STALE: "warning", Outcome.NOT_RUN: "note"}


def build_sarif(report: PreflightReport) -> JsonObject:
    """Return the report as a SARIF log with one run."""
    checks = report.as_dict()["checks"]
    numbered = list(enumerate(checks))
    notifications = [_build_notification(n, check) for n, check in numbered if check["outcome"] in NOTIFICATION_LEVELS]
    run = {
        "tool": {"driver": {"name": "portal-preflight", "rules": [_build_rule(check) for check in checks]}},
        # Code scanning takes the text before the last slash as the category, so each program has its own alerts.
        "automationDetails": {"id": f"portal-preflight/{report.subject.program}/{report.subject.edition}/"},
        "invocations": [
            {
                "executionSuccessful": all(check["outcome"] != Outcome.ERROR for check in checks),
                "toolExecutionNotifications": notifications,
            }
        ],
        "results": [_build_result(n, check, report) for n, check in numbered if check["outcome"] in LEVELS],
    }
    return {"$schema": SCHEMA_URL, "version": "2.1.0", "runs": [run]}


def _build_rule(check: JsonObject) -> JsonObject:
    description = get_description(check["id"])
    rule = {
        "id": check["id"],
        "name": "".join(word.capitalize() for word in re.split(r"[._-]", check["id"])),
        "shortDescription": {"text": check["title"]},
        "fullDescription": {"text": description.expectation or check["title"]},
        "help": {"text": description.advice or check["title"]},
        "properties": {"version": check["version"], "hint": check["hint"]},
    }
    return rule | {"helpUri": description.help} if description.help else rule


def _build_result(index: int, check: JsonObject, report: PreflightReport) -> JsonObject:
    """Return a finding. Its region is the first line: checks are about whole files, and code scanning needs one."""
    locations = [
        # A URI, so spaces and other characters of a path are escaped.
        {"physicalLocation": {"artifactLocation": {"uri": quote(file)}, "region": {"startLine": 1}}}
        for file in report.list_files(check)
    ]
    return {
        "ruleId": check["id"],
        "ruleIndex": index,
        # A hint must not become an error in the pull request.
        "level": "note" if check["hint"] else LEVELS[check["outcome"]],
        "message": {"text": f"{check['summary']} {check['advice']}".strip()},
        "locations": locations,
        "properties": {"evidence": check["evidence"]},
    }


def _build_notification(index: int, check: JsonObject) -> JsonObject:
    return {
        "associatedRule": {"id": check["id"], "index": index},
        "level": NOTIFICATION_LEVELS[check["outcome"]],
        "message": {"text": check["summary"]},
    }
