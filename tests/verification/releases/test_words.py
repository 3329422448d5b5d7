"""Terraform's words, where no release of the tables reaches them."""

import pytest

from verification.terraform import go_json
from verification.terraform.go_json import Misread
from verification.terraform.messages import quoted, refuses, says, unhex


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "EOF"),
        (b" \n", "EOF"),
        (b"<html>", "invalid character '<' looking for beginning of value"),
        (b"]", "invalid character ']' looking for beginning of value"),
        (b"NaN", "invalid character 'N' looking for beginning of value"),
        (b'{"a": ', "unexpected EOF"),
        (b'{"a": "b', "unexpected EOF"),
        (b"[" * 100_000, ""),
        (b'{"a": <}', ""),
    ],
)
def test_body_that_is_no_json(body, said):
    with pytest.raises(Misread) as misread:
        go_json.read(body)
    assert str(misread.value) == said


def test_first_value_counts():
    assert go_json.read(b'{"a": 1} and more') == {"a": 1}


def test_name_repeated_very_often_is_merged_once():
    """Merging everything again for each repetition would take minutes."""
    count = 100_000
    body = ",".join(f'"a": {{"x{number}": {number}}}' for number in range(count))
    assert go_json.read(f"{{{body}}}".encode()) == {"a": {f"x{number}": number for number in range(count)}}


def test_repeated_objects_are_merged_at_every_depth():
    body = b'{"a": {"b": {"c": 1}, "d": 2}, "A": {"B": {"e": 3, "C": null}, "d": {"f": 4}}, "a": {"D": {"f": 5}}}'
    assert go_json.read(body) == {"a": {"b": {"c": 1, "e": 3}, "d": {"f": 5}}}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ('{"FileName": "a"}', {"filename": "a"}),
        ('{"filename": "a", "FILENAME": "b"}', {"filename": "b"}),
        ('{"filename": "a", "Filename": null}', {"filename": "a"}),
        (
            '{"\u017figning_\u212aeys": {"A": 1}, "signing_keys": {"B": [{"C": 2}]}}',
            {"signing_keys": {"a": 1, "b": [{"c": 2}]}},
        ),
    ],
)
def test_names_match_in_any_case_and_the_last_counts(body, expected):
    assert go_json.read(body.encode()) == expected


@pytest.mark.parametrize(
    ("read", "said"),
    [
        (lambda: go_json.mapping([]), "json: cannot unmarshal array into Go value of type getproviders.ResponseBody"),
        (lambda: go_json.text(True, "A.b"), "json: cannot unmarshal bool into Go struct field A.b of type string"),
        (lambda: go_json.texts({}, "A.b"), "json: cannot unmarshal object into Go struct field A.b of type []string"),
        (lambda: go_json.objects("a"), "json: cannot unmarshal string into Go "),
        (lambda: go_json.objects([1.5]), "json: cannot unmarshal number into Go "),
    ],
)
def test_value_of_another_kind(read, said):
    with pytest.raises(Misread) as misread:
        read()
    assert str(misread.value) == said


def test_null_is_nothing():
    nothing = (go_json.mapping(None), go_json.text(None, ""), go_json.texts(None, ""), go_json.objects([None]))
    assert nothing == ({}, "", (), ({},))


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"a b", '"a b"'),
        (b'a"\\', r'"a\"\\"'),
        (b"\x00\n\x7f", r'"\x00\n\x7f"'),
        (b"\xff", r'"\xff"'),
        ("\ufeffé", r'"\ufeffé"'),
        ("\U000e0001", r'"\U000e0001"'),
    ],
)
def test_quotes(data, expected):
    assert quoted(data) == expected


@pytest.mark.parametrize(
    ("text", "digest", "trouble"),
    [
        (b"0a0b", b"\x0a\x0b", ""),
        (b"0A", b"\x0a\x00", ""),
        (b"0a0", b"\x0a", "encoding/hex: odd length hex string"),
        (b"0g", b"", "encoding/hex: invalid byte: U+0067 'g'"),
        (b"0a0b0c", b"\x0a\x0b", "panic: runtime error: index out of range [32] with length 32"),
    ],
)
def test_hexadecimal_digits(text, digest, trouble):
    assert unhex(text, 2)[:2] == (digest, trouble)


def test_unknown_sentence_is_a_mistake():
    with pytest.raises(KeyError):
        says("no such sentence")
    with pytest.raises(KeyError):
        refuses("target")
