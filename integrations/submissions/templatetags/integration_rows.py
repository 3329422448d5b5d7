"""Template tags for lists on an integration's pages. As nested templates, the lists would dominate the page time."""

from collections.abc import Iterable

from django import template
from django.template import Context
from django.urls import reverse
from django.utils.safestring import SafeString

from integrations.submissions.models import Integration
from integrations.submissions.presenters import RequirementRow
from integrations.submissions.workflow.states import Status
from portal.audit.models import AuditEvent
from portal.ui.components.blocks import entry, requirement
from portal.ui.markdown import render_markdown

register = template.Library()


@register.simple_tag(takes_context=True)
def requirement_rows(context: Context, rows: Iterable[RequirementRow]) -> SafeString:
    """Render requirements, one of which can be open. During an outage, failures to reach a service aren't shown."""
    return SafeString("".join([_render_row(context, row) for row in rows]))


def _render_row(context: Context, row: RequirementRow) -> SafeString:
    integration: Integration = context["integration"]
    href = reverse("submissions:requirement", args=[integration.uuid, row.requirement.id])
    title, who = row.requirement.title, row.responsible
    if row.requirement == context.get("requirement"):
        opened = context.template.engine.get_template("submissions/opened.html")  # type: ignore[union-attr]
        with context.push():
            content = opened.render(context)
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
