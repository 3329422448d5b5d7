"""Template tags that compare the identity of a company."""

from django import template
from django.core.paginator import Page

from integrations.partners.models import Partner
from integrations.programs.requirements import Requirement
from integrations.submissions.models import Integration
from portal.ui.components.markup import ENVIRONMENT
from verification.checks.identity import compare_identity, is_about_identity

register = template.Library()
ENVIRONMENT.filters["is_about_identity"] = is_about_identity


@register.inclusion_tag("checks/partials/identity.html")
def show_company_identity(partner: Partner, page: Page[Integration]) -> dict[str, object]:
    """Render what the company claims with its newest integration beside what was found.

    `page` is the page of its integrations that is shown, newest first.
    """
    newest = page.object_list if page.number == 1 else ()
    return {"identity": compare_identity(partner, None, list(newest))}


@register.inclusion_tag("checks/partials/identity.html")
def show_identity(integration: Integration, requirement: Requirement) -> dict[str, object]:
    """Render what the company claims with an integration, if the requirement is about that. Otherwise nothing."""
    is_shown = is_about_identity(requirement, integration)
    return {"identity": compare_identity(integration.partner, integration) if is_shown else None}
