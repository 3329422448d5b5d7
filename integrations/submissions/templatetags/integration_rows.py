"""Template tags for the parts of an integration's pages. As Django templates, they would dominate the page time."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial

from django import template
from django.template import Context
from django.template.defaultfilters import capfirst, linebreaksbr
from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from jinja2 import pass_context
from jinja2.runtime import Context as JinjaContext

from integrations.programs.requirements import ResourceLink
from integrations.submissions.models import Integration
from integrations.submissions.presenters import RequirementRow
from integrations.submissions.workflow.states import Status
from portal.audit.models import AuditEvent
from portal.ui.components.blocks import entry, requirement
from portal.ui.components.includes import include_django
from portal.ui.components.markup import ENVIRONMENT, GLOBALS, component, split_url
from portal.ui.markdown import render_markdown

register = template.Library()


@component
def integration_table(rows: Iterable[object], *, heading: str, has_partner_names: bool = False) -> Mapping[str, object]:
    """Render a table of integrations with their next action, for whom they wait, and the SLA status if rows have it."""
    return {"integration_url": split_url("submissions:detail"), "now": timezone.now()}


@component
def resource_links(links: Iterable[ResourceLink]) -> None:
    """Render a list of links to resources, with their descriptions."""


@register.simple_tag(takes_context=True)
def requirement_rows(context: Context, rows: Iterable[RequirementRow]) -> SafeString:
    """Render requirements, one of which can be open. During an outage, failures to reach a service aren't shown."""
    return render_requirement_rows(context, rows, include=partial(include_django, context))


@pass_context
def render_requirement_rows(
    page: Context | JinjaContext, rows: Iterable[RequirementRow], include: Callable[[str], SafeString] | None = None
) -> SafeString:
    """Render requirements on a page, whose values are those of a template of Django or Jinja2."""
    return SafeString("".join([_render_row(page, row, include or page["include"]) for row in rows]))


def _render_row(page: Context | JinjaContext, row: RequirementRow, include: Callable[[str], SafeString]) -> SafeString:
    integration: Integration = page["integration"]
    href = reverse("submissions:requirement", args=[integration.uuid, row.requirement.id])
    title = row.requirement.title
    who = row.responsible
    if who and row.requirement.optional:
        who = f"{who} · {_('optional')}"
    if row.requirement == page.get("requirement"):
        content = include("submissions/opened.html")
        return requirement(content, state=row.display_status, title=title, who=who, href=href, id="opened")
    if row.display_status == Status.ERROR and page["outage"]:
        return requirement("", state="open", title=title, who=who, href=href, inline=True)
    return requirement("", state=row.display_status, title=title, who=who, href=href, reason=row.why, inline=True)


@register.simple_tag
def event_entries(events: Iterable[AuditEvent], has_anchors: bool = True) -> SafeString:
    """Render events as entries of a timeline. Only one timeline of a page has anchors for links to its events."""
    entries = [
        entry(
            render_markdown(event.note),
            what=event.summary,
            at=event.at,
            tone=event.type.tone,
            icon=event.type.icon,
            private=event.internal,
            id=event.anchor if has_anchors else "",
        )
        for event in events
    ]
    return SafeString("".join(entries))


ENVIRONMENT.filters |= {"capfirst": capfirst, "linebreaksbr": linebreaksbr, "event_entries": event_entries}
GLOBALS["requirement_rows"] = render_requirement_rows
