"""A person at a browser. Each page that the person opens is audited."""

import os
import re
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any, ClassVar, Literal
from urllib.parse import urlsplit

from axe_playwright_python.base import AxeResults
from playwright.sync_api import ConsoleMessage, Locator, Page, expect

from tests.journeys.contrast import check_text_styles, list_text_styles

AXE = (files("axe_playwright_python") / "axe.min.js").read_text()
OPTIONS = {"resultTypes": ["violations"], "preload": False}  # none of the rules below reads style sheets
RULES = OPTIONS | {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
RULES |= {"rules": {"color-contrast": {"enabled": False}}}  # checked for each style of text, see contrast.py
CONTRAST = OPTIONS | {"runOnly": {"type": "rule", "values": ["color-contrast"]}}
CHECK_RULES = """async (options) => {
  const { violations, incomplete } = await axe.run(document, options);
  return { violations, errors: incomplete.filter((rule) => rule.error).map((rule) => rule.id) };
}"""
SCHEMES: tuple[Literal["light", "dark"], ...] = ("dark", "light")  # they differ only in the contrast
SERVER_ERROR = "the server responded with a status of 5"  # in Chromium's message about a failed request
# from htmx if a page is left during a request; after a failure, htmx:sendError or htmx:timeout follows
ABORTS = ("htmx:afterRequest,", "htmx:sendAbort,")
SHOTS = os.environ.get("PORTAL_SHOTS", "")
# also those of requirements, because programs share the requirements that have the same title
IDENTIFIER_PATTERN = re.compile(r"/[0-9a-f]{8}-[0-9a-f-]{27}|/\d+|[A-Za-z0-9_:-]{30,}|(?<=/requirements)/[A-Z0-9-]+")
NAME_PATTERN = re.compile(  # of integrations of the tests
    r"https?:\S+|\b(Rocket|Booster|Stapler|Preflight|Gauges|Example|First|Second|Skyrocket launcher)( driver| \d)*"
    r"|Old booster|Terraform stapler pool nia"
)


class Person:
    """A person's browser, in which no page may have an accessibility violation or a script error.

    A kind of page is audited once in a test run. The folder `audited` holds a file for each.
    """

    audited: ClassVar[Path]

    def __init__(self, page: Page, base_url: str, name: str, *, audits: bool = True) -> None:
        self.page = page
        self.base_url = base_url
        self.name = name
        self.audits = audits
        self.errors: list[str] = []
        self.clicks = self.loads = 0
        page.set_default_timeout(30_000)  # a busy machine must not fail a journey
        page.on("load", self._count_load)
        page.on("pageerror", lambda error: self.errors.append(f"script error on {page.url}: {error}"))
        page.on("console", self._note_console_error)

    def _count_load(self, _page: Page) -> None:
        self.loads += 1

    def _note_console_error(self, message: ConsoleMessage) -> None:
        # a screenshot adds a style, which the content security policy of the page rejects
        is_load_error = "Failed to load resource" in message.text and SERVER_ERROR not in message.text
        is_expected = is_load_error or message.text.startswith(ABORTS) or (SHOTS and "inline style" in message.text)
        if message.type == "error" and not is_expected:
            self.errors.append(f"console on {self.page.url}: {message.text} {message.location['url']}")

    def go(self, path: str) -> "Person":
        """Open a path of the portal, or a URL found in an email."""
        self.page.goto(path if path.startswith("http") else self.base_url + path)
        return self.wait_for_page()

    def wait_for_page(self) -> "Person":
        """Wait until the page is loaded, audit it if its kind is new, and fail if it had errors."""
        self.page.wait_for_load_state("load")
        expect(self.page.locator(".htmx-request")).to_have_count(0)
        if self.audits:
            self.audit_once()
        assert self.errors == [], self.errors  # pytest shows no values of asserts outside test modules
        return self

    def audit_once(self) -> None:
        """Audit the current page unless such a page was audited in this run."""
        path = IDENTIFIER_PATTERN.sub("/…", urlsplit(self.page.url).path)
        title = NAME_PATTERN.sub("…", self.page.title())
        kind = f"{path} {title}"
        if self.is_new(kind):
            self.audit(kind)

    def is_new(self, kind: str) -> bool:
        """Return whether such a page, or such a style of text, is the first in this run."""
        try:
            (self.audited / sha256(kind.encode()).hexdigest()).touch(exist_ok=False)
        except FileExistsError:
            return False
        return True

    def audit(self, kind: str) -> None:
        """Check the page for accessibility violations, and its contrast in light and dark."""
        if not self.page.evaluate("'axe' in window"):
            self.page.evaluate(AXE)
        for scheme in SCHEMES:
            self.page.emulate_media(color_scheme=scheme)
            new_styles = [each for each in list_text_styles(self.page) if self.is_new(f"{scheme} {each}")]
            if new_styles:
                results = check_text_styles(self.page, new_styles, CONTRAST)
                self.expect_no_violation(results, f"{kind} ({scheme})")
        self.expect_no_violation(self.page.evaluate(CHECK_RULES, RULES), kind)

    @staticmethod
    def expect_no_violation(results: Any, kind: str) -> None:
        # Axe reports a rule that raised an error as incomplete, not as a violation.
        assert results["errors"] == [], f"{kind}: axe could not apply {results['errors']}"
        report = AxeResults(results)
        assert report.violations_count == 0, f"{kind}: {report.generate_report()}"

    def press(self, label: str, *, within: Locator | None = None, nth: int = 0) -> "Person":
        """Press the button or follow the link with exactly this label."""
        parent = within or self.page
        exact = re.compile(rf"^\s*{re.escape(label)}\s*$", re.I)
        button = parent.get_by_role("button", name=exact).or_(parent.get_by_role("link", name=exact))
        self.click(button.nth(nth))
        self.clicks += 1
        return self.wait_for_page()

    def press_within(self, selector: str, label: str) -> "Person":
        """Press the button or follow the link inside the first element that matches the selector."""
        return self.press(label, within=self.find(selector))

    def open_dialog(self, label: str, nth: int = 0) -> "Person":
        """Open the dialog of an action such as “Remove member”."""
        self.click(self.page.locator("summary", has_text=label).nth(nth))
        return self.wait_for_page()

    def click(self, target: Locator) -> None:
        """Press a button or follow a link. `KeyboardPerson` overrides this and the next two."""
        target.click()

    def fill(self, field: Locator, text: str) -> None:
        field.fill(text)

    def select(self, field: Locator, option: str) -> None:
        field.select_option(label=option)

    def write(self, label: str, text: str, *, within: Locator | None = None) -> "Person":
        self.fill((within or self.page).get_by_label(label).first, text)
        return self

    def choose(self, label: str, option: str) -> "Person":
        """Select an option of a list, or a radio button."""
        lists = self.page.get_by_role("combobox", name=label)
        if not lists.count():
            return self.tick(option)
        self.clicks += 1
        self.select(lists.first, option)
        return self

    def tick(self, label: str) -> "Person":
        return self.check(self.page.get_by_label(label).first)

    def check(self, field: Locator) -> "Person":
        """Check a checkbox, or select a radio button."""
        self.clicks += 1
        field.check()
        return self

    def choose_first(self) -> "Person":
        """Select the first radio button of the page."""
        return self.check(self.page.get_by_role("radio").first)

    def choose_file(self, label: str, path: Path) -> "Person":
        self.clicks += 1
        self.page.get_by_label(label).first.set_input_files(path)
        return self

    def sees(self, *texts: str) -> "Person":
        """Expect each text to be visible on the page."""
        for text in texts:
            expect(self.page.get_by_text(text).locator("visible=true").first).to_be_visible()
        return self

    def does_not_see(self, *texts: str) -> "Person":
        for text in texts:
            expect(self.page.get_by_text(text)).to_have_count(0)
        return self

    def sees_value(self, label: str, text: str) -> "Person":
        """Expect the field to have exactly this value."""
        expect(self.page.get_by_label(label).first).to_have_value(text)
        return self

    def never_receives(self, *texts: str) -> "Person":
        """Expect none of the texts anywhere in the HTML of the page."""
        source = self.page.content()
        assert [text for text in texts if text in source] == []
        return self

    def read_next_action(self) -> str:
        """Return the text of the next action and its responsible party."""
        return self.page.locator(".next-action").first.inner_text()

    def read_action_label(self) -> str:
        """Return the label of the next action's button or link."""
        return self.page.locator(".next-action .button-primary").inner_text().strip()

    def has_text(self, text: str) -> bool:
        """Return whether the text is on the page now."""
        return bool(self.page.get_by_text(text).count())

    def find(self, selector: str, text: str = "") -> Locator:
        """Return the first element that matches the selector and contains this text."""
        return self.page.locator(selector, has_text=text).first

    def wait_for(self, selector: str) -> "Person":
        """Wait for an element that matches the selector."""
        self.page.locator(selector).first.wait_for()
        return self

    def download(self, label: str) -> str:
        """Return the text of the file behind a link."""
        with self.page.expect_download() as file:
            self.page.get_by_text(label).click()
        return file.value.path().read_text()

    def shot(self, name: str) -> "Person":
        """Take screenshots of the page in light and dark if PORTAL_SHOTS names a folder."""
        if SHOTS:
            Path(SHOTS).mkdir(parents=True, exist_ok=True)
            self.page.evaluate("scrollTo(0, 0)")
            for scheme in ("dark", "light"):
                self.page.emulate_media(color_scheme=scheme)
                self.page.screenshot(path=f"{SHOTS}/{name}-{scheme}.png", full_page=True)
        return self
