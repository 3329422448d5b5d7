"""Somebody who uses the keyboard alone."""

from playwright.sync_api import Locator

from tests.journeys.person import Person

# how the focus shows: at the element itself, or at what it lays over its whole row
RINGS = """e => {
  const own = getComputedStyle(e);
  return [own.outlineStyle, own.boxShadow, getComputedStyle(e, "::after").outlineStyle];
}"""
IS_FOCUSED = "e => e === document.activeElement"
MOST_TABS = 150


def tab_to(browser: Person, target: Locator) -> None:
    """Press Tab until it has the focus, and see that the focus shows."""
    for _ in range(MOST_TABS):
        browser.page.keyboard.press("Tab")
        if target.evaluate(IS_FOCUSED):
            assert set(target.evaluate(RINGS)) != {"none"}
            return
    raise AssertionError(f"Tab never reaches {target}")


class KeyboardPerson(Person):
    """A person without a mouse: fields, buttons, and links are reached with Tab, and used with the keys."""

    def click(self, target: Locator) -> None:
        tab_to(self, target)
        self.page.keyboard.press("Enter")

    def fill(self, field: Locator, text: str) -> None:
        tab_to(self, field)
        if field.get_attribute("type") == "date":  # a date is typed as month, day, and year
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
