"""Take the screenshots of docs/screens: `bin/screens [--only NAME] [URL]`. The portal at the URL has the demo world."""

import argparse
from io import BytesIO
from pathlib import Path
from typing import Literal, NotRequired, TypeAlias, TypedDict

import yaml
from PIL import Image
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, sync_playwright

from portal.demo.content import PASSWORD
from tests.chromium import CHROMIUM, FLAGS

PAGES = Path(__file__).with_name("pages.yaml")
TARGET = Path(__file__).parents[2] / "docs" / "screens"


class View(TypedDict):
    """Options of the browser's context."""

    color_scheme: Literal["light", "dark"]
    viewport: ViewportSize
    is_mobile: NotRequired[bool]


VIEWS: dict[str, View] = {
    "light": {"color_scheme": "light", "viewport": {"width": 1280, "height": 900}},
    "dark": {"color_scheme": "dark", "viewport": {"width": 1280, "height": 900}},
    "phone": {"color_scheme": "light", "viewport": {"width": 390, "height": 844}, "is_mobile": True},
}
Steps: TypeAlias = str | list[str]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url", nargs="?", default="http://127.0.0.1:8000")
    parser.add_argument("--only", default="", help="Only the pages whose name begins with this.")
    options = parser.parse_args()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        for group in yaml.safe_load(PAGES.read_text()):
            pages = {name: steps for name, steps in group["pages"].items() if name.startswith(options.only)}
            if pages:
                take_group(browser, options.url, group.get("person", ""), pages)


def take_group(browser: Browser, url: str, person: str, pages: dict[str, Steps]) -> None:
    """Take all pages of a person in each view."""
    state = None
    for view, settings in VIEWS.items():
        context = browser.new_context(base_url=url, storage_state=state, **settings)
        if person and state is None:
            sign_in(context, person)
            state = context.storage_state()
        for name, steps in pages.items():
            page = context.new_page()
            follow(page, steps)
            store(page.screenshot(full_page=True), TARGET / f"{name}-{view}.png")
            page.close()
            print(f"{name}-{view}.png", flush=True)
        context.close()


def store(screenshot: bytes, path: Path) -> None:
    """Store a screenshot with up to 128 colors, which takes a third of the space."""
    Image.open(BytesIO(screenshot)).convert("RGB").quantize(128).save(path, optimize=True)


def sign_in(context: BrowserContext, person: str) -> None:
    page = context.new_page()
    page.goto("/accounts/login/")
    page.get_by_label("Email").fill(person)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.locator("main form").first.get_by_role("button").first.click()
    page.wait_for_url(lambda address: "/login" not in address)
    page.close()


def follow(page: Page, steps: Steps) -> None:
    """Open the address, then the links with these names."""
    address, *links = [steps] if isinstance(steps, str) else steps
    page.goto(address)
    for link in links:
        page.get_by_role("main").get_by_role("link", name=link, exact=True).first.click()
        page.wait_for_load_state("load")
    page.wait_for_load_state("networkidle")


if __name__ == "__main__":
    main()
