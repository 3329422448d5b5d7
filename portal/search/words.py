"""Words of texts and queries. Both databases index these words, so their own tokenization rarely matters."""

import unicodedata

from portal.core.name_matching import normalize_text

MAX_QUERY_WORDS = 8
MAX_WORD_LENGTH = 64
# Scripts without spaces between words: each character is a word.
UNSPACED_SCRIPTS = ((0x3040, 0x30FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x323AF))


class _WordCharacters(dict[int, str]):
    """Translation table that replaces everything but letters, marks, and digits with spaces."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        if any(first <= code <= last for first, last in UNSPACED_SCRIPTS):
            char = f" {char} "
        elif unicodedata.category(char)[0] not in "LMN":
            char = " "
        self[code] = char
        return char


_WORD_CHARACTERS = _WordCharacters()


def split_words(text: str) -> list[str]:
    """Return the words of a text in lower case and without accents."""
    return [word[:MAX_WORD_LENGTH] for word in normalize_text(text).translate(_WORD_CHARACTERS).split()]


def parse_query(text: str) -> list[str]:
    """Return the first distinct words of a query."""
    return list(dict.fromkeys(split_words(text)))[:MAX_QUERY_WORDS]
