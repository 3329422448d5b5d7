"""Template tags for the parts of an integration's pages. As Django templates, they would dominate the page time."""

from collections.abc import Iterable
from functools import partial

from django import template
from django.template import Context
from django.template.defaultfilters import capfirst, linebreaksbr
from django.template.engine import Engine
from django.urls import reverse
from django.utils.safestring import SafeString

from integrations.programs.requirements import ResourceLink
from integrations.submissions.models import Integration
from integrations.submissions.presenters import RequirementRow
from integrations.submissions.workflow.states import Status
from portal.audit.models import AuditEvent
from portal.core.value_types import TemplateContext
from portal.ui.components.blocks import entry, requirement
from portal.ui.components.markup import ENVIRONMENT, component, render
from portal.ui.markdown import render_markdown

register = template.Library()


def _include(context: Context, name: str, **values: object) -> SafeString:
    """Render a template of Django with the values of the page."""
    with context.push(**values):
        return Engine.get_default().get_template(name).render(context)


@register.simple_tag(takes_context=True)
def integration_part(context: Context, name: str) -> SafeString:
    """Render jinja2/ui/components/NAME.html with the values of the page."""
    tags = {"include": partial(_include, context), "requirement_rows": partial(requirement_rows, context)}
    return render(name, _flatten(context) | tags)


@register.simple_block_tag(takes_context=True)
def integration_details(context: Context, content: str, *, is_private: bool) -> SafeString:
    """Render the panels beside an integration, with the facts of sources as content."""
    values = {"source_facts": SafeString(content.strip()), "is_private": is_private}
    return render("integration_details", _flatten(context) | values)


def _flatten(context: Context) -> TemplateContext:
    """Return the values of the page, of which a part can use all."""
    return {str(name): value for layer in context.dicts for name, value in layer.items()}


@component
def resource_links(links: Iterable[ResourceLink]) -> None:
    """Render a list of links to resources, with their descriptions."""


@register.simple_tag(takes_context=True)
def requirement_rows(context: Context, rows: Iterable[RequirementRow]) -> SafeString:
    """Render requirements, one of which can be open. During an outage, failures to reach a service aren't shown."""
    return SafeString("".join([_render_row(context, row) for row in rows]))


def _render_row(context: Context, row: RequirementRow) -> SafeString:
    integration: Integration = context["integration"]
    href = reverse("submissions:requirement", args=[integration.uuid, row.requirement.id])
    title, who = row.requirement.title, row.responsible
    if row.requirement == context.get("requirement"):
        content = _include(context, "submissions/opened.html")
        return requirement(content, state=row.display_status, title=title, who=who, href=href, id="opened")
    if row.display_status == Status.ERROR and context["outage"]:
        return requirement("", state="open", title=title, who=who, href=href, inline=True)
    return requirement("", state=row.display_status, title=title, who=who, href=href, reason=row.why, inline=True)


@register.simple_tag
def event_entries(events: Iterable[AuditEvent]) -> SafeString:
    """Render events as entries of a timeline."""
    return SafeString("".join([_render_event(event) for event in events]))


def _render_event(event: AuditEvent) -> SafeString:
    return entry(
        render_markdown(event.note),
        what=event.summary,
        at=event.at,
        tone=event.type.tone,
        icon=event.type.icon,
        private=event.internal,
        id=event.anchor,
    )


ENVIRONMENT.filters |= {"capfirst": capfirst, "linebreaksbr": linebreaksbr, "event_entries": event_entries}
