"""Renders every email in light, in dark, and as text, at a narrow width.

With PORTAL_SHOTS all are kept: two pictures and the text of each.
"""

import os
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import transaction
from playwright.sync_api import Browser, Page

from integrations.submissions.models import Integration
from portal.audit.catalog import EMAILS
from tests.journeys.mails import others
from tests.portal.notifications.integration_events import EVENT_TYPES, tell

SHOTS = os.environ.get("PORTAL_SHOTS", "")
THEMES = ("light", "dark")
NOTE = "Two things are left, both small.\nWrite to us if anything is unclear."
PALE = """() => [...document.querySelectorAll('h1, p, li, td, th, a, blockquote')].flatMap(node => {
  const words = [...node.childNodes].some(each => each.nodeType === 3 && each.textContent.trim());
  if (!words) return [];
  const paint = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const rgb = css => { paint.clearRect(0, 0, 1, 1); paint.fillStyle = css; paint.fillRect(0, 0, 1, 1);
                       return [...paint.getImageData(0, 0, 1, 1).data]; };
  const light = ([r, g, b]) => [r, g, b].map(c => c / 255)
    .map(c => c <= .03928 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4)
    .reduce((sum, c, n) => sum + c * [.2126, .7152, .0722][n], 0);
  let under = node, ground = rgb(getComputedStyle(node).backgroundColor);
  while (ground[3] === 0 && (under = under.parentElement)) ground = rgb(getComputedStyle(under).backgroundColor);
  const [a, b] = [light(rgb(getComputedStyle(node).color)), light(ground)].sort((x, y) => y - x);
  return (a + .05) / (b + .05) < 4.5 ? [node.textContent.trim().slice(0, 40)] : [];
})"""


@pytest.fixture
def pages(chromium: Browser) -> Any:
    """One page a theme."""
    contexts = {theme: chromium.new_context(color_scheme=theme) for theme in THEMES}  # type: ignore[arg-type]
    yield {theme: context.new_page() for theme, context in contexts.items()}
    for context in contexts.values():
        context.close()


def test_every_notice_fits_a_phone_and_is_read_in_light_and_dark(
    rocket: Integration, alice: Any, rita: Any, sam: Any, now: datetime, pages: dict[str, Page]
) -> None:
    for event_type in EVENT_TYPES:
        mail = tell(rocket, event_type, sam, now, note=NOTE)[0]
        look(pages, event_type, mail.html, mail.text)


def test_every_other_email_fits_a_phone_and_is_read_in_light_and_dark(
    rocket: Integration, alice: Any, sam: Any, now: datetime, pages: dict[str, Page]
) -> None:
    with transaction.atomic():
        emails_by_template = others(rocket, alice, sam, now)
    for name, mail in emails_by_template.items():
        look(pages, name, mail.html, mail.text)
    folder = settings.BASE_DIR / "portal/notifications/templates/notifications/email"
    templates = {path.stem for path in folder.glob("*.md") if "\n\n" in path.read_text()}  # others are parts of them
    assert templates == {*emails_by_template, *(email.template for email in EMAILS.values())}


def look(pages: dict[str, Page], name: str, html: str, text: str) -> None:
    """As narrow as a phone, in each theme: nothing is cut off or pale."""
    for theme, page in pages.items():
        page.set_viewport_size({"width": 320, "height": 600})
        page.set_content(html)
        assert page.evaluate("document.documentElement.scrollWidth") <= 320, name
        assert page.evaluate(PALE) == [], (name, theme)
        if SHOTS:
            keep(page, f"{name}-{theme}", text)


def keep(page: Page, name: str, text: str) -> None:
    folder = Path(SHOTS) / "mails"
    folder.mkdir(parents=True, exist_ok=True)
    page.set_viewport_size({"width": 640, "height": 400})
    page.screenshot(path=folder / f"{name}.png", full_page=True)
    (folder / f"{name.rpartition('-')[0]}.txt").write_text(text)
