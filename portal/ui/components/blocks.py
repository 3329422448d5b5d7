"""Block components that contain other content: panels, tables, timelines, banners, and decisions."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Protocol

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from portal.ui.components.inline import OUTCOMES, badge
from portal.ui.components.markup import (
    EMPTY,
    TONE_ICONS,
    component,
    format_markup,
    format_part,
    register,
    render_icon,
    require_choice,
)
from portal.ui.components.moments import when

BANNER_TONES = ("good", "warn", "bad", "info")
ENTRY_TONES = ("neutral", "accent", "good", "warn", "bad", "info")
ENTRY = (
    '<li class="entry tone-{}"{}><span class="entry-mark">{}</span><div class="entry-main">'
    '<p class="entry-head"><span class="entry-what">{}</span> <span class="entry-when muted">{}{}</span> {}</p>'
    "{}</div></li>"
)
EVIDENCE = '<details class="fold"{}><summary>{}{}</summary><div class="fold-body">{}</div></details>'
INDEX_ENTRY = '<li class="tone-{}"><a href="{}">{} <span><span class="visually-hidden">{}:</span> {}</span> {}</a></li>'
REQUIREMENT = (
    '<li class="requirement tone-{}"{}><span class="requirement-mark">{}</span><div class="requirement-main">'
    '<p class="requirement-title">{} <span class="requirement-state">{}{}</span></p>{}{}</div>{}</li>'
)
PATH = '<nav class="path" aria-label="{}"{} tabindex="0"><ol>{}</ol></nav>'
STEP = (
    '<li class="step step-{}"{}><span class="step-mark">{}</span>'
    '<span class="step-name">{}<span class="visually-hidden">, {}</span></span></li>'
)
STEP_STATES = {
    "done": ("check", gettext_noop("done")),
    "current": ("circle-dot", gettext_noop("now")),
    "next": ("circle", gettext_noop("to come")),
}
Values = Mapping[str, object]


class ShownResult(Protocol):
    """What a check or test run found, in the reader's words."""

    outcome: str
    title: str
    summary: str
    advice: str


@register.simple_block_tag
def panel(
    content: str, *, heading: str = "", aside: object = "", actions: object = "", id: str = "", flush: bool = False
) -> SafeString:
    """Render a bordered section with an optional heading, note, and actions. `flush` removes the padding."""
    title = format_markup("<h2>{}{}</h2>", heading, format_part(' <span class="muted aside">{}</span>', aside))
    head = (title if heading else EMPTY) + format_part('<div class="actions">{}</div>', actions)
    return format_markup(
        '<section class="panel{}"{}>{}<div class="panel-body">{}</div></section>',
        " panel-flush" if flush else "",
        format_part(' id="{}"', id),
        format_part('<header class="panel-head">{}</header>', head),
        content,
    )


@component
def card(content: str, *, heading: str, href: str = "", aside: object = "", level: int = 3) -> None:
    """Render a card of a grid. With `href`, the whole card is a link."""


@component
def table(content: str, *, caption: str, show_caption: bool = False) -> None:
    """Render a table around <thead> and <tbody>. On phones, td.main and td.end form the first line of a row."""


@register.simple_tag
def table_head(*headings: object, numbers: str = "", end: bool = False, hide_last: bool = False) -> SafeString:
    """Render the <thead> of a table from the headings of its columns.

    `numbers` names the columns of numbers, such as "3 4". With `end`, the last column is aligned to the right. With
    `hide_last`, only screen readers present its heading.
    """
    classes = dict.fromkeys(map(int, numbers.split()), "number") | ({len(headings): "end"} if end else {})
    attributes = {column: format_html(' class="{}"', name) for column, name in classes.items()}
    if hide_last:
        headings = (*headings[:-1], format_html('<span class="visually-hidden">{}</span>', headings[-1]))
    pairs = ((attributes.get(column, EMPTY), heading) for column, heading in enumerate(headings, 1))
    return format_html("<thead><tr>{}</tr></thead>", format_html_join("", '<th scope="col"{}>{}</th>', pairs))


@component
def timeline(content: str, *, label: str = "") -> None:
    """Render the list around timeline entries."""


@register.simple_block_tag
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
    mark = render_icon(icon or TONE_ICONS[require_choice(tone, ENTRY_TONES, "tone")])
    note = badge(_("Only reviewers see this"), tone="warn", icon="lock") if private else EMPTY
    return format_markup(
        ENTRY,
        f"{tone} entry-private" if private else tone,
        format_part(' id="{}"', id),
        mark,
        what,
        format_part("{} · ", who),
        when(at),
        note,
        format_part('<div class="entry-body prose">{}</div>', SafeString(content.strip())),
    )


