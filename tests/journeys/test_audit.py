"""Tests of the audit of a page, which checks each style of text once in a test run."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from tests.journeys.contrast import list_text_styles
from tests.journeys.person import Person

PAGE = """<!doctype html><html lang="en"><head><title>Test</title><meta name="color-scheme" content="light dark">
<style>:root {{ background: Canvas; color: CanvasText }} @media (prefers-color-scheme: {scheme}) {{ {rule} }}</style>
</head><body><main><h1>Heading</h1><div class="card"><p>Some text</p><p>More text</p></div></main></body></html>"""
LOW_CONTRAST_COLORS = {"light": "#fedcba", "dark": "#321012"}  # colors that the portal does not use


def show_test_page(page: Page, scheme: str, rule: str = "") -> None:
    page.set_content(PAGE.format(scheme=scheme, rule=rule))


@pytest.mark.parametrize("scheme", LOW_CONTRAST_COLORS)
def test_low_contrast_text_on_a_page_of_audited_styles_is_a_violation(
    visit: Callable[..., Person], scheme: str
) -> None:
    person = visit()
    show_test_page(person.page, scheme)
    person.audit("plain")
    person.audit("the same again")
    show_test_page(person.page, scheme, f".card p + p {{ color: {LOW_CONTRAST_COLORS[scheme]} }}")
    with pytest.raises(AssertionError, match=rf"pale \({scheme}\)[\s\S]*color-contrast"):
        person.audit("pale")


def test_text_with_another_background_of_an_ancestor_has_a_new_style(visit: Callable[..., Person]) -> None:
    page = visit().page
    show_test_page(page, "light")
    known_styles = set(list_text_styles(page))
    show_test_page(page, "light", ".card { background: #777 }")
    assert (len(known_styles), len(set(list_text_styles(page)) - known_styles)) == (2, 1)
