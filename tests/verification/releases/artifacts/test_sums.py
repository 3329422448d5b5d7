import hashlib
import json

import pytest
from hypothesis import given, strategies as st

from verification.outcomes import Outcome
from verification.releases.artifacts import checksums
from verification.releases.artifacts.remarks import outcome_of

ZIP, MANIFEST = "terraform-provider-rocket_1.0.0_linux_amd64.zip", "terraform-provider-rocket_1.0.0_manifest.json"
A, B = hashlib.sha256(b"zip").hexdigest(), hashlib.sha256(b"manifest").hexdigest()
GOOD = f"{A}  {ZIP}\n{B}  {MANIFEST}\n".encode()
MISSING = f'checksum list has no SHA-256 hash for "{ZIP}"'
ZEROS = "0" * 64
BYTE = "invalid byte:"
BLANK = "panic: runtime error: index out of range [0] with length 0"
LONG = "panic: runtime error: index out of range [32] with length 32"


def no_hash(text, why):
    return f'checksum list has invalid SHA256 hash "{text}": encoding/hex: {why}'


def other(digest):
    return f"checksum list has unexpected SHA-256 hash {digest} (expected {A})"


def change_digest(change):
    return change(A.encode()) + GOOD[64:]


# what stands in the list; what Terraform says to it, blank for nothing; what we remark
CASES = {
    "good": (GOOD, "", set()),
    "CRLF": (GOOD.replace(b"\n", b"\r\n"), "", {"crlf"}),
    "capitals": (GOOD.upper().replace(ZIP.upper().encode(), ZIP.encode()), "", {"upper_case", "missing"}),
    "capitals in the hash": (change_digest(bytes.upper), "", {"upper_case"}),
    "tab": (GOOD.replace(b"  ", b"\t"), "", {"spacing"}),
    "one space": (GOOD.replace(b"  ", b" "), "", {"spacing"}),
    "three spaces": (GOOD.replace(b"  ", b"   "), "", {"spacing"}),
    "space in front": (b" " + GOOD, "", {"spacing"}),
    "no-break space": (GOOD.replace(b"  ", "\u00a0".encode()), "", {"spacing"}),
    "no line break at the end": (GOOD.strip(), "", {"no_newline"}),
    "third word": (GOOD.replace(b"\n", b" ok\n"), "", {"more_words"}),
    "twice the same": (GOOD + GOOD, "", {"twice"}),
    "twice, the second other": (GOOD + f"{ZEROS}  {ZIP}\n".encode(), "", {"contradiction"}),
    "word": (GOOD + b"end\n", "", {"no_name"}),
    "comment": (b"# sums\n" + GOOD, "", {"length", "no_hex"}),
    "without the manifest": (GOOD.splitlines(keepends=True)[0], "", {"missing"}),
    "blank lines": (b"\n" + GOOD + b"\n", BLANK, {"blank_line"}),
    "blank line, CRLF": (GOOD + b"\r\n", BLANK, {"blank_line", "crlf"}),
    "blank line at the end": (GOOD + b"\n", BLANK, {"blank_line"}),
    "blank line behind text": (GOOD + b"# end\n\n", "", {"blank_line", "length", "no_hex"}),
    "longer hash": (change_digest(lambda a: a + b"00"), LONG, {"length"}),
    "longer hash, no hex": (change_digest(lambda a: a + b"zz"), None, {"length", "no_hex"}),
    "binary mode": (GOOD.replace(b"  ", b" *"), MISSING, {"binary_mode", "missing"}),
    "dot and slash": (GOOD.replace(b"  ", b"  ./"), MISSING, {"folder", "missing"}),
    "folder": (GOOD.replace(b"  ", b"  dist/"), MISSING, {"folder", "missing"}),
    "other name": (GOOD.replace(b"linux", b"darwin"), MISSING, {"missing"}),
    "capitals in the name": (GOOD.replace(b"terraform", b"Terraform"), MISSING, {"missing"}),
    "empty": (b"", MISSING, {"empty_list"}),
    "blank": (b" \n\n", MISSING, {"empty_list"}),
    "page": (b"<html>Not Found</html>\n", MISSING, {"folder", "length", "missing", "no_hex"}),
    "UTF-16": (GOOD.decode().encode("utf-16"), MISSING, {"encoding"}),
    "UTF-16, big end first": (b"\xfe\xff" + GOOD.decode().encode("utf-16-be"), MISSING, {"encoding"}),
    "NUL": (GOOD.replace(b"\n", b"\0\n"), MISSING, {"nul"}),
    "mark in front": (b"\xef\xbb\xbf" + GOOD, no_hash(f"\\ufeff{A}", f"{BYTE} U+00EF 'ï'"), {"encoding"}),
    "no hex": (change_digest(lambda a: b"g" + a[1:]), no_hash(f"g{A[1:]}", f"{BYTE} U+0067 'g'"), {"no_hex"}),
    "odd hash": (change_digest(lambda a: a[:63]), no_hash(A[:63], "odd length hex string"), {"length"}),
    "odd hash, no hex": (
        change_digest(lambda a: a[:62] + b"!"),
        no_hash(f"{A[:62]}!", f"{BYTE} U+0021 '!'"),
        {"no_hex", "length"},
    ),
    "short hash": (change_digest(lambda a: a[:62]), other(f"{A[:62]}00"), {"length"}),
    "MD5": (change_digest(lambda a: a[:32]), other(f"{A[:32]}{'0' * 32}"), {"length"}),
    "SHA-512": (change_digest(lambda a: a + a), LONG, {"length"}),
    "twice, the first other": (f"{ZEROS}  {ZIP}\n".encode() + GOOD, other(ZEROS), {"contradiction"}),
    "control character": (
        change_digest(lambda a: b"\x07" + a[1:]),
        no_hash(f"\\a{A[1:]}", f"{BYTE} U+0007"),
        {"no_hex", "spacing"},
    ),
    "byte that is no text": (
        change_digest(lambda a: b"\xff" + a[1:]),
        no_hash(f"\\xff{A[1:]}", f"{BYTE} U+00FF 'ÿ'"),
        {"no_hex"},
    ),
    "many lines": (GOOD * 501, "", {"too_long"}),
    "long": (GOOD + b"a" * 1024 * 1024, "", {"too_long"}),
    "JSON": (json.dumps({ZIP: A}).encode(), MISSING, {"length", "missing", "no_hex", "no_newline"}),
    "BSD form": (f"SHA256 ({ZIP}) = {A}\n".encode(), MISSING, {"length", "missing", "more_words", "no_hex"}),
}


