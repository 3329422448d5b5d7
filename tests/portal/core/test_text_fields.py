"""Text is kept as it was meant; what cannot be seen is refused with its place."""

import pytest
from django.core.exceptions import ValidationError

from portal.core.text_fields import MultiLineField, SingleLineField

UNSEEN = ["\x00", "\x07", "\x0b", "\x0c", "\x1b", "\x7f", "\x85", "\u2028", "\u2029", "\u202e", "\u2066"]


@pytest.mark.parametrize("char", UNSEEN)
@pytest.mark.parametrize("kind", [SingleLineField, MultiLineField])
def test_text_with_an_unseen_character(kind, char):
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
def test_line_as_it_was_meant(value, expected):
    assert SingleLineField().clean(value) == expected


def test_line_with_two_lines():
    with pytest.raises(ValidationError, match="Enter the text on one line"):
        SingleLineField().clean("a\nb")


def test_lines_with_line_ends_of_all_kinds():
    assert MultiLineField().clean("a  \r\nb\rc\n\n") == "a\nb\nc"


def test_lines_beyond_the_most():
    with pytest.raises(ValidationError) as error:
        MultiLineField(max_lines=2).clean("one\ntwo\nthree")
    assert error.value.messages == ["Enter 2 lines or fewer. You entered 3."]


def test_lines_at_the_most():
    assert MultiLineField(max_lines=2).clean("one\r\ntwo\r\n") == "one\ntwo"


def test_length_counted_after_line_ends_are_made_equal():
    assert MultiLineField(max_length=3).clean("a\r\nb") == "a\nb"
