"""Tests of the command portal-preflight: exit codes, formats, and arguments."""

import io
import json

import pytest

from tests.verification.preflight.conftest import NAME, PROGRAM
from verification.outcomes import Evidence, Outcome, Result
from verification.preflight import cli
from verification.preflight.cli import main
from verification.sources.errors import SourceNotFoundError, SourceUnavailableError


class Terminal(io.StringIO):
    def isatty(self):
        return True


PASS = Result(Outcome.PASS, "It is good.")
FAIL = Result(Outcome.FAIL, "It is not good.", (Evidence("Seen", "nothing", "https://acme.example/x"),))


@pytest.mark.parametrize(
    ("results", "code"),
    [
        ({"a": PASS}, 0),
        ({"a": PASS, "b": Result(Outcome.WARN, "Hm.")}, 0),
        ({"a": PASS, "b": FAIL}, 1),
        ({"a": PASS, "b": SourceNotFoundError("It is not there.")}, 1),
        ({"a": FAIL, "b": SourceUnavailableError("Down.")}, 1),
        ({"a": PASS, "b": SourceUnavailableError("Down.")}, 3),
        ({"a": PASS, "b": ZeroDivisionError()}, 3),
        ({"a": PASS, "b": Result(Outcome.NOT_RUN, "A reviewer decides.")}, 3),
        ({}, 3),
    ],
)
def test_exit_code_depends_on_the_results(run_program, results, code):
    assert run_program(**results)[0] == code
    assert run_program("--format", "json", **results)[0] == code
    assert run_program("--allow-undecided", **results)[0] == (0 if code == 3 else code)


def test_text_shows_advice_below_failures_and_progress_on_standard_error(run_program):
    _, out, err = run_program(a=PASS, b=FAIL)
    assert out.splitlines() == [
        "acme/terraform-provider-rocket · terraform-provider · edition 2021-10",
        "",
        "✓ pass    Title of a: It is good.",
        "✗ fail    Title of b: It is not good.",
        "          Seen: nothing  https://acme.example/x",
        "          → Advice of b.  (b)",
        "",
        "1 pass, 1 fail. Some checks failed. Follow the advice under each line marked ✗. Warnings are optional.",
    ]
    assert err.splitlines() == ["[1/2] Title of a …", "[2/2] Title of b …"]


