"""Advance widths of the Helvetica font family, in 1/1000 of the font size.

Arial, Liberation Sans, and Nimbus Sans have the same widths. Unknown characters count as wide letters.
"""

import unicodedata


def _build_table(groups: dict[int, str]) -> dict[str, int]:
    return {character: glyph_width for glyph_width, characters in groups.items() for character in characters}


REGULAR_WIDTHS = _build_table(
    {
        191: "'",
        222: "ijl",
        260: "|",
        278: " !,./:;I[\\]ft·",
        333: "()-`r",
        334: "{}",
        355: '"',
        389: "*",
        469: "^",
        500: "Jckxsvyz",
        556: "#$0123456789?L_abdeghnopqu–",
        584: "+<=>~",
        611: "FTZ",
        667: "ABEKPSVXY&",
        722: "CDHNRUw",
        778: "GOQ",
        833: "Mm",
        889: "%",
        944: "W",
        1000: "—…",
        1015: "@",
    }
)
BOLD_WIDTHS = _build_table(
    {
        238: "'",
        278: " ,./I\\ijl·",
        280: "|",
        333: "!()-:;[]`ft",
        389: "*r{}",
        474: '"',
        500: "z",
        556: "#$0123456789J_aceksvxy–",
        584: "+<=>^~",
        611: "?FLTZbdghnopqu",
        667: "EPSVXY",
        722: "&ABCDHKNRU",
        778: "GOQw",
        833: "M",
        889: "%m",
        944: "W",
        975: "@",
        1000: "—…",
    }
)
UNKNOWN_WIDTH, EAST_ASIAN_WIDTH = 722, 1000


def measure_text(text: str, size: float, *, bold: bool = False) -> float:
    """Return the width of a text in pixels, rounded to a tenth."""
    table = BOLD_WIDTHS if bold else REGULAR_WIDTHS
    return round(sum(_get_glyph_width(character, table) for character in text) * size / 1000, 1)


def truncate_text(text: str, size: float, max_width: float, *, bold: bool = False) -> str:
    """Return the text, shortened with an ellipsis to the maximum width in pixels."""
    if measure_text(text, size, bold=bold) <= max_width:
        return text
    while text and measure_text(f"{text}…", size, bold=bold) > max_width:
        text = text[:-1]
    return f"{text.rstrip()}…"


def _get_glyph_width(character: str, table: dict[str, int]) -> int:
    glyph_width = table.get(character)
    if glyph_width is None:
        glyph_width = table.get(unicodedata.normalize("NFD", character)[0])  # é is as wide as e
    if glyph_width is not None:
        return glyph_width
    if unicodedata.combining(character):
        return 0
    return EAST_ASIAN_WIDTH if unicodedata.east_asian_width(character) in "WF" else UNKNOWN_WIDTH
