"""Which components are shown, in which order? One file a part in portal/styleguide/templates/styleguide/parts/."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.template.loader import get_template
from django.utils.safestring import SafeString

# what must be another name in the second copy of a part, so that no id stands twice
NAMED = re.compile(r'(?<= )(id|for|aria-labelledby|aria-describedby|aria-controls)="([^"]+)"')
PAINTED = re.compile(r"url\(#")


@dataclass(frozen=True, slots=True)
class Part:
    """A part: its file, its name, and what it is for. `wide`: its two copies stand one above the other."""

    key: str
    name: str
    about: str
    wide: bool = False


@dataclass(frozen=True, slots=True)
class Shown:
    """A part as the page shows it: in light, in dark, and as one writes it."""

    part: Part
    light: SafeString
    dark: SafeString
    source: str


GROUPS: tuple[tuple[str, tuple[Part, ...]], ...] = (
    (
        "Small parts",
        (
            Part(
                "buttons", "Buttons", "One primary a page: what the reader can do next. What is not possible says why."
            ),
            Part("words", "Words in a line", "A word always has its icon: colour never speaks alone."),
            Part("glossary", "Words that are explained", "Dotted; the meaning on hover, the glossary behind it."),
            Part("moments", "Moments", "In the reader’s zone; the exact moment on hover and for screen readers."),
            Part("people", "People", "A name and how to write to it; the portal is somebody too."),
            Part("codes", "Codes and files", "What is copied can be copied with one press."),
            Part("meters", "Used time", "Counted, paused, left and over, with its figure beside it."),
        ),
    ),
    (
        "Finding the way",
        (
            Part("crumbs", "Crumbs", "Where this page is."),
            Part("path", "Path", "The program’s own steps; done, now, to come.", wide=True),
            Part("tabs", "Tabs and pages", "The address keeps the choice."),
        ),
    ),
    (
        "Holding things together",
        (
            Part("turn", "Turn", "Whose move it is in one sentence, with the one button.", wide=True),
            Part("panels", "Panels and facts", "Bordered, never shaded. A fact that is not known says so."),
            Part("cards", "Cards", "One of several equals; the whole card is its link."),
            Part("tables", "Tables", "One line on a wide screen, two on a phone.", wide=True),
            Part("queue", "Rows of the queue", "Drawn as one string, fifty at a time.", wide=True),
            Part("timeline", "Timeline", "Who did what and when; what only reviewers see is marked."),
        ),
    ),
    (
        "Work",
        (
            Part("requirements", "What is left", "State, title, why it matters, and the fix at its right."),
            Part("checks", "Checks", "Verdict in one sentence, evidence folded under it."),
            Part(
                "decisions",
                "Decisions and mails",
                "The exact mail that will go, to whom, and how long it can be undone.",
            ),
        ),
    ),
    (
        "States of a page",
        (
            Part("banners", "Banners", "Done, attention, not done, note. An outage is ours."),
            Part("empty", "Empty", "What will be here, and how to make it so."),
            Part("loading", "Loading", "The layout stays; a button that was pressed says so."),
            Part("errors", "Errors", "What happened, that nothing is lost, and what to do next."),
        ),
    ),
    (
        "Listings",
        (
            Part("directory", "Directory", "Filters beside rows; a letter where a logo is not given.", wide=True),
            Part("listing", "Standing and tier", "Each standing in its word; what the publisher replied."),
            Part("tasks", "Run task card", "A partner, its two lines, its run tasks."),
            Part("badge", "Badge", "Drawn by us, the same on light and on dark; grey when not listed.", wide=True),
        ),
    ),
    (
        "Figures",
        (
            Part("charts", "Charts", "Small multiples; late is hatched; the same as a table.", wide=True),
            Part("clock", "Clock of an issue", "What counted, what did not, and why this date.", wide=True),
            Part("forecast", "Forecast", "What the past says of the wait; never a promise."),
            Part("views", "Saved views", "A question that is asked again, and its answer as a file."),
            Part("status", "Status line", "How one thing is, in a word and a sentence.", wide=True),
        ),
    ),
    ("Forms", (Part("form", "A form", "Label above, hint below, the error in its place with the fix.", wide=True),)),
)


def shown(part: Part, context: Mapping[str, Any], request: HttpRequest) -> Shown:
    """A part drawn twice, each id once."""
    key = part.key
    template = get_template(f"styleguide/parts/{key}.html")
    drawn = template.render(dict(context), request)
    source: str = template.template.source  # type: ignore[attr-defined]
    return Shown(part, SafeString(drawn), SafeString(renamed(drawn)), source.strip())


def renamed(drawn: str) -> str:
    """The same with other ids, and what refers to them."""
    named = NAMED.sub(lambda found: f'{found[1]}="{" ".join(f"dark-{name}" for name in found[2].split())}"', drawn)
    return PAINTED.sub("url(#dark-", named)


def all_shown(context: Mapping[str, Any], request: HttpRequest) -> list[tuple[str, list[Shown]]]:
    return [(name, [shown(part, context, request) for part in parts]) for name, parts in GROUPS]
