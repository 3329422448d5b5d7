"""Which components are shown, in which order? One file a part in portal/styleguide/templates/styleguide/parts/."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.template.loader import get_template
from django.utils.safestring import SafeString

# what must be another name in the second copy of a part, so that no id stands twice
ID_ATTRIBUTE_PATTERN = re.compile(r'(?<= )(id|for|aria-labelledby|aria-describedby|aria-controls)="([^"]+)"')
PAINT_PATTERN = re.compile(r"url\(#")


@dataclass(frozen=True, slots=True)
class StyleguidePart:
    """A part: its file, its name, and what it is for. `wide`: its two copies stand one above the other."""

    key: str
    name: str
    about: str
    wide: bool = False


@dataclass(frozen=True, slots=True)
class RenderedPart:
    """A part as the page shows it: in light, in dark, and as one writes it."""

    part: StyleguidePart
    light: SafeString
    dark: SafeString
    source: str


GROUPS: tuple[tuple[str, tuple[StyleguidePart, ...]], ...] = (
    (
        "Small parts",
        (
            StyleguidePart(
                "buttons", "Buttons", "One primary a page: what the reader can do next. What is not possible says why."
            ),
            StyleguidePart("words", "Words in a line", "A word always has its icon: color never speaks alone."),
            StyleguidePart(
                "glossary", "Words that are explained", "Dotted; the meaning on hover, the glossary behind it."
            ),
            StyleguidePart(
                "moments", "Moments", "In the reader’s zone; the exact moment on hover and for screen readers."
            ),
            StyleguidePart("people", "People", "A name and how to write to it; the portal is somebody too."),
            StyleguidePart("codes", "Codes and files", "What is copied can be copied with one press."),
            StyleguidePart("meters", "Used time", "Counted, paused, left and over, with its figure beside it."),
        ),
    ),
    (
        "Finding the way",
        (
            StyleguidePart("crumbs", "Crumbs", "Where this page is."),
            StyleguidePart("path", "Path", "The program’s own steps; done, now, to come.", wide=True),
            StyleguidePart("tabs", "Tabs and pages", "The address keeps the choice."),
        ),
    ),
    (
        "Holding things together",
        (
            StyleguidePart("turn", "Turn", "Whose move it is in one sentence, with the one button.", wide=True),
            StyleguidePart("panels", "Panels and facts", "Bordered, never shaded. A fact that is not known says so."),
            StyleguidePart("cards", "Cards", "One of several equals; the whole card is its link."),
            StyleguidePart("tables", "Tables", "One line on a wide screen, two on a phone.", wide=True),
            StyleguidePart("queue", "Rows of the queue", "Drawn as one string, fifty at a time.", wide=True),
            StyleguidePart("timeline", "Timeline", "Who did what and when; what only reviewers see is marked."),
        ),
    ),
    (
        "Work",
        (
            StyleguidePart("requirements", "What is left", "State, title, why it matters, and the fix at its right."),
            StyleguidePart("checks", "Checks", "Verdict in one sentence, evidence folded under it."),
            StyleguidePart(
                "decisions",
                "Decisions and mails",
                "The exact mail that will go, to whom, and how long it can be undone.",
            ),
        ),
    ),
    (
        "States of a page",
        (
            StyleguidePart("banners", "Banners", "Done, attention, not done, note. An outage is ours."),
            StyleguidePart("empty", "Empty", "What will be here, and how to make it so."),
            StyleguidePart("loading", "Loading", "The layout stays; a button that was pressed says so."),
            StyleguidePart("errors", "Errors", "What happened, that nothing is lost, and what to do next."),
        ),
    ),
    (
        "Listings",
        (
            StyleguidePart(
                "directory", "Directory", "Filters beside rows; a letter where a logo is not given.", wide=True
            ),
            StyleguidePart("listing", "Standing and tier", "Each standing in its word; what the publisher replied."),
            StyleguidePart("tasks", "Run task card", "A partner, its two lines, its run tasks."),
            StyleguidePart(
                "badge", "Badge", "Drawn by us, the same on light and on dark; grey when not listed.", wide=True
            ),
        ),
    ),
    (
        "Figures",
        (
            StyleguidePart("charts", "Charts", "Small multiples; late is hatched; the same as a table.", wide=True),
            StyleguidePart("clock", "Clock of an issue", "What counted, what did not, and why this date.", wide=True),
            StyleguidePart("forecast", "Forecast", "What the past says of the wait; never a promise."),
            StyleguidePart("views", "Saved views", "A question that is asked again, and its answer as a file."),
            StyleguidePart("status", "Status line", "How one thing is, in a word and a sentence.", wide=True),
        ),
    ),
    (
        "Forms",
        (StyleguidePart("form", "A form", "Label above, hint below, the error in its place with the fix.", wide=True),),
    ),
)


def render_part(part: StyleguidePart, context: Mapping[str, Any], request: HttpRequest) -> RenderedPart:
    """A part drawn twice, each id once."""
    key = part.key
    template = get_template(f"styleguide/parts/{key}.html")
    html = template.render(dict(context), request)
    source: str = template.template.source  # type: ignore[attr-defined]
    return RenderedPart(part, SafeString(html), SafeString(rename_ids(html)), source.strip())


def rename_ids(html: str) -> str:
    """The same with other ids, and what refers to them."""
    renamed_html = ID_ATTRIBUTE_PATTERN.sub(
        lambda match: f'{match[1]}="{" ".join(f"dark-{name}" for name in match[2].split())}"', html
    )
    return PAINT_PATTERN.sub("url(#dark-", renamed_html)


def render_all_parts(context: Mapping[str, Any], request: HttpRequest) -> list[tuple[str, list[RenderedPart]]]:
    return [(name, [render_part(part, context, request) for part in parts]) for name, parts in GROUPS]