def test_colors_are_used_only_on_a_terminal(run_program, monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert "\x1b" not in run_program(a=FAIL)[1]
    assert "\x1b[31m" in run_program(a=FAIL, out=Terminal())[1]
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in run_program(a=FAIL, out=Terminal())[1]


def test_control_characters_in_evidence_are_removed(run_program):
    hostile_result = Result(Outcome.FAIL, "\x1b[2J\x1b]0;x\x07good\r✓", (Evidence("a\x1b", "b\n::error::c\u202e"),))
    for form in ((), ("--format", "github")):
        out = run_program(*form, a=hostile_result)[1]
        assert not set(out) & set("\x1b\x07\r\u202e")
    assert [
        line for line in run_program("--format", "github", a=hostile_result)[1].splitlines() if line.startswith("::")
    ] == [
        line
        for line in run_program("--format", "github", a=hostile_result)[1].splitlines()
        if "title=Title of a" in line
    ]


def test_json_contains_the_whole_report(run_program):
    data = json.loads(run_program("--format", "json", a=FAIL)[1])
    assert data == {
        "program": PROGRAM,
        "edition": "2021-10",
        "repository": NAME,
        "version": "",
        "folder": "",
        "outcome": "fail",
        "exit": 1,
        "checks": [
            {
                "id": "a",
                "title": "Title of a",
                "version": 3,
                "outcome": "fail",
                "summary": "It is not good.",
                "advice": "Advice of a.",
                "evidence": [{"label": "Seen", "value": "nothing", "url": "https://acme.example/x"}],
                "inspected_revisions": [],
                "hint": False,
            }
        ],
    }


def test_advice_of_a_result_replaces_that_of_the_check(run_program):
    data = json.loads(run_program("--format", "json", a=Result(Outcome.FAIL, "No.", advice="Do this."))[1])
    assert data["checks"][0]["advice"] == "Do this."


def test_junit_counts_each_outcome(run_program):
    from xml.etree import ElementTree

    results = {"a": PASS, "b": FAIL, "c": SourceUnavailableError("Down & out."), "d": Result(Outcome.NOT_RUN, "No.")}
    suite = ElementTree.fromstring(run_program("--format", "junit", **results)[1].encode())
    assert suite.attrib == {
        "name": f"portal-preflight {PROGRAM}",
        "tests": "4",
        "failures": "1",
        "errors": "1",
        "skipped": "1",
    }
    assert [(case.get("name"), [child.tag for child in case]) for case in suite] == [
        ("a", []),
        ("b", ["failure"]),
        ("c", ["error"]),
        ("d", ["skipped"]),
    ]
    assert suite[1][0].get("message") == "It is not good."
    assert suite[1][0].text == "Advice of b."


def test_annotations_name_the_file_to_change(run_program):
    results = {
        "repository.license": Result(Outcome.FAIL, "100 % wrong."),
        "b": SourceUnavailableError("Down."),
        "c": PASS,
        "d": Result(Outcome.NOT_RUN, "A reviewer decides."),
    }
    assert run_program("--format", "github", **results)[1].splitlines()[:-1] == [
        "::error file=LICENSE,line=1,title=Title of repository.license::100 %25 wrong. Advice of repository.license.",
        "::warning file=README.md,line=1,title=Title of b::We couldn't complete this check: Down.",
        "::notice file=README.md,line=1,title=Title of d::A reviewer decides.",
    ]


def test_hints_are_reported_without_changing_the_exit_code(run_program):
    results = {"a": PASS, "hint.a": FAIL, "hint.b": SourceUnavailableError("Down.")}
    code, out, _ = run_program(**results)
    assert code == 0
    assert "✗ fail    Title of hint.a (a hint): It is not good." in out
    assert (
        "::notice file=README.md,line=1,title=Title of hint.a::It is not good. Advice of hint.a."
        in run_program("--format", "github", **results)[1]
    )
    assert 'failures="0" errors="0" skipped="0"' in run_program("--format", "junit", **results)[1]
    assert run_program("--only", "hint.a", **results)[0] == 1
    assert run_program(**{"hint.a": PASS})[0] == 3


def test_only_the_selected_checks_run(run_program):
    assert json.loads(run_program("--format", "json", "--only", "b", a=FAIL, b=PASS)[1])["checks"][0]["id"] == "b"
    code, _, err = run_program("--only", "x", a=PASS)
    assert (code, err) == (2, "portal-preflight: The program doesn't have x. Its checks are a.\n")


def test_version_selects_the_release(run_program):
    chosen_releases = []

    def record_release(subject, sources):
        chosen_releases.append(subject.tag)
        return PASS

    assert run_program("--version", "v1.2.3", a=record_release)[0] == 0
    assert chosen_releases == ["v1.2.3"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([PROGRAM, "acme"], "Enter a URL with an owner and a repository, such as https://github.com/owner/name."),
        ([PROGRAM, "https://evil.example/acme/rocket"], "Enter a repository on github.com"),
        ([PROGRAM, NAME, "--edition", "1999-01"], "terraform-provider has these editions: 2021-10, 2026-06."),
        ([PROGRAM, NAME, "--category", "none"], "The program has these categories: "),
        ([PROGRAM, NAME, "--version", "one"], "is not a version such as 1.2.3."),
        ([PROGRAM, NAME, "--path", "/dev/null"], "/dev/null is not a readable folder."),
    ],
)
def test_invalid_arguments_are_reported(arguments, message):
    out = io.StringIO()
    err = io.StringIO()
    assert main(arguments, out, err) == 2
    assert message in err.getvalue()
    assert out.getvalue() == ""


def test_check_that_raises_is_an_error_and_the_others_run(run_program, caplog):
    data = json.loads(run_program("--format", "json", a=ZeroDivisionError(), b=PASS)[1])
    assert [check["outcome"] for check in data["checks"]] == ["error", "pass"]
    assert (
        data["checks"][0]["summary"]
        == "We couldn't complete this check because of an error on our side. No action needed."
    )


def test_interrupt_exits_with_130(run_program, monkeypatch):
    def interrupt(namespace, report_progress):
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "run_preflight", interrupt)
    assert run_program(a=PASS)[0] == 130
