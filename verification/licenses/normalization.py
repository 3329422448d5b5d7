"""Normalization of license texts: copies are equal if their letters and digits are, in the same order.

Case, white space, line breaks, quotes, bullets, comment leaders, and markdown carry no meaning and are removed.
Every character other than a letter, a digit, or known punctuation is kept as a separate word, so that none is missed.
"""

import html
import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from pathlib import Path

from portal.core.content_files import Content, load_content

MAX_BYTES = 200_000
BETWEEN = re.compile(r"([\W_]+)")
WORD = re.compile(r"[^\W_]+")
# Letters of all scripts stay. Marks, symbols, controls, and unknown characters become words.
STRANGE = re.compile(r"[^\w\s!-/:-@\[-`{-~]|[\x00-\x08\x0e-\x1f\x7f]")
NEEDED_MARK = re.compile(
    r"[\u0300-\u0304\u0306-\u030c\u0323\u0327\u0328\u0331"  # accents that some letters have only as combining marks
    r"\u0591-\u05c7\u064b-\u0652\u0900-\u0dff\u0e31-\u0e4e\u0eb1-\u0ecd]"
)  # as letters in their scripts
# Selects the form of a letter in Indian scripts and has no meaning.
JOINER = re.compile(r"(?<=[\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca])[\u200c\u200d]")
STRIKETHROUGH = re.compile(r"~~(?=\w)")
FOOTNOTE = re.compile(r"(?m)^([^*\n]*\w)\*+(?=\s|$)")  # not the end of an emphasis, which would begin on the same line
LINK_DEFINITION = re.compile(r"(?m)^[ \t>#*/;-]*\[[^\]\n]{1,200}\]:")
# Begins a word that replaces hidden content. It is a letter of a script that no rule of the grammar accepts.
MARK = "\ua500"
BADGE = re.compile(
    r"\[!\[licen[sc]e[^\]\n]{0,200}\]\(https?://img\.shields\.io/badge/licen[sc]e-((?:[\w.]|--)+)-\w+(?:\.svg)?\)\]"
    r"\((?:\./)?licen[sc]e(?:\.md|\.txt)?\)",
    re.I,
)  # an image that names the license
FENCE = re.compile(r"(?m)^[ \t>#*/]*(?:```|~~~)[ \t]*(?:text|txt|plain|plaintext|md|markdown|license|none)?[ \t]*$")
ENTITY = re.compile(r"&(?:lt|gt|amp|quot|copy|nbsp|apos|#\d+|#x[0-9a-f]+|[lr][sd]quo);", re.I)
LAYOUT = (
    r"(?:\s+(?:align=[\"']?(?:left|center|right)[\"']?|lang=[\"']?[a-z]{2}(?:-[a-z]{2})?[\"']?|charset=[\"']?utf-8[\"']?"
    r"|xmlns=\"http://www\.w3\.org/1999/xhtml\"))*\s*/?"
)  # a value that could hold words, such as a title or a style that hides, stays and becomes words
BLOCK_TAG = re.compile(
    rf"(?i)</?(?:p|br|hr|div|pre|h[1-6]|ul|ol|li|dl|dt|dd|html|head|body|title|meta|blockquote|table|tr|td|tbody){LAYOUT}>"
    r"|<!doctype html>"
)
INLINE_TAG = re.compile(rf"(?i)</?(?:b|i|u|em|strong|code|tt|span|center|var|small|a){LAYOUT}>")
LINK_TAG = re.compile(r"""(?i)<a\s+href=(["'])([^"'<>\s]{1,200})\1>""")
COMMENT = re.compile(r"<!--|-->")
NOTICE_COMMENT = re.compile(r"(?im)^[ \t]*<!--[ \t*]*((?:spdx-|copyright|\(c\)|©)[^<>\n]*?)[ \t]*-->[ \t]*$")


class SpellingFile(Content):
    """Content of spelling.yaml: characters by what replaces them, and parts of words with their other spelling."""

    typography: dict[str, str]
    spelling: dict[str, str]


SPELLING_TABLES = load_content(Path(__file__).with_name("data") / "spelling.yaml", SpellingFile)
TYPOGRAPHY = str.maketrans({char: plain for plain, chars in SPELLING_TABLES.typography.items() for char in chars})


