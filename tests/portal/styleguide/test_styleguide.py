"""Tests that the style guide shows every component and the values of the tokens."""

import re
from pathlib import Path

import pytest
from bs4 import BeautifulSoup, Tag
from django.test import Client

from portal.styleguide.catalog import CATALOG, ColorPair, rename_ids
from portal.ui.components.inline import OUTCOMES
from portal.ui.components.markup import TONES
from portal.ui.templatetags.components import register
from tests.portal.styleguide import test_colors

pytestmark = pytest.mark.any_database

PORTAL = Path(__file__).parents[3] / "portal"
PARTS = PORTAL / "styleguide" / "templates" / "styleguide" / "parts"
INCLUDE_PATTERN = re.compile(r'include "([^"]+)"')
PACKAGES = ("directory", "analytics", "directory/badges")
# in the browser tab, in search results, for scripts
DOCUMENT_TEMPLATES = {"page_title", "page_description", "script_messages"}
FRAME_TEMPLATES = {"document_links", "frame_top", "product_mark", "theme_form"}  # around the style guide itself
APP_TEMPLATES = {
    template.stem
    for template in PORTAL.parent.glob("*/*/jinja2/*/components/*.html")
    if not template.is_relative_to(PORTAL / "ui")
}
NOT_SHOWN = DOCUMENT_TEMPLATES | FRAME_TEMPLATES | APP_TEMPLATES | {"include_jinja"}
# templates that are not components, and why
SEPARATE_TEMPLATES = {
    "directory/_top.html": "the frame of public pages",
    "directory/_foot.html": "the frame of public pages",
    "directory/badges/_on_listing.html": "a panel with the picture of a real listing: the badge is shown drawn",
}
CHARTS = {"columns": "guide-weeks", "target": "guide-target", "spread": "spread-review", "stacked": "guide-shares"}
SOURCES = {page.stem: page.read_text() for page in PARTS.glob("*.html")}


@pytest.fixture
def guide(client: Client, db: None) -> BeautifulSoup:
    return BeautifulSoup(client.get("/styleguide/").content, "html.parser")


@pytest.mark.parametrize("tag", sorted(set(register.tags) - NOT_SHOWN))
def test_every_component_is_shown(tag: str) -> None:
    assert [key for key, source in SOURCES.items() if f"{{% {tag} " in source or f"{{% {tag}%}}" in source] != []


def test_every_partial_template_of_the_apps_is_shown() -> None:
    small = {f"{package}/{page.name}" for package in PACKAGES for page in PORTAL.glob(f"*/templates/{package}/_*.html")}
    included_templates = {name for source in SOURCES.values() for name in INCLUDE_PATTERN.findall(source)}
    included_templates |= {
        name
        for each in small & included_templates
        for name in re.findall(r'include "([^"]+)"', (PORTAL / each.partition("/")[0] / "templates" / each).read_text())
    }
    assert small - included_templates == set(SEPARATE_TEMPLATES)


def test_every_kind_of_chart_is_shown_in_light_and_dark(guide: BeautifulSoup) -> None:
    for kind, name in CHARTS.items():
        assert f"charts.{kind}" in SOURCES["charts"]
        assert len(guide.select(f"#charts #{name}-t, #charts #dark-{name}-t")) == 2, kind
    ids = [str(each["id"]) for each in guide.select("[id]")]
    assert sorted({each for each in ids if ids.count(each) > 1}) == []
    assert [each for each in re.findall(r"url\(#([^)]+)\)", str(guide)) if each not in ids] == []


def test_every_template_of_a_part_is_shown_once() -> None:
    assert sorted(part.key for parts in CATALOG.groups.values() for part in parts) == sorted(SOURCES)


def test_each_part_appears_in_light_and_in_dark(guide: BeautifulSoup) -> None:
    for key in SOURCES:
        part = guide.find(id=key)
        assert isinstance(part, Tag)
        sides = part.select(".guide-side")
        assert [side["data-theme"] for side in sides] == ["light", "dark"]
        assert sides[0].get_text(" ", strip=True) == sides[1].get_text(" ", strip=True) != ""
        assert [side.has_attr("inert") for side in sides] == [False, True]
        element = part.select_one("pre[aria-label^='Template source']")
        assert element is not None
        assert element.get_text() == SOURCES[key].strip()


def test_parameters_of_the_components_of_a_part_are_documented(guide: BeautifulSoup) -> None:
    rows = [" ".join(row.get_text(" ").split()) for row in guide.select("#panels > details .fact")]
    expected = {
        'panel heading="", aside="", actions="", id="", flush=False '
        "Render a bordered section with an optional heading, note, and actions. `flush` removes the padding.",
        'fact name Render a name and its value. An empty value is shown as "Not available".',
        "facts Render the list around facts.",
    }
    assert expected & set(rows) == expected


def test_every_tone_and_outcome_is_shown(guide: BeautifulSoup) -> None:
    badges = guide.find(id="badges")
    assert isinstance(badges, Tag)
    text = badges.get_text(" ")
    assert [tone for tone in TONES if tone.title() not in text] == []
    assert [label for _, _, label in OUTCOMES.values() if label not in text] == []


def test_dark_copy_has_unique_ids_and_refers_to_them() -> None:
    markup = '<i id="a" aria-labelledby="a b" data-id="a"><label\nfor="c"></label></i>'
    assert rename_ids(markup) == (
        '<i id="dark-a" aria-labelledby="dark-a dark-b" data-id="a"><label\nfor="dark-c"></label></i>'
    )


@pytest.mark.parametrize("swatch", CATALOG.colors, ids=lambda swatch: swatch.name)
def test_shown_contrasts_equal_those_of_the_tokens(swatch: ColorPair) -> None:
    for contrast, night in ((swatch.light, False), (swatch.dark, True)):
        assert round(contrast, 6) == round(
            test_colors.compute_token_contrast(swatch.color, swatch.background, night), 6
        )
    assert min(swatch.light, swatch.dark) >= swatch.min_contrast
