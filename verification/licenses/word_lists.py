"""Lists of words and of parts of words: "stem*", "*stem", and "*stem*"."""

from collections.abc import Iterable


class WordList:
    """Words to search for. Sets make the time independent of the length of the list."""

    def __init__(self, entries: Iterable[str]) -> None:
        self.words: set[str] = set()
        self.starts: set[str] = set()
        self.ends: set[str] = set()
        self.parts: set[str] = set()
        for entry in entries:
            self._get_set(entry).add(entry.strip("*"))
        # One lookup per length, because a pattern of thousands of alternatives would take most of the check's time.
        self._lengths = sorted({len(stem) for stem in self.starts | self.ends | self.parts})

    def __contains__(self, word: str) -> bool:
        return word in self.words or self.has_part_of(word)

    def has_part_of(self, word: str) -> bool:
        """Return whether the word starts with, ends with, or contains a stem of the list."""
        size = len(word)
        for length in self._lengths:
            if length > size:
                return False
            if word[:length] in self.starts or word[size - length :] in self.ends:
                return True
            # Last, because it is the only lookup for each position of the word.
            if self.parts and any(word[at : at + length] in self.parts for at in range(size - length + 1)):
                return True
        return False

    def _get_set(self, entry: str) -> set[str]:
        if entry.startswith("*"):
            return self.parts if entry.endswith("*") else self.ends
        return self.starts if entry.endswith("*") else self.words
