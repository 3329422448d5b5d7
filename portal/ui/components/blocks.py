"""The parts that hold other content: panels, tables, timelines, banners, decisions."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

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


def panel(
    content: str, *, heading: str = "", aside: Any = "", actions: Any = "", id: str = "", flush: bool = False
) -> SafeString:
    """A bordered section. `aside` stands small beside the heading, `actions` at its right; flush: no padding."""
    return render_component("panel", content=content, heading=heading, aside=aside, actions=actions, id=id, flush=flush)


def card(content: str, *, heading: str, href: str = "", aside: Any = "", level: int = 3) -> SafeString:
    """One thing in a grid of equals; with `href` the heading is the link and the whole card is its target."""
    return render_component("card", content=content, heading=heading, href=href, aside=aside, level=level)


def table(content: str, *, caption: str, show_caption: bool = False) -> SafeString:
    """Wraps <thead> and <tbody>. On a phone a row takes two lines: td.main and td.end above, the rest below."""
    return render_component("table", content=content, caption=caption, show_caption=show_caption)


def timeline(content: str, *, label: str = "") -> SafeString:
    """The list around entries, newest where the page puts it."""
    return format_html('<ol class="timeline" aria-label="{}">{}</ol>', label or _("History"), content)


def entry(
    content: str,
    *,
    what: Any,
    at: datetime,
    who: str = "",
    icon: str = "",
    tone: str = "neutral",
    private: bool = False,
    id: str = "",
) -> SafeString:
    """ "Rita asked for two changes · Tue 14:10" with its text; `private` marks what the partner never sees."""
    tone = require_choice(tone, ENTRY_TONES, "tone")
    return render_component(
        "entry", content=trim(content), what=what, at=at, who=who, icon=render_icon(icon or TONE_ICONS[tone], 16),
        tone=tone, private=private, id=id,
    )  # fmt: skip


def evidence(content: str, *, summary: Any, open: bool = False) -> SafeString:
    """What was looked at, folded under one line."""
    return format_html(
        '<details class="fold"{}><summary>{}{}</summary><div class="fold-body">{}</div></details>',
        render_attributes({"open": open}), render_icon("chevron-right", 14), summary, content,
    )  # fmt: skip


def empty_state(content: str, *, heading: str, icon: str = "inbox", action: Any = "", level: int = 2) -> SafeString:
    """What will be here, and in the content how to make it so."""
    return render_component(
        "empty_state", content=content, heading=heading, icon=render_icon(icon, 26), action=action, level=level
    )


def banner(content: str, *, tone: str = "info", heading: str = "", live: bool = False) -> SafeString:
    """A message on the page; `live` has it read out when it appears."""
    tone = require_choice(tone, BANNER_TONES, "tone")
    return render_component(
        "banner", content=trim(content), tone=tone, heading=heading, live=live, icon=render_icon(TONE_ICONS[tone], 20)
    )


def turn(
    content: str,
    *,
    sentence: Any,
    mine: bool,
    since: datetime | None = None,
    expected: datetime | None = None,
    label: str = "",
    at_rest: bool = False,
) -> SafeString:
    """Whose turn it is, in one sentence; the content is the one button.

    `label` replaces "Your turn" / "Our turn" ("Acme’s turn" for a reviewer); at_rest: nobody has to do anything.
    """
    usual = _("Your turn") if mine else _("Our turn")
    return render_component(
        "turn", content=trim(content), sentence=sentence, mine=mine, since=since, expected=expected,
        label=label or ("" if at_rest else usual), at_rest=at_rest,
        icon=render_icon("circle-check" if at_rest else "arrow-right" if mine else "hourglass", 20),
    )  # fmt: skip


def facts(content: str) -> SafeString:
    """The list around facts."""
    return wrap("dl", "facts", content)


def fact(content: str, name: str) -> SafeString:
    """One name and its value; a blank value is said as "not yet"."""
    value = trim(content) or format_html('<span class="muted">{}</span>', _("not yet"))
    return format_html('<div class="fact"><dt>{}</dt><dd>{}</dd></div>', name, value)


def requirement(
    content: str, *, state: str, title: str, who: str = "", href: str = "", reason: Any = "", action: Any = ""
) -> SafeString:
    """One line of what is left: state, title, why it matters or what is wrong, and the fix at its right."""
    name, tone, word = OUTCOMES[require_choice(state, OUTCOMES, "state")]
    return render_component(
        "requirement", content=trim(content), icon=render_icon(name, 16), tone=tone, word=_(word), title=title, who=who,
        href=href, reason=reason, action=action,
    )  # fmt: skip


def check_result(
    content: str,
    *,
    outcome: str,
    title: str,
    summary: str,
    advice: str = "",
    looked_at: str = "",
    at: datetime | None = None,
    next_try: datetime | None = None,
    action: Any = "",
    help: str = "",
    id: str = "",
    level: int = 3,
    swap: bool = False,
) -> SafeString:
    """A check: chip, verdict in one sentence, the evidence (content) folded, what was looked at and when.

    `swap`: htmx puts it in the place of the one with the same id.
    """
    require_choice(outcome, OUTCOMES, "outcome")
    return render_component(
        "check_result", content=trim(content), outcome=outcome, title=title, summary=summary, advice=advice,
        looked_at=looked_at, at=at, next_try=next_try, action=action, help=help, id=id, level=level,
        swap=swap,
    )  # fmt: skip


def decision(
    content: str, *, label: str, id: str, heading: str = "", tone: str = "secondary", icon: str = "", disabled: str = ""
) -> SafeString:
    """A button that opens its form: in place without JavaScript, as a dialog with it."""
    return render_component(
        "decision", content=content, label=label, id=id, heading=heading or label, tone=tone,
        icon=render_icon(icon, 16) if icon else EMPTY, disabled=disabled,
    )  # fmt: skip


def mail_preview(content: str, *, to: str, subject: str, wait: str = "") -> SafeString:
    """The exact plain text (content) that will go, to whom, and how long it can be undone."""
    return render_component("mail_preview", content=SafeString(content.strip("\n")), to=to, subject=subject, wait=wait)


def path(steps: Iterable[Any], *, label: str = "") -> SafeString:
    """The program's own steps. Each has .name and .state (done, current or next), and may have .href and .note."""
    rows = [_build_step(step) for step in steps]
    place = next((number for number, row in enumerate(rows, 1) if row["state"] == "current"), 0)
    return render_component("path", rows=rows, label=label or _("Steps of the program"), place=place)


def _build_step(step: Any) -> dict[str, Any]:
    def read(key: str) -> Any:
        return step.get(key, "") if isinstance(step, dict) else getattr(step, key, "")

    state = require_choice(read("state"), STEP_STATES, "state of a step")
    return {
        "name": read("name"),
        "state": state,
        "icon": render_icon(STEP_STATES[state], 16),
        "href": read("href"),
        "note": read("note"),
    }
