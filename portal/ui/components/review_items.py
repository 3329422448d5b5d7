"""Requirements of the review page, rendered from format strings because a page has dozens of them."""

from typing import Protocol

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from portal.ui.components.inline import badge, outcome
from portal.ui.components.markup import format_markup, format_part, register, render_icon

ITEM = (
    '<article class="asserted" id="requirement-{0}"><header class="asserted-head">'
    '<h3 id="title-{0}"><a href="{1}">{2}</a></h3> {3} {4}</header>{5}{6}'
    '<div class="row asserted-actions">{7}</div></article>'
)
FINDING_LINK = (
    ' <a href="{0}?requirement={1}" hx-get="{0}?requirement={1}" hx-select="#finding-form"'
    ' hx-swap="outerHTML ignoreTitle:true" aria-describedby="title-{1}">{2}{3}</a>'
)
# icon and label of the badge by the state of the evidence since the previous round
DIFFERENCES = {"changed": ("git-compare", gettext_noop("Changed")), "new": ("plus", gettext_noop("New"))}


class ReviewedRequirement(Protocol):
    """Requirement of the review page. `missing` says that it has no evidence; `difference`: since the last round."""

    @property
    def id(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def status(self) -> str: ...
    @property
    def difference(self) -> str: ...
    @property
    def note(self) -> str: ...
    @property
    def missing(self) -> str: ...
    @property
    def can_complete(self) -> bool: ...
    @property
    def can_waive(self) -> bool: ...


@register.simple_block_tag
def review_item(
    content: str,
    item: ReviewedRequirement,
    *,
    href: str,
    checks: object = "",
    can_act: bool = False,
    identity: bool = False,
    finding_url: str = "",
) -> SafeString:
    """Render a requirement with its evidence (content), check details, and links to what a reviewer can do."""
    links = (
        (identity, f"{href}#identity", _("Compare identity")),
        (item.can_complete, href, _("Complete requirement")),
        (item.can_waive, f"{href}#waive", _("Waive requirement")),
    )
    actions = [format_part('<p class="muted">{}</p>', item.missing), format_part("{}", checks)]
    if can_act:
        actions += [format_markup(' <a href="{}">{}</a>', url, label) for is_shown, url, label in links if is_shown]
    if finding_url:
        actions.append(format_markup(FINDING_LINK, finding_url, item.id, render_icon("flag", 14), _("Add finding")))
    return format_markup(
        ITEM,
        item.id,
        href,
        item.title,
        outcome(item.status),
        _render_difference(item.difference),
        format_part('<p class="muted">{}</p>', item.note),
        content,
        SafeString("".join(actions)),
    )


def _render_difference(state: str) -> SafeString:
    if state in DIFFERENCES:
        icon, label = DIFFERENCES[state]
        return badge(_(label), tone="accent", icon=icon)
    return format_part('<span class="requirement-state">{}</span>', state and _("Unchanged"))
