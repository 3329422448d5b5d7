"""Tests of Go's JSON decoding and text formatting, which appear in Terraform's messages."""

import pytest

from verification.terraform import go_json
from verification.terraform.go_json import JsonReadError
from verification.terraform.messages import build_refusal, decode_hex, quote, render_message


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"", "EOF"),
        (b" \n", "EOF"),
        (b"<html>", "invalid character '<' looking for beginning of value"),
        (b"]", "invalid character ']' looking for beginning of value"),
        (b"NaN", "invalid character 'N' looking for beginning of value"),
        (b"-Infinity", ""),
        (b"\xef\xbb\xbf{}", "invalid character 'ï' looking for beginning of value"),
        (b"\x85", r"invalid character '\u0085' looking for beginning of value"),
        (b"\0", r"invalid character '\x00' looking for beginning of value"),
        (b"'a'", r"invalid character '\'' looking for beginning of value"),
        (b'{"a": ', "unexpected EOF"),
        (b'{"a": "b', "unexpected EOF"),
        (b"[" * 100_000, ""),
        (b'{"a": <}', ""),
    ],
)
def test_invalid_json_has_the_message_of_go(body, expected):
    with pytest.raises(JsonReadError) as error:
        go_json.decode_json(body)
    assert str(error.value) == expected


def test_text_after_the_first_value_is_ignored():
    assert go_json.decode_json(b'{"a": 1} and more') == {"a": 1}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"\ud800", "\ufffd"),
        (r"\uDC00\uD800x", "\ufffd\ufffdx"),
        (r"\ud83d\ude80", "\U0001f680"),
        (r"\\ud800", r"\ud800"),
        (r"\\\ud800", "\\\ufffd"),
    ],
)
def test_lone_surrogate_is_replaced(text, expected):
    assert go_json.decode_json(f'["{text}"]'.encode()) == [expected]


def test_number_of_any_length_is_read():
    assert go_json.decode_json(b'{"id": ' + b"1" * 5000 + b', "name": "a"}') == {"id": float("inf"), "name": "a"}


def test_name_repeated_100_000_times_is_merged_once():
    """Merging all objects again for each repetition would take minutes."""
    count = 100_000
    body = ",".join(f'"a": {{"x{number}": {number}}}' for number in range(count))
    assert go_json.decode_json(f"{{{body}}}".encode()) == {"a": {f"x{number}": number for number in range(count)}}


def test_repeated_objects_are_merged_at_every_depth():
    body = b'{"a": {"b": {"c": 1}, "d": 2}, "A": {"B": {"e": 3, "C": null}, "d": {"f": 4}}, "a": {"D": {"f": 5}}}'
    assert go_json.decode_json(body) == {"a": {"b": {"c": 1, "e": 3}, "d": {"f": 5}}}


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
def test_names_ignore_case_and_the_last_value_counts(body, expected):
    assert go_json.decode_json(body.encode()) == expected


@pytest.mark.parametrize(
    ("read", "expected"),
    [
        (
            lambda: go_json.expect_object([]),
            "json: cannot unmarshal array into Go value of type getproviders.ResponseBody",
        ),
        (
            lambda: go_json.expect_string(True, "A.b"),
            "json: cannot unmarshal bool into Go struct field A.b of type string",
        ),
        (
            lambda: go_json.expect_strings({}, "A.b"),
            "json: cannot unmarshal object into Go struct field A.b of type []string",
        ),
        (lambda: go_json.expect_objects("a"), "json: cannot unmarshal string into Go "),
        (lambda: go_json.expect_objects([1.5]), "json: cannot unmarshal number into Go "),
    ],
)
def test_value_of_another_type_has_the_message_of_go(read, expected):
    with pytest.raises(JsonReadError) as error:
        read()
    assert str(error.value) == expected


def test_null_is_an_empty_value():
    values = (
        go_json.expect_object(None),
        go_json.expect_string(None, ""),
        go_json.expect_strings(None, ""),
        go_json.expect_objects([None]),
    )
    assert values == ({}, "", (), ({},))


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
def test_text_is_quoted_like_in_go(data, expected):
    assert quote(data) == expected


@pytest.mark.parametrize(
    ("text", "digest", "error"),
    [
        (b"0a0b", b"\x0a\x0b", ""),
        (b"0A", b"\x0a\x00", ""),
        (b"0a0", b"\x0a", "encoding/hex: odd length hex string"),
        (b"0g", b"", "encoding/hex: invalid byte: U+0067 'g'"),
        (b"0a0b0c", b"\x0a\x0b", "panic: runtime error: index out of range [32] with length 32"),
    ],
)
def test_hexadecimal_digits_are_decoded_like_in_go(text, digest, error):
    assert decode_hex(text, 2)[:2] == (digest, error)


def test_unknown_message_or_value_is_a_key_error():
    with pytest.raises(KeyError):
        render_message("unknown")
    with pytest.raises(KeyError):
        build_refusal("target")
