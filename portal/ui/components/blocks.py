"""Block components that contain other content: panels, tables, timelines, banners, and decisions."""

from collections.abc import Iterable
from datetime import datetime
from typing import Protocol

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from portal.ui.components.inline import OUTCOMES
from portal.ui.components.markup import (
    EMPTY,
    TONE_ICONS,
    render_attributes,
    render_component,
    render_icon,
    require_choice,
    trim,
    wrap,
)

BANNER_TONES = ("good", "warn", "bad", "info")
ENTRY_TONES = ("neutral", "accent", "good", "warn", "bad", "info")
STEP_STATES = {"done": "check", "current": "circle-dot", "next": "circle"}


class ShownResult(Protocol):
    """What a check or test run found, in the reader's words."""

    outcome: str
    title: str
    summary: str
    advice: str


def panel(
    content: str, *, heading: str = "", aside: object = "", actions: object = "", id: str = "", flush: bool = False
) -> SafeString:
    """Render a bordered section with an optional heading, note, and actions. `flush` removes the padding."""
    return render_component("panel", content=content, heading=heading, aside=aside, actions=actions, id=id, flush=flush)


def card(content: str, *, heading: str, href: str = "", aside: object = "", level: int = 3) -> SafeString:
    """Render a card of a grid. With `href`, the whole card is a link."""
    return render_component("card", content=content, heading=heading, href=href, aside=aside, level=level)


def table(content: str, *, caption: str, show_caption: bool = False) -> SafeString:
    """Render a table around <thead> and <tbody>. On phones, td.main and td.end form the first line of a row."""
    return render_component("table", content=content, caption=caption, show_caption=show_caption)


def timeline(content: str, *, label: str = "") -> SafeString:
    """Render the list around timeline entries."""
    return format_html('<ol class="timeline" aria-label="{}">{}</ol>', label or _("History"), content)


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
) -> SafeString:
    """Render a timeline entry. `private` marks entries that partners can't see."""
    tone = require_choice(tone, ENTRY_TONES, "tone")
    return render_component(
        "entry",
        content=trim(content),
        what=what,
        at=at,
        who=who,
        icon=render_icon(icon or TONE_ICONS[tone], 16),
        tone=tone,
        private=private,
        id=id,
    )


def evidence(content: str, *, summary: object, open: bool = False) -> SafeString:
    """Render collapsible details."""
    return format_html(
        '<details class="fold"{}><summary>{}{}</summary><div class="fold-body">{}</div></details>',
        render_attributes({"open": open}),
        render_icon("chevron-right", 14),
        summary,
        content,
    )


def empty_state(content: str, *, heading: str, icon: str = "inbox", action: object = "", level: int = 2) -> SafeString:
    """Render an empty state with an explanation and an action."""
    return render_component(
        "empty_state", content=content, heading=heading, icon=render_icon(icon, 26), action=action, level=level
    )


def banner(content: str, *, tone: str = "info", heading: str = "", live: bool = False) -> SafeString:
    """Render a message. With `live`, screen readers announce it."""
    tone = require_choice(tone, BANNER_TONES, "tone")
    return render_component(
        "banner", content=trim(content), tone=tone, heading=heading, live=live, icon=render_icon(TONE_ICONS[tone], 20)
    )


def turn(
    content: str,
    *,
    sentence: object,
    mine: bool,
    since: datetime | None = None,
    expected: datetime | None = None,
    label: str = "",
    at_rest: bool = False,
) -> SafeString:
    """Render the next action with its button as content.

    `label` replaces the default label. `at_rest` means that no action is needed.
    """
    default_label = _("Action required") if mine else _("Waiting for the program")
    return render_component(
        "turn",
        content=trim(content),
        sentence=sentence,
        mine=mine,
        since=since,
        expected=expected,
        label=label or ("" if at_rest else default_label),
        at_rest=at_rest,
        icon=render_icon("circle-check" if at_rest else "arrow-right" if mine else "hourglass", 20),
    )


def facts(content: str) -> SafeString:
    """Render the list around facts."""
    return wrap("dl", "facts", content)


def fact(content: str, name: str) -> SafeString:
    """Render a name and its value. An empty value is shown as "Not available"."""
    value = trim(content) or format_html('<span class="muted">{}</span>', _("Not available"))
    return format_html('<div class="fact"><dt>{}</dt><dd>{}</dd></div>', name, value)


def requirement(
    content: str, *, state: str, title: str, who: str = "", href: str = "", reason: object = "", action: object = ""
) -> SafeString:
    """Render a requirement with its status, title, reason, and action."""
    name, tone, word = OUTCOMES[require_choice(state, OUTCOMES, "state")]
    return render_component(
        "requirement",
        content=trim(content),
        icon=render_icon(name, 16),
        tone=tone,
        word=_(word),
        title=title,
        who=who,
        href=href,
        reason=reason,
        action=action,
    )


def check_result(
    content: str,
    result: ShownResult | None = None,
    *,
    outcome: str = "",
    title: str = "",
    summary: str = "",
    advice: str = "",
    looked_at: str = "",
    at: datetime | None = None,
    next_try: datetime | None = None,
    action: object = "",
    help: str = "",
    id: str = "",
    level: int = 3,
    swap: bool = False,
) -> SafeString:
    """Render a check result with collapsible evidence (content). With `swap`, htmx replaces the result by its ID.

    `result` gives outcome, title, summary, and advice in one.
    """
    if result is not None:
        outcome, title, summary, advice = result.outcome, result.title, result.summary, result.advice
    require_choice(outcome, OUTCOMES, "outcome")
    return render_component(
        "check_result",
        content=trim(content),
        outcome=outcome,
        title=title,
        summary=summary,
        advice=advice,
        looked_at=looked_at,
        at=at,
        next_try=next_try,
        action=action,
        help=help,
        id=id,
        level=level,
        swap=swap,
    )


def decision(
    content: str, *, label: str, id: str, heading: str = "", tone: str = "secondary", icon: str = "", disabled: str = ""
) -> SafeString:
    """Render a button that opens a form: as a dialog with JavaScript, or in place without."""
    return render_component(
        "decision",
        content=content,
        label=label,
        id=id,
        heading=heading or label,
        tone=tone,
        icon=render_icon(icon, 16) if icon else EMPTY,
        disabled=disabled,
    )


def mail_preview(content: str, *, to: str, subject: str, wait: str = "") -> SafeString:
    """Render a preview of an email with its recipient and the time to undo."""
    return render_component("mail_preview", content=SafeString(content.strip("\n")), to=to, subject=subject, wait=wait)


def path(steps: Iterable[object], *, label: str = "") -> SafeString:
    """Render the steps of a program. Each has a name, a state (done, current, or next), and optional href and note."""
    rows = [_build_step(step) for step in steps]
    place = next((number for number, row in enumerate(rows, 1) if row["state"] == "current"), 0)
    return render_component("path", rows=rows, label=label or _("Program steps"), place=place)


def _build_step(step: object) -> dict[str, object]:
    def read(key: str) -> str:
        return step.get(key, "") if isinstance(step, dict) else getattr(step, key, "")

    state = require_choice(read("state"), STEP_STATES, "state of a step")
    return {
        "name": read("name"),
        "state": state,
        "icon": render_icon(STEP_STATES[state], 16),
        "href": read("href"),
        "note": read("note"),
    }
