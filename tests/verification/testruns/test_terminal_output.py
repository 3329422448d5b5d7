"""Tests of texts of partners' programs that commands print to the terminal."""

from typing import Any

import pytest

from verification.testruns.management.commands.inspect_packer_plugin import format_report
from verification.testruns.rules import render_report

TEXT = "1.0\x1b[2J\x9b31m\u202e"
PRINTED_TEXT = "1.0\ufffd[2J\ufffd31m\ufffd"


def test_report_of_a_test_has_no_control_sequences() -> None:
    result = {"outcome": "fail", "title": "Version", "summary": TEXT, "advice": "", "notes": [TEXT]}
    output = render_report("Test", {"results": [result], "outcome": "fail"}, [TEXT])
    assert output.splitlines() == [
        "Test",
        "",
        f"FAIL     Version: {PRINTED_TEXT}",
        f"         {PRINTED_TEXT}",
        "",
        PRINTED_TEXT,
        "",
        "Overall: FAIL",
    ]


@pytest.mark.parametrize(
    ("report", "line"),
    [
        ({"problem": TEXT, "description": None}, f"FAIL: {PRINTED_TEXT}"),
        ({"problem": "", "description": {"version": TEXT}}, f"version: {PRINTED_TEXT}"),
    ],
)
def test_description_of_a_packer_plugin_has_no_control_sequences(report: dict[str, Any], line: str) -> None:
    keys = ("api_version", "sdk_version", "builders", "provisioners", "post_processors", "datasources")
    if report["description"]:
        report["description"] |= dict.fromkeys(keys, "")
    assert format_report(report).splitlines()[0] == line