@pytest.mark.parametrize("name", CASES)
def test_list(name):
    document, message, expected = CASES[name]
    terraform_verdict = checksums.terraform_matches(document, ZIP, A)
    if terraform_verdict.accepts:
        terraform_verdict = checksums.predict_terraform_parsing(document)
    if message is not None:
        assert (terraform_verdict.accepts, terraform_verdict.message) == (not message, message)
    remarks = checksums.remarks(document, (ZIP, MANIFEST))
    assert {remark.key for remark in remarks} == expected
    assert all(remark.text.endswith(".") for remark in remarks)


def test_table_is_long_enough():
    assert len(CASES) >= 40


def test_what_terraform_refuses_never_passes_here():
    for name, (document, message, _) in CASES.items():
        if message != "":
            assert (name, outcome_of(checksums.remarks(document, (ZIP, MANIFEST)))) == (name, Outcome.FAIL)


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (GOOD, A),
        (GOOD.upper().replace(ZIP.upper().encode(), ZIP.encode()), A),
        (change_digest(lambda a: a[:63]), ""),
        (b"", ""),
    ],
)
def test_digest(document, expected):
    assert checksums.digest_of(document, ZIP) == expected


@given(st.binary(max_size=400))
def test_any_bytes_are_judged(document):
    checksums.terraform_matches(document, ZIP, A)
    checksums.predict_terraform_parsing(document)
    assert outcome_of(checksums.remarks(document, (ZIP,))) == Outcome.FAIL