@register.simple_block_tag
def evidence(content: str, *, summary: object, open: bool = False) -> SafeString:
    """Render collapsible details."""
    is_open, mark = SafeString(" open") if open else EMPTY, render_icon("chevron-right", 14)
    return format_markup(EVIDENCE, is_open, mark, summary, content)


@component
def empty_state(content: str, *, heading: str, icon: str = "inbox", action: object = "", level: int = 2) -> None:
    """Render an empty state with an explanation and an action."""


@component
def banner(content: str, *, tone: str = "info", heading: str = "", live: bool = False) -> Values:
    """Render a message. With `live`, screen readers announce it."""
    return {"icon": TONE_ICONS[require_choice(tone, BANNER_TONES, "tone")]}


@component
def turn(
    content: str,
    *,
    sentence: object,
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
    return {"label": label or ("" if at_rest else default_label), "icon": icon}


@register.simple_block_tag
def facts(content: str) -> SafeString:
    """Render the list around facts."""
    return format_markup('<dl class="facts">{}</dl>', content)


@register.simple_block_tag
def fact(content: str, name: str) -> SafeString:
    """Render a name and its value. An empty value is shown as "Not available"."""
    value = SafeString(content.strip()) or format_markup('<span class="muted">{}</span>', _("Not available"))
    return format_markup('<div class="fact"><dt>{}</dt><dd>{}</dd></div>', name, value)


@register.simple_block_tag
def requirement(
    content: str,
    *,
    state: str,
    title: str,
    who: str = "",
    href: str = "",
    reason: object = "",
    action: object = "",
    inline: bool = False,
    id: str = "",
) -> SafeString:
    """Render a requirement with its status, title, reason, and action.

    With `inline`, its link opens it in place. An open one has an ID, and takes the focus when htmx opens it.
    """
    icon, tone, word = OUTCOMES[require_choice(state, OUTCOMES, "state")]
    loading = format_markup(' hx-get="{}" hx-push-url="true"', href) if inline else EMPTY
    current = SafeString(' aria-current="true"') if id else EMPTY
    return format_markup(
        REQUIREMENT,
        tone,
        format_part(' id="{}"', id),
        render_icon(icon),
        format_markup('<a href="{}"{}{}>{}</a>', href, loading, current, title) if href else title,
        _(word),
        format_part(" · {}", who),
        format_part('<p class="requirement-reason">{}</p>', reason),
        content,
        format_part('<div class="requirement-action">{}</div>', action),
    )


@register.simple_block_tag
def index_entry(content: str, *, state: str, title: str, href: str) -> SafeString:
    """Render the entry of a requirement in the index of a split pane, with marks as content."""
    icon, tone, word = OUTCOMES[require_choice(state, OUTCOMES, "state")]
    return format_markup(INDEX_ENTRY, tone, href, render_icon(icon), _(word), title, content)


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
    disabled: str = "",
    is_open: bool = False,
) -> Values:
    """Render a button that opens a form: as a dialog with JavaScript, or in place without or if it has errors."""
    return {"heading": heading or label}


@component
def mail_preview(content: str, *, to: str, subject: str, wait: str = "") -> Values:
    """Render a preview of an email with its recipient and the time to undo."""
    return {"content": SafeString(content.strip("\n"))}


@register.simple_tag
def path(steps: Iterable[object], *, label: str = "") -> SafeString:
    """Render the steps of a program. Each has a name, a state (done, current, or next), and an optional href."""
    rows, current = list[SafeString](), EMPTY
    for place, step in enumerate(steps, 1):
        name, state, href = [_read(step, key) for key in ("name", "state", "href")]
        icon, word = STEP_STATES[require_choice(state, STEP_STATES, "state of a step")]
        link = format_markup('<a href="{}">{}</a>', href, name) if href else name
        is_current = SafeString(' aria-current="step"') if state == "current" else EMPTY
        rows.append(format_markup(STEP, state, is_current, render_icon(icon), link, _(word)))
        current = format_markup(' data-place="{}"', place) if is_current else current
    return format_markup(PATH, label or _("Program steps"), current, SafeString("".join(rows)))


def _read(step: object, name: str) -> str:
    return str(step.get(name, "") if isinstance(step, Mapping) else getattr(step, name, ""))