@dataclass(frozen=True)
class Text:
    """Cleaned text, and its `letters` in lowercase without spaces and punctuation."""

    clean: str

    @cached_property
    def _parts(self) -> list[str]:
        return BETWEEN.split(self.clean)  # word, separator, word, …

    @cached_property
    def letters(self) -> str:
        return "".join(self._parts[::2]).lower()

    @cached_property
    def _words(self) -> tuple[list[int], list[int]]:
        starts = list(accumulate(map(len, self._parts), initial=0))[::2]
        return list(accumulate(map(len, self._parts[::2]), initial=0)), starts

    def find_place(self, letter: int) -> int:
        """Return the offset in `clean` of the letter with that number."""
        before, starts = self._words
        word = bisect_right(before, letter) - 1
        return starts[word] + letter - before[word] if word < len(starts) else len(self.clean)

    def get_text(self, start: int, end: int) -> str:
        """Return the cleaned text of the letters from `start` to before `end`."""
        return self.clean[self.find_place(start) : self.find_place(end - 1) + 1] if end > start else ""

    def get_gap(self, start: int, end: int) -> str:
        """Return the cleaned text with the punctuation around it."""
        return self.clean[self.find_place(start - 1) + 1 if start else 0 : self.find_place(end)]

    def get_line_number(self, place: int) -> int:
        """Return the number, from 1, of the line at that offset of `clean`."""
        return self.clean.count("\n", 0, place) + 1


class FoldedText:
    """Words of a text in lowercase with single spaces between them (`folded`), and their places.

    `starts` and `ends` are the offsets of the words in `text`, and `offsets` those in `folded`.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        words = list(WORD.finditer(text))
        self.starts = [word.start() for word in words]
        self.ends = [word.end() for word in words]
        folded_words = [word[0].lower() for word in words]  # "İ" becomes two characters
        self.folded = " ".join(folded_words)
        self.offsets = [0, *accumulate(len(word) + 1 for word in folded_words)]


def decode(raw: bytes) -> str:
    """Decode a file: UTF-8, UTF-16 with a byte order mark, or else Western European."""
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        return raw.decode("utf-16", errors="replace")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return raw.decode("cp1252", errors="replace")


def mark(what: str) -> str:
    """Return a marker word that no rule of the grammar derives and that names the marked character."""
    return f" {MARK}{what} "


def mark_character(match: re.Match[str]) -> str:
    """Return a word that names the character. Marks that belong to a letter of their script stay."""
    char = match[0]
    return char if NEEDED_MARK.match(char) and match.start() else mark(f"{ord(char):04X}")


def unmark(text: str) -> str:
    """Return the text with each mark as people read it: "[U+200B]", "[comment]"."""
    return re.sub(rf"{MARK}([0-9A-F]{{4,6}})", r"[U+\1]", re.sub(rf"{MARK}([a-z]+)", r"[\1]", text))


def tidy(text: str) -> Text:
    """Return the text without its layout, line by line. Layout tags are removed, and other tags become words."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "<" in text:
        text = COMMENT.sub(mark("comment"), NOTICE_COMMENT.sub(r"\1", text))
        text = INLINE_TAG.sub("", LINK_TAG.sub(r" \2 ", BLOCK_TAG.sub("\n", text)))
    if "[![" in text:
        text = BADGE.sub(lambda badge: f"SPDX-License-Identifier: {badge[1].replace('--', '-')}", text)
    if "&" in text and ENTITY.search(text):
        text = html.unescape(text)
    if not text.isascii():
        text = JOINER.sub("", unicodedata.normalize("NFC", text)).translate(TYPOGRAPHY)
    text = FOOTNOTE.sub(rf"\1{mark('footnote')}", text) if "*" in text else text
    text = FENCE.sub("", text) if "```" in text or "~~~" in text else text
    text = LINK_DEFINITION.sub(mark("definition"), STRIKETHROUGH.sub(mark("deletion"), text))
    text = STRANGE.sub(mark_character, text)
    for old, new in SPELLING_TABLES.spelling.items():
        text = text.replace(old, new)
    return Text(text)
