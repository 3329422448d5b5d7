"""Components of the style guide, with one template each in templates/styleguide/parts/."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from django.http import HttpRequest
from django.template.loader import get_template
from django.utils.safestring import SafeString

# attributes with IDs, which must differ in the second copy of a component
ID_ATTRIBUTE_PATTERN = re.compile(r'(?<= )(id|for|aria-labelledby|aria-describedby|aria-controls)="([^"]+)"')
PAINT_PATTERN = re.compile(r"url\(#")


@dataclass(frozen=True, slots=True)
class StyleguidePart:
    """Component of the style guide. The two copies of a wide component are stacked."""

    key: str
    name: str
    about: str
    wide: bool = False


@dataclass(frozen=True, slots=True)
class RenderedPart:
    """Rendered component in the light and dark themes, with its source."""

    part: StyleguidePart
    light: SafeString
    dark: SafeString
    source: str


GROUPS: tuple[tuple[str, tuple[StyleguidePart, ...]], ...] = (
    (
        "Inline components",
        (
            StyleguidePart("buttons", "Buttons", "One primary button per page. Disabled buttons show the reason."),
            StyleguidePart(
                "words", "Badges", "Each badge has an icon and a label, so the meaning doesn't depend on color."
            ),
            StyleguidePart("glossary", "Glossary links", "Links to the glossary with the definition as a tooltip."),
            StyleguidePart("moments", "Times", "Times in the reader's time zone, with the full time as a tooltip."),
            StyleguidePart("people", "People", "Name and email address of a person, or the portal."),
            StyleguidePart("codes", "Codes and files", "Code, file names, and copy buttons."),
            StyleguidePart("meters", "Meters", "Counted, paused, remaining, and overdue time."),
        ),
    ),
    (
        "Navigation",
        (
            StyleguidePart("crumbs", "Breadcrumbs", "Location of the page."),
            StyleguidePart("path", "Steps", "Completed, current, and upcoming steps of a program.", wide=True),
            StyleguidePart("tabs", "Tabs and pagination", "Selections are part of the URL."),
        ),
    ),
    (
        "Containers",
        (
            StyleguidePart("turn", "Next action", "Responsible party, next action, and one button.", wide=True),
            StyleguidePart("panels", "Panels and details", "Bordered sections with names and values."),
            StyleguidePart("cards", "Cards", "Links to equal options. The whole card is a link."),
            StyleguidePart("tables", "Tables", "One line per row on wide screens, two on phones.", wide=True),
            StyleguidePart("queue", "Review queue", "Rows of the review queue.", wide=True),
            StyleguidePart("timeline", "Timeline", "Events with actor and time. Internal events are marked."),
        ),
    ),
    (
        "Review",
        (
            StyleguidePart("requirements", "Requirements", "Status, title, reason, and action."),
            StyleguidePart("checks", "Checks", "Result in one sentence with collapsible evidence."),
            StyleguidePart(
                "decisions",
                "Decisions and emails",
                "Preview of the email with its recipient and the time to undo.",
            ),
        ),
    ),
    (
        "Page states",
        (
            StyleguidePart("banners", "Banners", "Success, warning, error, and note."),
            StyleguidePart("empty", "Empty states", "What will appear here and how to add it."),
            StyleguidePart("loading", "Loading", "The layout stays. Pressed buttons show the progress."),
            StyleguidePart("errors", "Errors", "What is wrong and how to fix it."),
        ),
    ),
    (
        "Directory",
        (
            StyleguidePart(
                "directory", "Directory", "Filters and results. A letter replaces a missing logo.", wide=True
            ),
            StyleguidePart("listing", "Listing status", "Status badges and the reply of a publisher."),
            StyleguidePart("tasks", "Run task card", "Partner with a summary and run tasks."),
            StyleguidePart("badge", "Badge", "Identical on light and dark pages. Gray if not listed.", wide=True),
        ),
    ),
    (
        "Metrics",
        (
            StyleguidePart("charts", "Charts", "Small multiples with a table. Late values are hatched.", wide=True),
            StyleguidePart("clock", "SLA clock", "Counted time, pauses, and due date.", wide=True),
            StyleguidePart("forecast", "Forecast", "Wait time forecast from past reviews."),
            StyleguidePart("views", "Saved views", "Saved filters with exports."),
            StyleguidePart("status", "Status line", "Status of a component with a sentence.", wide=True),
        ),
    ),
    (
        "Forms",
        (StyleguidePart("form", "Form", "Label, help text, and error of each field.", wide=True),),
    ),
)


def render_part(part: StyleguidePart, context: Mapping[str, object], request: HttpRequest) -> RenderedPart:
    """Render a component for both themes with unique IDs."""
    key = part.key
    template = get_template(f"styleguide/parts/{key}.html")
    html = template.render(dict(context), request)
    source: str = template.template.source  # type: ignore[attr-defined]
    return RenderedPart(part, SafeString(html), SafeString(rename_ids(html)), source.strip())


def rename_ids(html: str) -> str:
    """Return the HTML with renamed IDs and references."""
    renamed_html = ID_ATTRIBUTE_PATTERN.sub(
        lambda match: f'{match[1]}="{" ".join(f"dark-{name}" for name in match[2].split())}"', html
    )
    return PAINT_PATTERN.sub("url(#dark-", renamed_html)


def render_all_parts(context: Mapping[str, object], request: HttpRequest) -> list[tuple[str, list[RenderedPart]]]:
    return [(name, [render_part(part, context, request) for part in parts]) for name, parts in GROUPS]
