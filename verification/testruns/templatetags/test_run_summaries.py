"""Template tag for the test runs of an integration, for reviewers."""

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from integrations.programs.requirements import Requirement
from integrations.submissions.models import Integration
from portal.ui.components.inline import link_button
from verification.testruns import selectors

register = template.Library()


@register.inclusion_tag("testruns/summaries.html")
def show_test_run_summaries(integration: Integration, requirement: Requirement | None = None) -> dict[str, object]:
    """Return the test runs, for a requirement only if they help to decide on it. Without any, there is no panel."""
    is_relevant = requirement is None or selectors.is_relevant(requirement)
    return {
        "rows": [(row, _build_link(row)) for row in selectors.get_latest_test_runs(integration)] if is_relevant else []
    }


def _build_link(row: selectors.TestRunSummary) -> SafeString:
    text = format_html('{}<span class="visually-hidden">: {}</span>', _("View test run"), row.what)
    return link_button(text, href=row.href, small=True)
