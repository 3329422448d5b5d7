"""How does a badge look? SVG of shapes and system fonts alone, the same on light and on dark pages.

A badge brings its own ground and a line around it, so that it needs to know nothing of the page. What people typed is
one text among others: escaped, without disguise, measured and cut, never at the place of the word that counts.
"""

from collections.abc import Callable
from datetime import date
from xml.sax.saxutils import escape, quoteattr

from portal.directory.badges import payloads
from portal.directory.badges.glyph_widths import fitted, width
from portal.directory.badges.status import Truth
from portal.ui.components.moments import MONTHS

FONTS = "Helvetica Neue,Helvetica,Arial,Liberation Sans,sans-serif"
INK, PAPER, EDGE, QUIET = "#1f2330", "#ffffff", "#8b909c", "#c9ccd4"
GOOD, GREY = (f"#{colour}" for colour in (payloads.GOOD, payloads.GREY))  # white on either reads at 6:1 and more
MARK = "M2 4a2 2 0 0 1 2-2h8v6a4 4 0 0 1-4 4H2z", "M18 16a2 2 0 0 1-2 2H8v-4.1a6 6 0 0 0 5.9-5.9H18z"
TICK, DASH = "m4 8.2 2.6 2.6L12 5.4", "M4 8h8"


def flat(truth: Truth, on: date) -> str:
    """One line of 20 pixels: the program, and beside it the tier or the standing."""
    size, pad, mark = 11.0, 7.0, 16.0
    label, word = truth.program, truth.word
    split = round(pad + mark + 4 + width(label, size) + pad, 1)
    wide = round(split + pad + 15 + width(word, size, bold=True) + pad, 1)
    return _svg(
        truth, on, wide, 20,
        f'<clipPath id="r"><rect width="{wide:g}" height="20" rx="4"/></clipPath><g clip-path="url(#r)">'
        f'<rect width="{wide:g}" height="20" fill="{INK}"/>'
        f'<rect x="{split:g}" width="{wide - split:g}" height="20" fill="{_tone(truth)}"/></g>'
        f'<rect x=".5" y=".5" width="{wide - 1:g}" height="19" rx="3.5" fill="none" stroke="{EDGE}"/>'
        f"{_mark(pad, 3, 0.7)}{_text(label, pad + mark + 4, 14, size)}"
        f"{_sign(truth, split + pad - 2, 2)}{_text(word, split + pad + 15, 14, size, bold=True)}",
    )  # fmt: skip


def large(truth: Truth, on: date) -> str:
    """A card of 72 pixels: whose it is, what it is called, and how it stands on which day."""
    name = fitted(truth.integration, 15, 240, bold=True)
    who = fitted(f"by {truth.partner}", 12, 240)
    foot = f"{truth.program} program · {_day(on)}"
    words = max(width(name, 15, bold=True), width(who, 12), width(foot, 11))
    room = round(width(truth.word, 13, bold=True) + 44, 1)
    split = round(52 + words + 16, 1)
    wide = round(split + room, 1)
    return _svg(
        truth, on, wide, 72,
        f'<clipPath id="r"><rect width="{wide:g}" height="72" rx="8"/></clipPath><g clip-path="url(#r)">'
        f'<rect width="{wide:g}" height="72" fill="{INK}"/>'
        f'<rect x="{split:g}" width="{room:g}" height="72" fill="{_tone(truth)}"/></g>'
        f'<rect x=".5" y=".5" width="{wide - 1:g}" height="71" rx="7.5" fill="none" stroke="{EDGE}"/>'
        f"{_mark(16, 24, 1.2)}{_text(name, 52, 27, 15, bold=True)}{_text(who, 52, 44, 12, fill=QUIET)}"
        f"{_text(foot, 52, 60, 11, fill=QUIET)}"
        f"{_sign(truth, split + 11, 28)}{_text(truth.word, split + 30, 40.5, 13, bold=True)}",
    )  # fmt: skip


STYLES: dict[str, Callable[[Truth, date], str]] = {"flat": flat, "large": large}


def title(truth: Truth, on: date) -> str:
    """What the badge says to those who do not see it."""
    return f"{truth.sentence}, on {_day(on)}"


def xml_text(text: str) -> str:
    """Text as it may stand in XML: what XML cannot hold is left out."""
    return escape("".join(char for char in text if char >= " " and not 0xD800 <= ord(char) <= 0xDFFF))


def _svg(truth: Truth, on: date, wide: float, high: int, inside: str) -> str:
    said = xml_text(title(truth, on))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide:g}" height="{high}" viewBox="0 0 {wide:g} {high}" '
        f'role="img" aria-labelledby="t"><title id="t">{said}</title>{inside}</svg>'
    )


def _tone(truth: Truth) -> str:
    return GOOD if truth.is_good else GREY


def _text(text: str, x: float, y: float, size: float, *, bold: bool = False, fill: str = PAPER) -> str:
    """A line of text that takes exactly the room it was measured at, whatever font draws it."""
    if not text:
        return ""
    weight = ' font-weight="700"' if bold else ""
    return (
        f'<text x="{x:g}" y="{y:g}" font-family={quoteattr(FONTS)} font-size="{size:g}"{weight} fill="{fill}" '
        f'textLength="{width(text, size, bold=bold):g}" lengthAdjust="spacingAndGlyphs">{xml_text(text)}</text>'
    )


def _mark(x: float, y: float, scale: float) -> str:
    return (
        f'<g transform="translate({x:g} {y:g}) scale({scale:g})"><path fill="{PAPER}" d="{MARK[0]}"/>'
        f'<path fill="{EDGE}" d="{MARK[1]}"/></g>'
    )


def _sign(truth: Truth, x: float, y: float) -> str:
    """A tick where it is listed, a dash where it is not: nobody has to tell the colours apart."""
    return (
        f'<path transform="translate({x:g} {y:g})" d="{TICK if truth.is_good else DASH}" fill="none" '
        f'stroke="{PAPER}" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"/>'
    )


def _day(on: date) -> str:
    return f"{on.day} {MONTHS[on.month - 1]} {on.year}"
