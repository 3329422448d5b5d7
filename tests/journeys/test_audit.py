"""Tests that the audit of a page finds what cannot be read, although it looks at each style of text once a run."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from tests.journeys.contrast import list_text_styles
from tests.journeys.person import Person

PAGE = """<!doctype html><html lang="en"><head><title>Test</title><meta name="color-scheme" content="light dark">
<style>:root {{ background: Canvas; color: CanvasText }} @media (prefers-color-scheme: {scheme}) {{ {rule} }}</style>
</head><body><main><h1>Heading</h1><div class="card"><p>Some text</p><p>More text</p></div></main></body></html>"""
PALE = {"light": "#fedcba", "dark": "#321012"}  # on nothing else in the portal


def show(page: Page, scheme: str, rule: str = "") -> None:
    page.set_content(PAGE.format(scheme=scheme, rule=rule))


@pytest.mark.parametrize("scheme", PALE)
def test_pale_text_on_a_page_of_known_styles_is_a_violation(visit: Callable[..., Person], scheme: str) -> None:
    person = visit()
    show(person.page, scheme)
    person.audit("plain")
    person.audit("the same again")
    show(person.page, scheme, f".card p + p {{ color: {PALE[scheme]} }}")
    with pytest.raises(AssertionError, match=rf"pale \({scheme}\)[\s\S]*color-contrast"):
        person.audit("pale")


def test_background_of_an_ancestor_makes_a_new_style(visit: Callable[..., Person]) -> None:
    page = visit().page
    show(page, "light")
    known = set(list_text_styles(page))
    show(page, "light", ".card { background: #777 }")
    assert (len(known), len(set(list_text_styles(page)) - known)) == (2, 1)
