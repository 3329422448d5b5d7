"""Tests of the contrasts of static/css/tokens.css in light and dark mode."""

import re
from math import cos, radians, sin
from pathlib import Path

import pytest

from tests.wcag import LinearColor, compute_contrast, decode_hex

TOKENS = (Path(__file__).parents[3] / "static/css/tokens.css").read_text()
NUMBER = r"(\.?\d+(?:\.\d+)?)"
COLOR = rf"oklch\({NUMBER} {NUMBER} {NUMBER}\)"
COLORS = {  # by token: OKLCH in light mode, OKLCH in dark mode
    name: (tuple(map(float, rest[:3])), tuple(map(float, rest[3:])))
    for name, *rest in re.findall(rf"--([\w-]+): light-dark\({COLOR}, {COLOR}\);", TOKENS)
}
ALIASES = dict(re.findall(r"--([\w-]+): var\(--([\w-]+)\);", TOKENS))
TONES = ("good", "warn", "bad", "info")


def convert_token(name: str, night: bool) -> LinearColor:
    """Return the linear sRGB of a token with Björn Ottosson's matrices of OKLab."""
    lightness, chroma, hue = COLORS[ALIASES.get(name, name)][night]
    a = chroma * cos(radians(hue))
    b = chroma * sin(radians(hue))
    l_ = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    m_ = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    s_ = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    return (
        4.0767416621 * l_ - 3.3077115913 * m_ + 0.2309699292 * s_,
        -1.2684380046 * l_ + 2.6097574011 * m_ - 0.3413193965 * s_,
        -0.0041960863 * l_ - 0.7034186147 * m_ + 1.7076147010 * s_,
    )


def compute_token_contrast(one: str, other: str, night: bool) -> float:
    return compute_contrast(convert_token(one, night), convert_token(other, night))


SHEETS = ("page", "sheet", "sunk", "hover")
TEXTS = (
    [(text, sheet) for text in ("text", "muted", "accent") for sheet in SHEETS]
    + [(f"{tone}-text", sheet) for tone in TONES for sheet in ("page", "sheet", "sunk", f"{tone}-wash")]
    + [(text, f"{tone}-wash") for tone in (*TONES, "accent") for text in ("text", "muted")]
    + [("accent", "accent-wash"), ("on-accent", "accent"), ("on-accent", "accent-hover"), ("sheet", "text")]
    + [("sheet", "bad-text")]
)
CONTROLS = (
    [(line, sheet) for line in ("control-line", "accent", "accent-line") for sheet in ("page", "sheet", "sunk")]
    + [(f"{tone}-line", sheet) for tone in TONES for sheet in ("page", "sheet", f"{tone}-wash")]
    + [("accent-line", "accent-wash")]
)


def test_contrast_of_black_and_white_is_21():
    assert round(compute_contrast(decode_hex("#000000"), decode_hex("#ffffff")), 6) == 21
    assert compute_token_contrast("sheet", "sheet", night=False) == 1


@pytest.mark.parametrize("night", [False, True], ids=["day", "night"])
@pytest.mark.parametrize(("text", "sheet"), TEXTS)
def test_text_contrast_is_seven_to_one(text, sheet, night):
    assert compute_token_contrast(text, sheet, night) >= 7


@pytest.mark.parametrize("night", [False, True], ids=["day", "night"])
@pytest.mark.parametrize(("line", "sheet"), CONTROLS)
def test_control_contrast_is_three_to_one(line, sheet, night):
    assert compute_token_contrast(line, sheet, night) >= 3


@pytest.mark.parametrize("name", COLORS)
def test_color_is_in_the_srgb_gamut(name):
    for night in (False, True):
        assert all(-0.003 <= value <= 1.003 for value in convert_token(name, night)), (
            name,
            night,
            convert_token(name, night),
        )
