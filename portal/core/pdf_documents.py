"""PDF documents: fonts for the characters that a document has, and paragraphs."""

import logging
from datetime import datetime
from functools import cache
from pathlib import Path

import manimgx_fonts
import noto_cjk_sans_jp_regular
from fontTools.ttLib import TTFont
from fpdf import FPDF

LOGGER = logging.getLogger(__name__)
logging.getLogger("fontTools").setLevel(logging.WARNING)  # it reports each table of each font
FONT_NAME = "Noto Sans"
FONTS_FOLDER = Path(manimgx_fonts.__file__).parent
FONT_PATH = FONTS_FOLDER / "NotoSans[wght].ttf"
# Fonts for scripts that the first one lacks, for example NotoSansThai[wght].ttf. The largest one is last.
FALLBACK_FONT_PATHS = [*sorted(FONTS_FOLDER.glob("NotoSans[A-Z]*.ttf")), Path(str(noto_cjk_sans_jp_regular.FONT_PATH))]
LINE_HEIGHT = 6  # millimeters


class PdfDocument(FPDF):
    """A4 document in English, with the same bytes whenever it is made."""

    def __init__(self, title: str, created_at: datetime) -> None:
        super().__init__(format="A4")
        self.set_title(title)
        self.set_lang("en")
        self.set_margin(22)
        self.set_auto_page_break(True, 28)
        self.set_creation_date(created_at)

    def use_fonts(self, characters: set[str]) -> None:
        """Add the fonts that the characters need. A character that no font has is drawn as a box."""
        self.add_font(FONT_NAME, fname=FONT_PATH)
        missing = characters - _read_characters(FONT_PATH)
        fallback_names = []
        for path in FALLBACK_FONT_PATHS:
            if missing and missing & _read_characters(path):
                self.add_font(path.stem, fname=path)
                fallback_names.append(path.stem)
                missing -= _read_characters(path)
        if missing:
            LOGGER.warning("No font for the characters %s of a document", " ".join(sorted(missing)))
        self.set_fallback_fonts(fallback_names)
        self.set_text_shaping(True)

    def write_paragraph(self, text: str, *, size: float = 10.5, indent: float = 0, space: float = 2) -> None:
        """Write a paragraph."""
        self.set_font(FONT_NAME, size=size)
        self.set_x(self.l_margin + indent)
        self.multi_cell(w=0, h=LINE_HEIGHT, text=text, align="L", new_x="LMARGIN", new_y="NEXT")
        self.ln(space)


@cache
def _read_characters(path: Path) -> frozenset[str]:
    with TTFont(path, lazy=True) as font:
        return frozenset(map(chr, font.getBestCmap()))
