"""A person who uses only the keyboard."""

from playwright.sync_api import Locator

from tests.journeys.person import Person

# the focus ring is on the element itself, or on the pseudo-element with which it covers its row
FOCUS_RINGS = """e => {
  const own = getComputedStyle(e);
  return [own.outlineStyle, own.boxShadow, getComputedStyle(e, "::after").outlineStyle];
}"""
IS_FOCUSED = "e => e === document.activeElement"
MAX_TABS = 150


def tab_to(browser: Person, target: Locator) -> None:
    """Press Tab until the target has the focus, and check that the focus is visible."""
    for _ in range(MAX_TABS):
        browser.page.keyboard.press("Tab")
        if target.evaluate(IS_FOCUSED):
            assert set(target.evaluate(FOCUS_RINGS)) != {"none"}
            return
    raise AssertionError(f"Tab never reaches {target}")


class KeyboardPerson(Person):
    """A person without a mouse, who reaches fields, buttons, and links with Tab."""

    def click(self, target: Locator) -> None:
        tab_to(self, target)
        target.press("Enter")  # unlike the press of a key on the page, this waits for the page that it opens

    def fill(self, field: Locator, text: str) -> None:
        tab_to(self, field)
        if field.get_attribute("type") == "date":  # Chromium expects month, day, and year
            year, month, day = text.split("-")
            text = month + day + year
        self.page.keyboard.type(text)

    def check(self, field: Locator) -> "Person":
        self.clicks += 1
        tab_to(self, field)
        self.page.keyboard.press("Space")
        return self

    def select(self, field: Locator, option: str) -> None:
        tab_to(self, field)
        self.page.keyboard.type(option)
