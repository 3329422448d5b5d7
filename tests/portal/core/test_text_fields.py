"""Tests of text fields: normalization, and refusal of invisible characters."""

import pytest
from django.core.exceptions import ValidationError

from portal.core.form_fields import CodeField, MultiLineField, SingleLineField

INVISIBLE_CHARACTERS = ["\x00", "\x07", "\x0b", "\x0c", "\x1b", "\x7f", "\x85", "\u2028", "\u2029", "\u202e", "\u2066"]


@pytest.mark.parametrize("char", INVISIBLE_CHARACTERS)
@pytest.mark.parametrize("kind", [SingleLineField, MultiLineField])
def test_invisible_character_is_refused_with_its_position(kind, char):
    with pytest.raises(ValidationError) as error:
        kind().clean(f"ab{char}c")
    assert error.value.messages == [f"Character 3 is invisible (U+{ord(char):04X}). Delete it, or type the text again."]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("  Rocket  ", "Rocket"),
        ("<script>alert(1)</script>", "<script>alert(1)</script>"),
        ("a\ufeffb\u200bc", "abc"),
        ("Zoë 🚀 日本語", "Zoë 🚀 日本語"),
    ],
)
def test_line_is_normalized(value, expected):
    assert SingleLineField().clean(value) == expected


def test_line_with_a_line_break_is_refused():
    with pytest.raises(ValidationError, match="Enter the text on one line"):
        SingleLineField().clean("a\nb")


def test_all_kinds_of_line_ends_are_normalized():
    assert MultiLineField().clean("a  \r\nb\rc\n\n") == "a\nb\nc"


def test_too_many_lines_are_refused():
    with pytest.raises(ValidationError) as error:
        MultiLineField(max_lines=2).clean("one\ntwo\nthree")
    assert error.value.messages == ["Enter 2 lines or fewer. You entered 3."]


def test_maximum_number_of_lines_is_accepted():
    assert MultiLineField(max_lines=2).clean("one\r\ntwo\r\n") == "one\ntwo"


def test_length_counts_normalized_line_ends():
    assert MultiLineField(max_length=3).clean("a\r\nb") == "a\nb"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("\r\n  a {\r\n\tb\r\n  }  \r\n\r\n", "  a {\n  b\n  }\n"),
        ("a = <<EOT\n  b\nEOT", "a = <<EOT\n  b\nEOT\n"),
        ("  a = <<EOT\n    b\n  EOT", "  a = <<EOT\n    b\n  EOT\n"),
        (" \n ", ""),
    ],
)
def test_code_keeps_its_indentation(value, expected):
    assert CodeField(required=False).clean(value) == expected


def test_code_has_a_maximum_length_without_the_last_line_end():
    field = CodeField(max_length=3)
    assert field.clean("abc\n") == "abc\n"
    with pytest.raises(ValidationError) as error:
        field.clean("abcd")
    assert error.value.messages == ["Enter 3 characters or fewer. You entered 4."]
