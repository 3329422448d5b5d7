"""Template tags for the test runs of an integration, and for the inspection of its schema."""

from django import template
from django.utils.translation import gettext as _

from integrations.programs.requirements import Requirement
from integrations.submissions.models import Integration
from portal.core.value_types import TemplateContext
from portal.ui.components.inline import link_button
from verification.testruns import selectors

register = template.Library()


@register.inclusion_tag("testruns/summaries.html")
def show_test_run_summaries(integration: Integration, requirement: Requirement | None = None) -> dict[str, object]:
    """Return the test runs, for a requirement only if they help to decide on it. Without any, there is no panel."""
    if requirement is not None and not selectors.is_relevant(requirement):
        return {"rows": []}
    rows = selectors.get_latest_test_runs(integration)
    for row in rows:
        row["link"] = link_button(_("View test run"), href=row["href"], small=True, about=row["title"])
    return {"rows": rows}


@register.inclusion_tag("testruns/schema_inspection.html", takes_context=True)
def show_schema_inspection(context: TemplateContext, integration: Integration) -> TemplateContext:
    """Render the newest inspection, with a button that starts another one."""
    return selectors.build_inspection_context(integration, context["request"].user)
