"""Lists of words and of parts of words."""

import pytest

from verification.licenses.word_lists import WordList


@pytest.mark.parametrize(
    ("word", "is_listed"),
    [
        ("only", True),
        ("commonly", False),  # a whole word is no part
        ("internally", True),  # starts with "intern"
        ("subintern", False),
        ("softwarelizenz", True),  # ends with "lizenz"
        ("lizenzgeber", False),
        ("unconfidentially", True),  # holds "confidential"
        ("confident", False),
        ("", False),
    ],
)
def test_word_is_found_as_a_whole_or_by_its_stem(word: str, is_listed: bool) -> None:
    assert (word in WordList(["only", "intern*", "*lizenz", "*confidential*"])) is is_listed
