"""Tests of the verdict on all license files of a repository, and of the command."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from tests.verification.licenses.corpus import build_policy, fill_license_text
from verification.licenses import inspection
from verification.licenses.policy import (
    NO_FILE,
    NO_RULE,
    NO_TEXT,
    UNCLEAR,
    Policy,
    evaluate_file,
    evaluate_files,
    is_license_file,
)

FOLDER = Path(__file__).parent
MIT, APACHE, MPL = (fill_license_text(id).encode() for id in ("MIT", "Apache-2.0", "MPL-2.0"))
ISC = (FOLDER / "real" / "npm-picocolors.txt").read_bytes()
CHOICE = b"Licensed under either of Apache License, Version 2.0 or MIT license at your option.\n"
CHOICE_ISC = b"Licensed under either of ISC or MIT license at your option.\n"


@pytest.mark.parametrize(
    ("files", "verdict", "expression"),
    [
        ({}, "review", ""),
        ({"LICENSE": MIT}, "allow", "MIT"),
        ({"LICENSE": ISC}, "deny", "ISC"),
        ({"LICENSE": MIT, "COPYING": APACHE}, "allow", "Apache-2.0 AND MIT"),
        ({"LICENSE": MIT, "COPYING": ISC}, "review", "ISC AND MIT"),
        ({"LICENSE": CHOICE, "LICENSE-MIT": MIT, "LICENSE-APACHE": APACHE}, "allow", "Apache-2.0 OR MIT"),
        ({"LICENSE": CHOICE_ISC, "LICENSE-MIT": MIT, "LICENSE-ISC": ISC}, "allow", "ISC OR MIT"),
        ({"LICENSE": CHOICE_ISC, "LICENSE-ISC": ISC}, "review", "ISC AND (ISC OR MIT)"),
        ({"LICENSE": CHOICE, "LICENSE-MIT": MIT, "LICENSE-ISC": ISC}, "review", "(Apache-2.0 OR MIT) AND ISC AND MIT"),
        ({"LICENSE": CHOICE, "LICENSE-EXTRA": b"Not for sale.\n"}, "review", "Apache-2.0 OR MIT"),
        ({"LICENSE": MIT, "LICENSE-EXTRA": b"Not for sale.\n"}, "review", "MIT"),
    ],
)
def test_all_files_of_a_repository_determine_the_verdict(files, verdict, expression):
    combined, each = evaluate_files(files, build_policy())
    assert (str(combined.verdict), combined.expression) == (verdict, expression)
    assert each.keys() == files.keys()


def test_verdict_has_reasons():
    assert evaluate_files({}, build_policy())[0].reasons == (NO_FILE,)
    assert evaluate_file(b"Hello\n", build_policy()).reasons == (
        NO_TEXT,
        "Line 1 needs review: “Hello” is not a copyright notice, a title, or part of a known license.",
    )
    assert evaluate_file(MIT, build_policy()).reasons == ("The text is MIT, word for word.",)
    assert evaluate_file(MIT, build_policy("nomad")).reasons == ("MIT is not on the program's list.",)
    assert evaluate_file(MIT, Policy(frozenset())).reasons == (NO_RULE,)
    assert evaluate_files({"LICENSE": MIT, "COPYING": ISC}, build_policy())[0].reasons[0] == UNCLEAR
    assert evaluate_file(MIT.replace(b"THE AUTHORS", b"KIND AUTHORS"), build_policy()).reasons[0] == (
        "Line 16 needs review: the text differs from MIT at "
        "“KIND AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, D”."
    )
    assert evaluate_file(MIT.replace(b"sell", b"lend"), build_policy()).reasons == (
        NO_TEXT,
        "Line 7 needs review: the text differs from MIT at “lend”.",
    )
    assert evaluate_file(MIT + b"\nNot for sale.\n", build_policy()).reasons == (
        "Line 20 needs review: “Not for sale.” contains “sale”, which can set terms.",
    )


def test_finding_is_exported_as_a_dictionary():
    (finding,) = evaluate_file(MIT + b"\nNot for sale.\n", build_policy()).findings
    assert finding.as_dict() == {
        "problem": "terms",
        "line": 20,
        "text": "Not for sale.",
        "license": "",
        "message": "Line 20 needs review: “Not for sale.” contains “sale”, which can set terms.",
    }


def test_offered_choice_does_not_cover_a_file_of_unknown_terms():
    files = {"LICENSE": CHOICE, "LICENSE-MIT": MIT, "LICENSE-COMMERCIAL": b"Pay us.\n"}
    assert evaluate_files(files, build_policy())[0].verdict == "review"


@pytest.mark.parametrize(
    "path", ["LICENSE", "LICENCE.md", "COPYING", "license-mit", "MIT-LICENSE.txt", "LICENSES/MIT.txt"]
)
def test_license_file_is_recognized(path):
    assert is_license_file(path)


@pytest.mark.parametrize(
    "path", ["README.md", "vendor/x/LICENSE", "licensing.go", "docs/LICENSE", "internal/license.go"]
)
def test_other_file_is_not_a_license_file(path):
    assert not is_license_file(path)


def test_same_content_is_analyzed_once_and_not_kept(monkeypatch):
    monkeypatch.setattr(inspection, "_cache", {})
    first = inspection.analyze_file(MIT)
    assert inspection.analyze_file(bytes(bytearray(MIT))) is first
    assert [len(digest) for digest, _ in inspection._cache] == [32]


def run(*args):
    out = StringIO()
    call_command("check_license", *args, stdout=out)
    return out.getvalue()


def test_command_prints_json_in_the_order_of_its_arguments(tmp_path):
    (tmp_path / "b").write_bytes(MIT)
    (tmp_path / "a").write_bytes(ISC)
    paths = [str(tmp_path / name) for name in ("b", "a")]
    rows = json.loads(run(*paths, "--program", "terraform-provider", "--json"))
    assert [(row["path"], row["expression"], row["verdict"]) for row in rows] == [
        (paths[0], "MIT", "allow"),
        (paths[1], "ISC", "deny"),
    ]
    assert rows[0] == {
        "path": paths[0],
        "expression": "MIT",
        "confidence": 1.0,
        "verdict": "allow",
        "reasons": ["The text is MIT, word for word."],
        "findings": [],
    }


def test_command_prints_text(tmp_path):
    (tmp_path / "LICENSE").write_bytes(MPL)
    output = run(str(tmp_path / "LICENSE"), "--program", "packer")
    assert output.split() == [
        "allow",
        "MPL-2.0",
        str(tmp_path / "LICENSE"),
        *["The", "text", "is", "MPL-2.0,", "word", "for", "word."],
    ]


def test_command_exits_with_2_after_the_verdicts_if_a_file_cannot_be_read(tmp_path):
    (tmp_path / "LICENSE").write_bytes(MIT)
    paths = [str(tmp_path / name) for name in ("missing", "LICENSE")]
    out = StringIO()
    with pytest.raises(CommandError) as error:
        call_command("check_license", *paths, tmp_path, "--program", "packer", "--json", stdout=out)
    assert (str(error.value), error.value.returncode) == (f"Cannot read {paths[0]}, {tmp_path}.", 2)
    verdicts = [(row["verdict"], row["reasons"]) for row in json.loads(out.getvalue())]
    assert verdicts == [
        ("review", ["The file can't be read: No such file or directory."]),
        ("deny", ["MIT is not on the program's list."]),
        ("review", ["The file can't be read: Is a directory."]),
    ]


def test_command_refuses_an_unknown_edition(tmp_path):
    with pytest.raises(CommandError, match=r"has no edition 1999-01\. Available editions"):
        run(str(tmp_path), "--program", "packer", "--edition", "1999-01")
