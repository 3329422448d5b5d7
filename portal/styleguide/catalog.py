"""Components of the style guide, from data/catalog.yaml, with one template each in templates/styleguide/parts/."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from django.http import HttpRequest
from django.template.loader import get_template
from django.utils.safestring import SafeString

from portal.core.content_files import Content, load_content
from portal.styleguide.colors import ColorPair

# attributes with IDs, which must differ in the second copy of a component
ID_ATTRIBUTE_PATTERN = re.compile(r'(?<=\s)(id|for|aria-labelledby|aria-describedby|aria-controls)="([^"]+)"')
PAINT_PATTERN = re.compile(r"url\(#")


@dataclass(frozen=True, slots=True)
class StyleguidePart(Content):
    """Component of the style guide. The two copies of a wide component are stacked."""

    key: str
    name: str
    about: str
    is_wide: bool = False


@dataclass(frozen=True, slots=True)
class Catalog(Content):
    """Content of catalog.yaml, with the components of each group by its name."""

    groups: dict[str, tuple[StyleguidePart, ...]]
    colors: tuple[ColorPair, ...]
    ramp: tuple[str, ...]
    sizes: tuple[int, ...]
    spaces: tuple[int, ...]


CATALOG = load_content("portal/styleguide/data/catalog.yaml", Catalog)


def render_part(part: StyleguidePart, context: Mapping[str, object], request: HttpRequest) -> dict[str, object]:
    """Render a component for the light and dark themes with unique IDs, and return it with its source."""
    key = part.key
    template = get_template(f"styleguide/parts/{key}.html")
    html = template.render(dict(context), request)
    source: str = template.template.source  # type: ignore[attr-defined]
    return {"part": part, "light": SafeString(html), "dark": SafeString(rename_ids(html)), "source": source.strip()}


def rename_ids(html: str) -> str:
    """Return the HTML with renamed IDs and references."""
    renamed_html = ID_ATTRIBUTE_PATTERN.sub(
        lambda match: f'{match[1]}="{" ".join(f"dark-{name}" for name in match[2].split())}"', html
    )
    return PAINT_PATTERN.sub("url(#dark-", renamed_html)
