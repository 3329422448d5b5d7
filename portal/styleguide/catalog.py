"""Components and colors of the style guide, from data/catalog.yaml.

Each component has a template in templates/styleguide/parts/. static/css/tokens.css has the colors.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from inspect import Parameter, getdoc, signature
from math import cos, radians, sin

from django.conf import settings
from django.http import HttpRequest
from django.template.loader import get_template
from django.utils.safestring import SafeString

from portal.core.content_files import Content, load_content
from portal.ui.templatetags.components import register

# attributes with IDs, which must differ in the second copy of a component
ID_ATTRIBUTE_PATTERN = re.compile(r'(?<=\s)(id|for|aria-labelledby|aria-describedby|aria-controls)="([^"]+)"')
TAG_PATTERN = re.compile(r"{% (\w+)")
IMPLICIT_PARAMETERS = ("content", "context")  # the content of a block tag, and the values of the page
PAINT_PATTERN = re.compile(r"url\(#")
NUMBER_PATTERN = r"(\.?\d+(?:\.\d+)?)"
COLOR_PATTERN = rf"oklch\({NUMBER_PATTERN} {NUMBER_PATTERN} {NUMBER_PATTERN}\)"
PAIR_PATTERN = re.compile(rf"--([\w-]+): light-dark\({COLOR_PATTERN}, {COLOR_PATTERN}\);")
ALIAS_PATTERN = re.compile(r"--([\w-]+): var\(--([\w-]+)\);")
Oklch = tuple[float, float, float]


@lru_cache(maxsize=1)
def load_tokens() -> tuple[dict[str, tuple[Oklch, Oklch]], dict[str, str]]:
    """Return the colors as (light, dark), and the aliases."""
    text = (settings.BASE_DIR / "static" / "css" / "tokens.css").read_text()
    colors = {}
    for name, *rest in PAIR_PATTERN.findall(text):
        one, two, three, four, five, six = map(float, rest)
        colors[name] = ((one, two, three), (four, five, six))
    return colors, dict(ALIAS_PATTERN.findall(text))


def calculate_luminance(color: Oklch) -> float:
    """Return the relative luminance of an OKLCH color, with Björn Ottosson's matrices."""
    lightness, chroma, hue = color
    a = chroma * cos(radians(hue))
    b = chroma * sin(radians(hue))
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    red = 4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short
    green = -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short
    blue = -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short
    channels = [min(1.0, max(0.0, value)) for value in (red, green, blue)]
    return 0.2126 * channels[0] + 0.7152 * channels[1] + 0.0722 * channels[2]


def calculate_contrast(one: str, other: str, *, dark: bool) -> float:
    """Return the contrast ratio of two tokens, from 1 to 21."""
    colors, aliases = load_tokens()
    both = [calculate_luminance(colors[aliases.get(name, name)][dark]) for name in (one, other)]
    return (max(both) + 0.05) / (min(both) + 0.05)


class ColorPair(Content):
    """Color on its background with the minimum contrast, and the contrast in both themes."""

    name: str
    color: str
    background: str
    min_contrast: float

    @property
    def light(self) -> float:
        return calculate_contrast(self.color, self.background, dark=False)

    @property
    def dark(self) -> float:
        return calculate_contrast(self.color, self.background, dark=True)


class StyleguidePart(Content):
    """Component of the style guide. The two copies of a wide component are stacked."""

    key: str
    name: str
    about: str
    is_wide: bool = False


class Catalog(Content):
    """Content of catalog.yaml, with the components of each group by its name."""

    groups: dict[str, tuple[StyleguidePart, ...]]
    colors: tuple[ColorPair, ...]
    ramp: tuple[str, ...]
    sizes: tuple[int, ...]
    spaces: tuple[int, ...]


CATALOG = load_content("portal/styleguide/data/catalog.yaml", Catalog)


@dataclass(frozen=True, slots=True)
class ComponentDescription:
    """Template tag with its parameters as they are written in a template, and what it does."""

    tag: str
    parameters: tuple[str, ...]
    about: str

    @classmethod
    def build(cls, tag: str, function: Callable[..., object]) -> "ComponentDescription":
        """Return the description of a tag from the function that it was made of."""
        parameters = [each for name, each in signature(function).parameters.items() if name not in IMPLICIT_PARAMETERS]
        texts = tuple(str(each.replace(annotation=Parameter.empty)).replace("'", '"') for each in parameters)
        return cls(tag, texts, getdoc(function) or "")


def list_components(source: str) -> list[ComponentDescription]:
    """Return the components that a template uses, each once."""
    tags = dict.fromkeys(TAG_PATTERN.findall(source))
    return [ComponentDescription.build(tag, register.tags[tag]) for tag in tags if tag in register.tags]


def render_part(part: StyleguidePart, context: Mapping[str, object], request: HttpRequest) -> dict[str, object]:
    """Render a component for both themes with unique IDs, and return it with its source and its parameters."""
    key = part.key
    template = get_template(f"styleguide/parts/{key}.html")
    html = template.render(dict(context), request)
    source: str = template.template.source  # type: ignore[attr-defined]
    return {
        "part": part,
        "light": SafeString(html),
        "dark": SafeString(rename_ids(html)),
        "source": source.strip(),
        "components": list_components(source),
    }


def rename_ids(html: str) -> str:
    """Return the HTML with renamed IDs and references."""
    renamed_html = ID_ATTRIBUTE_PATTERN.sub(
        lambda match: f'{match[1]}="{" ".join(f"dark-{name}" for name in match[2].split())}"', html
    )
    return PAINT_PATTERN.sub("url(#dark-", renamed_html)
