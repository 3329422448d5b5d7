"""Contrast of the texts of a page. Axe checks each combination of text and background styles once in a test run.

Axe searches for the background of every text, which takes most of the time of an audit, although most pages of the
portal show their texts in the same styles.
"""

from typing import Any

from playwright.sync_api import Page

# A combination is the style of a text, whether axe exempts it, and each ancestor that paints behind it. A positioned
# element can cover anything, so its name is included. The page keeps the elements of each combination.
LIST_TEXT_STYLES = """() => {
  const backgrounds = new Map([[null, ""]]);
  const describeBackground = (element) => {
    if (!backgrounds.has(element)) {
      const style = getComputedStyle(element);
      const paint = [style.backgroundColor, style.backgroundImage, style.opacity, style.filter, style.mixBlendMode];
      const isPlaced = !["static", "relative"].includes(style.position) || style.zIndex !== "auto";
      const name = isPlaced ? `${style.position} ${element.tagName}.${element.className}` : "";
      const isPlain = paint.join() === "rgba(0, 0, 0, 0),none,1,none,normal" && !isPlaced;
      const behind = describeBackground(element.parentElement);
      backgrounds.set(element, isPlain ? behind : `${behind} > ${paint} ${name}`);
    }
    return backgrounds.get(element);
  };
  window.elementsByStyle = new Map();
  const add = (element, text) => {
    if (!element.checkVisibility({ visibilityProperty: true })) return;
    const style = getComputedStyle(element);
    const font = [style.color, style.fontSize, style.fontWeight, style.textShadow, style.webkitTextStroke];
    const control = element.closest("label")?.control;
    const isExempt = element.closest(":disabled, [aria-disabled=true], [inert]") || control?.disabled;
    const behind = ["::before", "::after"].map((part) => getComputedStyle(element, part).backgroundColor);
    const key = [...font, ...behind, Boolean(isExempt), text.length < 2, describeBackground(element)].join();
    window.elementsByStyle.set(key, [...(window.elementsByStyle.get(key) ?? []), element]);
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode.data.trim();
    if (text) add(texts.currentNode.parentElement, text);
  }
  for (const field of document.querySelectorAll("input, select, textarea")) add(field, field.value);
  return [...window.elementsByStyle.keys()];
}"""
# Returns violations and failed rules only: sending all results to Python takes a seventh of the time of an audit.
CHECK_TEXT_STYLES = """async ([styles, options]) => {
  const include = styles.flatMap((style) => window.elementsByStyle.get(style));
  const { violations, incomplete } = await axe.run({ include }, options);
  return { violations, errors: incomplete.filter((rule) => rule.error).map((rule) => rule.id) };
}"""


def list_text_styles(page: Page) -> list[str]:
    """Return the distinct combinations of text and background styles of the current page."""
    styles: list[str] = page.evaluate(LIST_TEXT_STYLES)
    return styles


def check_text_styles(page: Page, styles: list[str], options: dict[str, Any]) -> Any:
    """Let axe check the texts of these styles. The page must not have changed since they were listed."""
    return page.evaluate(CHECK_TEXT_STYLES, [styles, options])
