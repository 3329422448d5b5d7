"""Words that are written together with terms of their language: "notforsale", "Nurlehre", "soloestudiantes"."""

from collections.abc import Callable
from functools import lru_cache

from verification.licenses.dictionaries import LANGUAGE_TABLES, fold, load_language_words

MIN_LETTERS = 8
MAX_WORD = 16
MIN_WORD = 4  # letters of an ordinary word that isn't one of the most frequent
Test = Callable[[str], bool]


def has_term_when_split(letters: str, is_word: Test, is_term: Test) -> bool:
    """Return whether the shortest split into words has a term: "voorbeeld stad", not "voor beeld stad"."""
    if len(letters) < MIN_LETTERS or not (letters.isascii() and letters.isalpha()):
        return False
    ends = {0: (0, True)}  # by end of a word: the fewest words up to it, and whether none of them is a term
    for start in range(len(letters)):
        for end in range(start + 2, min(len(letters), start + MAX_WORD) + 1) if start in ends else ():
            word = letters[start:end]
            if (has_term := is_term(word)) or is_word(word):
                count, is_plain = ends[start]
                ends[end] = min(ends.get(end, (len(letters), True)), (count + 1, is_plain and not has_term))
    return not ends.get(len(letters), (0, True))[1]


@lru_cache(maxsize=5_000)
def is_phrase(word: str, is_term: Test) -> bool:
    """Return whether an unlisted word is a compound of words of one language, one of them a term."""
    return any(_is_phrase_in(language, fold(word), is_term) for language in LANGUAGE_TABLES.languages["LATIN"])


def _is_phrase_in(language: str, letters: str, is_term: Test) -> bool:
    ordinary, frequent = load_language_words(language)
    return has_term_when_split(
        letters,
        lambda word: word in (ordinary if len(word) >= MIN_WORD else frequent),
        lambda word: word in ordinary and len(word) > 2 and is_term(word),
    )
