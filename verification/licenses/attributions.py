"""Grammar of a NOTICE file: what a product includes, by whom, and under which license.

docs/reference/license-grammar.md holds the grammar in ABNF. A line about the product itself, other than its
ownership, needs a reviewer.
"""

import re
from collections.abc import Iterator
from functools import cache

from verification.licenses.addresses import is_address
from verification.licenses.holders import is_holder_list
from verification.licenses.lexicon import TRIM
from verification.licenses.normalization import FoldedText
from verification.licenses.projects import is_project_name
from verification.licenses.titles import THINGS, build_license_group

# Limits the time for a hostile file: each end of a sentence within it is tried.
MAX_LENGTH = 600  # characters of an attribution
THING = rf"(?:{THINGS}|distribution|release|sdk|driver|binary|client|component|file|files)"
PRODUCT = rf"(?:(?:some |certain )?(?:portions|parts) of )?(?:this|the) (?:\w+ ){{0,2}}?{THING}|it|portions|parts"
INCLUDE = (
    "(?:also )?(?:includes?|contains?|bundles?|uses?|embeds?|incorporates?|ships with|depends on|relies on|makes use of"
    "|(?:is|are|was|were) (?:partly |partially |originally |in part )?"
    "(?:based (?:up)?on|derived from|built (?:up)?on|built with|developed|written|created|copyright))"
)
OBJECT = (
    "(?:(?:an?|the|some|portions of|parts of|modified|versions? of|cop(?:y|ies) of|following|original|other|open source"
    "|third party|3rd party|source|work of|binary) )*"
    "(?:(?:software|code|components?|library|libraries|works?|files?|packages?|modules?|dependenc(?:y|ies)|data"
    "|materials?)(?: |$))?"
)
BE = "(?:(?:which|that) )?(?:(?:is|are|was|were) )?"
MAKER_PHRASE = (
    f"{BE}(?:originally |also |and )*"
    "(?:(?:developed|written|created|made|copyrighted|contributed|maintained|published|produced|provided|owned|taken"
    "|adapted|copied|derived|copyright|named|called)(?: and | |$))*(?:(?:by|at|from|of|c)(?: |$))?"
)
LICENSE_PHRASE = (
    f"{BE}(?:(?:also )?(?:made )?(?:licensed|released|distributed|available|published|used|license)(?: |$))?"
    "(?:under|with|is)?(?: |$)?(?:the |an? )*(?:terms of )?(?:the )?"
)
GNU = r"(?:gnu )?(?:lesser |library )?general public license(?: v(?:ersion)? ?\d(?: \d)?)?|lgpl[ \d]*"
MADE_BY = re.compile(
    rf"(?:{PRODUCT}) {INCLUDE} (?:software|code) (?:originally )?(?:developed|written|created) (?:by|at) "
)
HEADING = re.compile(
    r"(?:the )?(?:notices?(?: file)?|(?:third party|3rd party|open source|copyright)(?: open source)?"
    r" (?:software|notices?|licenses?|components?|dependencies|code|libraries|content|attributions?|acknowledgments?)"
    r"(?: (?:and )?(?:notices?|licenses?|information|attributions?|acknowledgments?))?"
    r"|(?:direct |go |runtime )?dependencies|acknowledgments?|attributions?|credits|thanks|included software"
    r"|this (?:product|project|software) (?:includes|contains|uses|bundles|depends on)(?: the following)?"
    r"(?: (?:open source |third party )*(?:software|components|libraries|dependencies|packages|modules))?)"
)
VERSION = re.compile(r"(?:version )?v?\d+(?:\.\d+)+(?:[-+][\w.]+)?", re.I)
FIELD = re.compile(
    r"(?:name|project|package|module|library|license|homepage|url|website|source|version|author|by)\s*:\s*", re.I
)
ADDRESS = re.compile(r"[<(\[]?(?:https?://)?[\w@.~-]+\.[a-z]{2,}(?:[/@:][\w@.~+/-]*)?[>)\]]?", re.I)
PART = re.compile(r"\s+[-/]+\s+|[|,;()\[\]<>`*]+|:\s|\s+(?:under|by|licensed under)\s+(?:the\s+)?", re.I)
SENTENCE_END = re.compile(r"[.;:]?\s*(?:\n\s*\n|$)|[.;:](?=\s)|\n")


