"""Somebody at a browser: what a person sees and does, with every page audited on the way."""

import os
import re
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any, ClassVar, Literal
from urllib.parse import urlsplit

from axe_playwright_python.base import AxeResults
from playwright.sync_api import Locator, Page, expect

from tests.journeys.contrast import check_text_styles, list_text_styles

AXE = (files("axe_playwright_python") / "axe.min.js").read_text()
BRIEF = {"resultTypes": ["violations"], "preload": False}  # none of the rules below reads style sheets
RULES = BRIEF | {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
RULES |= {"rules": {"color-contrast": {"enabled": False}}}  # of each style of text, see below
CONTRAST = BRIEF | {"runOnly": {"type": "rule", "values": ["color-contrast"]}}
SCHEMES: tuple[Literal["light", "dark"], ...] = ("dark", "light")  # what another one can change is the contrast
SHOTS = os.environ.get("PORTAL_SHOTS", "")
IDENTIFIER_PATTERN = re.compile(r"/[0-9a-f]{8}-[0-9a-f-]{27}|/\d+|[A-Za-z0-9_:-]{30,}")


class Person:
    """One person's browser. Each page that appears must have no accessibility violation and no script error.

    A kind of page that was audited for anybody in this run is not audited again: `audited` holds a file for each.
    """

    audited: ClassVar[Path]

    def __init__(self, page: Page, base: str, name: str, *, audits: bool = True) -> None:
        self.page, self.base, self.name, self.audits = page, base, name, audits
        self.troubles: list[str] = []
        self.clicks = self.loads = 0
        page.set_default_timeout(8_000)
        page.on("load", self._count_load)
        page.on("pageerror", lambda error: self.troubles.append(f"script error on {page.url}: {error}"))
        page.on(
            "console", lambda m: self.troubles.append(f"console on {page.url}: {m.text}") if self._matters(m) else None
        )
        page.on("response", lambda r: self.troubles.append(f"{r.status} {r.url}") if r.status >= 500 else None)

    def _count_load(self, _page: Page) -> None:
        self.loads += 1

    @staticmethod
    def _matters(message: Any) -> bool:
        # a screenshot adds a style of its own, which the policy of the page refuses
        is_expected = "Failed to load resource" in message.text or (SHOTS and "inline style" in message.text)
        return message.type == "error" and not is_expected

    # -- going about ---------------------------------------------------------------------------------------

    def go(self, path: str) -> "Person":
        """Open an address of the portal, or one found in a mail."""
        self.page.goto(path if path.startswith("http") else self.base + path)
        return self.arrived()

    def arrived(self) -> "Person":
        """Look at the page that is there now: audit it once a kind of page, and note troubles."""
        self.page.wait_for_load_state("load")
        expect(self.page.locator(".htmx-request")).to_have_count(0)
        if self.audits:
            self.audit_once()
        assert self.troubles == [], self.troubles  # a helper module: pytest shows no values by itself
        return self

    def audit_once(self) -> None:
        """Audit the page that is there now, unless somebody was on such a page in this run."""
        kind = f"{IDENTIFIER_PATTERN.sub('/…', urlsplit(self.page.url).path)} {self.page.title()}"
        if self.is_new(kind):
            self.audit(kind)

    def is_new(self, kind: str) -> bool:
        """Whether this process is the first of the run to see such a page, or such a style of text."""
        try:
            (self.audited / sha256(kind.encode()).hexdigest()).touch(exist_ok=False)
        except FileExistsError:
            return False
        return True

    def audit(self, kind: str) -> None:
        """No accessibility violation, and enough contrast in light and in dark."""
        if not self.page.evaluate("'axe' in window"):
            self.page.evaluate(AXE)
        for scheme in SCHEMES:
            self.page.emulate_media(color_scheme=scheme)
            new_styles = [each for each in list_text_styles(self.page) if self.is_new(f"{scheme} {each}")]
            if new_styles:
                results = check_text_styles(self.page, new_styles, CONTRAST)
                self.expect_no_violation(results, f"{kind} ({scheme})")
        self.expect_no_violation(self.page.evaluate("options => axe.run(document, options)", RULES), kind)

    @staticmethod
    def expect_no_violation(results: Any, kind: str) -> None:
        report = AxeResults(results)
        assert report.violations_count == 0, f"{kind}: {report.generate_report()}"

    def press(self, words: str, *, within: Locator | None = None, nth: int = 0) -> "Person":
        """Press the button or follow the link of exactly these words."""
        place = within or self.page
        exact = re.compile(rf"^\s*{re.escape(words)}\s*$", re.I)
        button = place.get_by_role("button", name=exact).or_(place.get_by_role("link", name=exact))
        self.click(button.nth(nth))
        self.clicks += 1
        return self.arrived()

    def click(self, target: Locator) -> None:
        """Press a button or follow a link. `KeyboardPerson` does it with the keyboard, as the next two."""
        target.click()

    def fill(self, field: Locator, text: str) -> None:
        field.fill(text)

    def select(self, field: Locator, option: str) -> None:
        field.select_option(label=option)

    def write(self, label: str, text: str, *, within: Locator | None = None) -> "Person":
        """Type into the field of this label."""
        self.fill((within or self.page).get_by_label(label).first, text)
        return self

    def choose(self, label: str, option: str) -> "Person":
        """Choose from a list, or a radio button."""
        lists = self.page.get_by_role("combobox", name=label)
        if not lists.count():
            return self.tick(option)
        self.clicks += 1
        self.select(lists.first, option)
        return self

    def tick(self, label: str) -> "Person":
        return self.check(self.page.get_by_label(label).first)

    def check(self, field: Locator) -> "Person":
        """Check a box, or choose a radio button."""
        self.clicks += 1
        field.check()
        return self

    def choose_first(self) -> "Person":
        """Choose the first radio button of the page."""
        return self.check(self.page.get_by_role("radio").first)

    def hand_in(self, label: str, path: Path) -> "Person":
        """Choose a file."""
        self.clicks += 1
        self.page.get_by_label(label).first.set_input_files(path)
        return self

    # -- seeing --------------------------------------------------------------------------------------------

    def sees(self, *texts: str) -> "Person":
        """Each text is on the page, visibly."""
        for text in texts:
            expect(self.page.get_by_text(text).locator("visible=true").first).to_be_visible()
        return self

    def sees_not(self, *texts: str) -> "Person":
        for text in texts:
            expect(self.page.get_by_text(text)).to_have_count(0)
        return self

    def holds(self, label: str, text: str) -> "Person":
        """The field of this label holds exactly this text."""
        expect(self.page.get_by_label(label).first).to_have_value(text)
        return self

    def never_reads(self, *texts: str) -> "Person":
        """None of the texts is anywhere in the page, its markup included."""
        source = self.page.content()
        assert [text for text in texts if text in source] == []
        return self

    def turn(self) -> str:
        """The one sentence on top."""
        return self.page.locator(".turn").first.inner_text()

    def action(self) -> str:
        """The words of its button or link."""
        return self.page.locator(".turn .button-primary").inner_text().strip()

    def shows(self, text: str) -> bool:
        """Whether the text is on the page now."""
        return bool(self.page.get_by_text(text).count())

    def item(self, selector: str, words: str = "") -> Locator:
        """The first part of the page that matches the selector and contains these words."""
        return self.page.locator(selector, has_text=words).first

    def waits_for(self, selector: str) -> "Person":
        """Such a part appears."""
        self.page.locator(selector).first.wait_for()
        return self

    def download(self, words: str) -> str:
        """The text of the file behind a link."""
        with self.page.expect_download() as file:
            self.page.get_by_text(words).click()
        return file.value.path().read_text()

    def shot(self, name: str) -> "Person":
        """Keep a picture of the page in light and in dark, where pictures are asked for."""
        if SHOTS:
            Path(SHOTS).mkdir(parents=True, exist_ok=True)
            self.page.evaluate("scrollTo(0, 0)")
            for scheme in ("dark", "light"):
                self.page.emulate_media(color_scheme=scheme)
                self.page.screenshot(path=f"{SHOTS}/{name}-{scheme}.png", full_page=True)
        return self
