"""Emails in light and dark at the width of a phone.

If PORTAL_SHOTS names a folder, it receives screenshots and the text of each email.
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
from portal.audit.event_types import EMAILS
from tests.journeys.emails import render_other_emails
from tests.portal.notifications.integration_events import EVENT_TYPES, record_sample_event

SHOTS = os.environ.get("PORTAL_SHOTS", "")
THEMES = ("light", "dark")
NOTE = "Two things are left, both small.\nWrite to us if anything is unclear."
FIND_LOW_CONTRAST_TEXTS = """() => [...document.querySelectorAll('h1, p, li, td, th, a, blockquote')].flatMap(node => {
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
    """A page for each theme."""
    contexts = {theme: chromium.new_context(color_scheme=theme) for theme in THEMES}  # type: ignore[arg-type]
    yield {theme: context.new_page() for theme, context in contexts.items()}
    for context in contexts.values():
        context.close()


def test_every_notice_fits_a_phone_and_is_legible_in_light_and_dark(
    rocket: Integration, alice: Any, rita: Any, sam: Any, now: datetime, pages: dict[str, Page]
) -> None:
    for event_type in EVENT_TYPES:
        email = record_sample_event(rocket, event_type, sam, now, note=NOTE)[0]
        check_email(pages, event_type, email.html, email.text)


def test_every_other_email_fits_a_phone_and_is_legible_in_light_and_dark(
    rocket: Integration, alice: Any, sam: Any, now: datetime, pages: dict[str, Page]
) -> None:
    with transaction.atomic():
        emails_by_template = render_other_emails(rocket, alice, sam, now)
    for name, email in emails_by_template.items():
        check_email(pages, name, email.html, email.text)
    folder = settings.BASE_DIR / "portal/notifications/templates/notifications/email"
    texts = {path.stem: path.read_text() for path in folder.glob("*.md")}
    parts = {
        name
        for name, own in texts.items()
        if "\n\n" not in own or any(f"email/{name}.md" in text for text in texts.values())
    }
    assert texts.keys() - parts == {*emails_by_template, *(each.template for each in EMAILS.values())}


def check_email(pages: dict[str, Page], name: str, html: str, text: str) -> None:
    """Expect no horizontal scrolling and no text of low contrast in any theme."""
    for theme, page in pages.items():
        page.set_viewport_size({"width": 320, "height": 600})
        page.set_content(html)
        assert page.evaluate("document.documentElement.scrollWidth") <= 320, name
        assert page.evaluate(FIND_LOW_CONTRAST_TEXTS) == [], (name, theme)
        if SHOTS:
            save(page, f"{name}-{theme}", text)


def save(page: Page, name: str, text: str) -> None:
    folder = Path(SHOTS) / "emails"
    folder.mkdir(parents=True, exist_ok=True)
    page.set_viewport_size({"width": 640, "height": 400})
    page.screenshot(path=folder / f"{name}.png", full_page=True)
    (folder / f"{name.rpartition('-')[0]}.txt").write_text(text)
