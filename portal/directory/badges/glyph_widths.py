"""Widths of texts in the Helvetica font family, from data/glyph_widths.yaml.

Unknown characters count as wide letters.
"""

import unicodedata

from portal.core.content_files import Content, load_content


class GlyphWidthFile(Content):
    """Content of glyph_widths.yaml: the characters of each width."""

    regular: dict[int, str]
    bold: dict[int, str]


_TABLES = load_content("portal/directory/data/glyph_widths.yaml", GlyphWidthFile)
REGULAR_WIDTHS, BOLD_WIDTHS = (
    {character: glyph_width for glyph_width, characters in table.items() for character in characters}
    for table in (_TABLES.regular, _TABLES.bold)
)
UNKNOWN_WIDTH = 722
EAST_ASIAN_WIDTH = 1000


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
