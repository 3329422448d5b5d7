"""Block components that contain other content: panels, tables, timelines, banners, and decisions."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Protocol

from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _, gettext_noop

from portal.ui.components.inline import OUTCOMES
from portal.ui.components.markup import TONE_ICONS, component, require_choice

BANNER_TONES = ("good", "warn", "bad", "info")
ENTRY_TONES = ("neutral", "accent", "good", "warn", "bad", "info")
STEP_STATES = {
    "done": ("check", gettext_noop("done")),
    "current": ("circle-dot", gettext_noop("now")),
    "next": ("circle", gettext_noop("to come")),
    "ended": ("circle-x", gettext_noop("ended here")),
}
Values = Mapping[str, object]


class ShownResult(Protocol):
    """What a check or test run found, in the reader's words."""

    outcome: str
    title: str
    summary: str
    advice: str


@component
def panel(
    content: str, *, heading: str = "", aside: object = "", actions: object = "", id: str = "", flush: bool = False
) -> None:
    """Render a bordered section with an optional heading, note, and actions. `flush` removes the padding."""


@component
def card(content: str, *, heading: str, href: str = "", aside: object = "", level: int = 3) -> None:
    """Render a card of a grid. With `href`, the whole card is a link."""


@component
def table(content: str, *, caption: str, show_caption: bool = False) -> None:
    """Render a table around <thead> and <tbody>. On phones, td.main and td.end form the first line of a row."""


@component
def table_head(*headings: object, numbers: str = "", end: bool = False, hide_last: bool = False) -> Values:
    """Render the <thead> of a table from the headings of its columns.

    `numbers` names the columns of numbers, such as "3 4". With `end`, the last column is aligned to the right. With
    `hide_last`, only screen readers present its heading.
    """
    classes = dict.fromkeys(map(int, numbers.split()), "number") | ({len(headings): "end"} if end else {})
    return {"columns": [(classes.get(column, ""), heading) for column, heading in enumerate(headings, 1)]}


@component
def timeline(content: str, *, label: str = "") -> None:
    """Render the list around timeline entries."""


@component
def entry(
    content: str,
    *,
    what: object,
    at: datetime,
    who: str = "",
    icon: str = "",
    tone: str = "neutral",
    private: bool = False,
    id: str = "",
) -> Values:
    """Render a timeline entry. `private` marks entries that partners can't see."""
    return {"icon": icon or TONE_ICONS[require_choice(tone, ENTRY_TONES, "tone")]}


@component
def evidence(content: str, *, summary: object, open: bool = False) -> None:
    """Render collapsible details."""


@component
def empty_state(content: str, *, heading: str, icon: str = "inbox", action: object = "", level: int = 2) -> None:
    """Render an empty state with an explanation and an action."""


@component
def banner(content: str, *, tone: str = "info", heading: str = "", live: bool = False) -> Values:
    """Render a message. With `live`, screen readers announce it."""
    return {"icon": TONE_ICONS[require_choice(tone, BANNER_TONES, "tone")]}


@component
def next_action(
    content: str,
    *,
    text: object,
    mine: bool,
    since: datetime | None = None,
    expected: datetime | None = None,
    label: str = "",
    at_rest: bool = False,
) -> Values:
    """Render the next action with its button as content.

    `label` replaces the default label. `at_rest` means that no action is needed.
    """
    default_label = _("Action required") if mine else _("Waiting for the program")
    icon = "circle-check" if at_rest else "arrow-right" if mine else "hourglass"
    is_late = expected is not None and expected < timezone.now()
    return {"label": label or ("" if at_rest else default_label), "icon": icon, "is_late": is_late}


@component
def facts(content: str) -> None:
    """Render the list around facts."""


@component
def fact(content: str, name: str) -> None:
    """Render a name and its value. An empty value is shown as "Not available"."""


@component
def requirement(
    content: str,
    *,
    state: str,
    title: str,
    who: str = "",
    href: str = "",
    reason: object = "",
    inline: bool = False,
    id: str = "",
) -> Values:
    """Render a requirement with its status, title, and reason.

    With `inline`, its link opens it in place. An open one has an ID, and takes the focus when htmx opens it.
    """
    return _describe_outcome(state)


@component
def index_entry(content: str, *, state: str, title: str, href: str) -> Values:
    """Render the entry of a requirement in the index of a split pane, with marks as content."""
    return _describe_outcome(state)


@component
def check_result(
    content: str,
    result: ShownResult | None = None,
    *,
    outcome: str = "",
    title: str = "",
    summary: str = "",
    advice: str = "",
    revision: str = "",
    at: datetime | None = None,
    next_try: datetime | None = None,
    action: object = "",
    help: str = "",
    id: str = "",
    level: int = 3,
    swap: bool = False,
) -> Values:
    """Render a check result with collapsible evidence (content). With `swap`, htmx replaces the result by its ID.

    `result` gives outcome, title, summary, and advice in one.
    """
    require_choice(result.outcome if result else outcome, OUTCOMES, "outcome")
    return {name: getattr(result, name) for name in ("outcome", "title", "summary", "advice")} if result else {}


@component
def decision(
    content: str,
    *,
    label: str,
    id: str,
    heading: str = "",
    tone: str = "secondary",
    icon: str = "",
    is_open: bool = False,
) -> Values:
    """Render a button that opens a form: as a dialog with JavaScript, or in place without or if it has errors."""
    return {"heading": heading or label}


@component
def mail_preview(content: str, *, to: str, subject: str, wait: str = "", caption: str = "") -> Values:
    """Render a preview of an email with its recipient and the time to undo, or `caption` if it isn't sent."""
    return {"content": SafeString(content.strip("\n"))}


@component
def path(steps: Iterable[object], *, label: str = "") -> Values:
    """Render the steps of a program. Each has a name, a state (done, current, next, or ended), and an optional href."""
    rows = [[_read(step, key) for key in ("state", "href", "name")] for step in steps]
    return {"steps": [(*row, *STEP_STATES[require_choice(row[0], STEP_STATES, "state of a step")]) for row in rows]}


def _describe_outcome(state: str) -> Values:
    icon, tone, label = OUTCOMES[require_choice(state, OUTCOMES, "state")]
    return {"icon": icon, "tone": tone, "state_label": label}


def _read(step: object, name: str) -> str:
    return str((step.get(name) if isinstance(step, Mapping) else getattr(step, name, None)) or "")
