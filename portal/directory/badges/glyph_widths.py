"""How wide is a text before anybody has drawn it? Advance widths of the Helvetica family, in 1/1000 of the size.

Arial, Liberation Sans and Nimbus Sans have the same widths. What the tables do not hold is taken as a wide letter.
"""

import unicodedata


def _table(groups: dict[int, str]) -> dict[str, int]:
    return {char: width for width, chars in groups.items() for char in chars}


REGULAR = _table(
    {
        191: "'", 222: "ijl", 260: "|", 278: " !,./:;I[\\]ft·", 333: "()-`r", 334: "{}", 355: '"', 389: "*", 469: "^",
        500: "Jckxsvyz", 556: "#$0123456789?L_abdeghnopqu–", 584: "+<=>~", 611: "FTZ", 667: "ABEKPSVXY&",
        722: "CDHNRUw", 778: "GOQ", 833: "Mm", 889: "%", 944: "W", 1000: "—…", 1015: "@",
    }
)  # fmt: skip
BOLD = _table(
    {
        238: "'", 278: " ,./I\\ijl·", 280: "|", 333: "!()-:;[]`ft", 389: "*r{}", 474: '"', 500: "z",
        556: "#$0123456789J_aceksvxy–", 584: "+<=>^~", 611: "?FLTZbdghnopqu", 667: "EPSVXY", 722: "&ABCDHKNRU",
        778: "GOQw", 833: "M", 889: "%m", 944: "W", 975: "@", 1000: "—…",
    }
)  # fmt: skip
UNKNOWN, EAST_ASIAN = 722, 1000


def width(text: str, size: float, *, bold: bool = False) -> float:
    """The width of a text in pixels at a size in pixels, to a tenth."""
    table = BOLD if bold else REGULAR
    return round(sum(_of(char, table) for char in text) * size / 1000, 1)


def fitted(text: str, size: float, room: float, *, bold: bool = False) -> str:
    """The text, or as much of it as fits into so many pixels, with an ellipsis."""
    if width(text, size, bold=bold) <= room:
        return text
    while text and width(f"{text}…", size, bold=bold) > room:
        text = text[:-1]
    return f"{text.rstrip()}…"


def _of(char: str, table: dict[str, int]) -> int:
    known = table.get(char)
    if known is None:
        known = table.get(unicodedata.normalize("NFD", char)[0])  # é is as wide as e
    if known is not None:
        return known
    if unicodedata.combining(char):
        return 0
    return EAST_ASIAN if unicodedata.east_asian_width(char) in "WF" else UNKNOWN