@cache
def build_license_pattern() -> re.Pattern[str]:
    """Return a pattern of folded text for the license of a dependency."""
    more = rf"{GNU}|zlib|public domain|wtfpl"
    first, second = (rf"(?:{build_license_group(side)}|{more})" for side in "xy")
    expression = rf"{first}(?: license)?"
    return re.compile(rf"(?:the )?(?:licensed under (?:the )?)?{expression}(?: (?:or|and) (?:the )?{second})?")


@cache
def build_sentence_pattern() -> re.Pattern[str]:
    """Return a pattern of folded text for a product, what it includes, its maker (`who`), and its license."""
    license = rf"(?: {LICENSE_PHRASE}{build_license_pattern().pattern}(?: license)?(?: (?P<where>http .+))?)?"
    return re.compile(rf"(?P<what>{PRODUCT}) {INCLUDE} {OBJECT}{MAKER_PHRASE}(?P<who>\S+(?: \S+)*?)??{license}")


def find_attribution_end(text: str, start: int, *, is_notice: bool) -> int | None:
    """Return the end of the attribution at `start`. Outside a NOTICE file, it must not name a license."""
    for end in find_sentence_ends(text, start):
        if is_attribution(text[start:end]) if is_notice else is_inclusion(text[start:end]):
            return end
    return None


def find_sentence_ends(text: str, start: int) -> Iterator[int]:
    """Yield the possible ends of a sentence that begins at `start`, the last first, within its paragraph."""
    paragraph = text[start : start + MAX_LENGTH]
    paragraph = paragraph[: gap.start()] if (gap := re.search(r"\n\s*\n", paragraph)) else paragraph
    # The longest sentence first, because a name can contain a period: "Acme, Inc. and others".
    yield from sorted({start + match.end() for match in SENTENCE_END.finditer(paragraph)}, reverse=True)


def is_inclusion(text: str) -> bool:
    """Return whether a sentence names the maker of included software, as in "developed by Acme"."""
    words = FoldedText(text)
    match = MADE_BY.match(words.folded)
    return match is not None and is_source(text[words.starts[words.offsets.index(match.end())] :].strip(TRIM))


def is_attribution(text: str) -> bool:
    """Return whether a text is a heading, says what the product includes, or names a dependency."""
    words = FoldedText(text)
    if not words.folded or HEADING.fullmatch(words.folded):
        return bool(words.folded)
    if match := build_sentence_pattern().fullmatch(words.folded):
        sources = [get_original_text(words, match.span(name)) for name in ("who", "where") if match[name]]
        return all(is_source(part) for part in sources)
    return "\n" not in text.strip() and is_dependency(text)


def get_original_text(words: FoldedText, span: tuple[int, int]) -> str:
    """Return the original text of a span of folded words, with the punctuation after it."""
    starts = [*words.starts, len(words.text)]
    original = words.text[starts[words.offsets.index(span[0])] : starts[words.offsets.index(span[1] + 1)]]
    return " ".join(original.split()).rstrip(" .,;:([<").removesuffix("http://")


def is_source(text: str) -> bool:
    """Return whether the text names projects or holders, with or without their addresses."""
    rest = ADDRESS.sub(lambda match: "" if is_address(match[0].strip("<>()[]")) else match[0], text)
    parts = [part.strip(TRIM + "()[]<>") for part in re.split(r"[,;()]|\s+(?:and|&|project)(?=\s|$)|\s+-+\s+", rest)]
    names = [part for part in parts if part]
    return is_holder_list(text) or all(is_holder_list(name) or is_project_name(name.split()) for name in names)


def is_dependency(text: str) -> bool:
    """Return whether a line is an entry of a list: a name with a license, a version, or an address."""
    # Lists of dependencies often have fields, as in "Name: acme, License: MIT".
    text = FIELD.sub("", text.strip(TRIM))
    detail_count = 0
    name_count = 0
    for part in PART.split(ADDRESS.sub(lambda match: ";;" if is_address(match[0].strip("<>()[]")) else match[0], text)):
        if build_license_pattern().fullmatch(" ".join(re.findall(r"[^\W_]+", part)).lower()):
            detail_count += 1
            continue
        bare = VERSION.sub("", part).strip(TRIM)
        detail_count += bare != part.strip(TRIM)
        if bare and not bare.isdigit():
            if not (is_project_name(bare.split()) or is_holder_list(bare)):
                return False
            name_count += 1
    detail_count += bool(ADDRESS.search(text))
    # Not only names: a line of capitalized words without a license, version, or address could say anything.
    return bool(detail_count) and name_count <= 3
