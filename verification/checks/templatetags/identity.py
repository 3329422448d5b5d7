"""Template tags that compare the identity of a company."""

from collections.abc import Iterable, Mapping, Sequence

from django import template
from django.core.paginator import Page
from django.utils.safestring import SafeString

from integrations.partners.models import Partner, PartnerVerification
from integrations.programs.requirements import Requirement
from integrations.submissions.models import Integration
from portal.ui.components.markup import EMPTY, ENVIRONMENT, component, split_url
from verification.checks.identity import compare_identity, is_about_identity

register = template.Library()
ENVIRONMENT.filters["is_about_identity"] = is_about_identity


@register.simple_tag
def show_company_identity(
    partner: Partner, page: Page[Integration], proofs: Sequence[PartnerVerification]
) -> SafeString:
    """Render what the company claims with its newest integration next to what we found.

    `page` is the page of its integrations that is shown, newest first, and `proofs` are all its proofs.
    """
    newest = page.object_list if page.number == 1 else ()
    rows, earlier = compare_identity(partner, None, list(newest), proofs)
    return identity_table(rows, earlier=earlier)


@register.simple_tag
def show_identity(integration: Integration, requirement: Requirement) -> SafeString:
    """Render what the company claims with an integration, if the requirement is about that. Otherwise nothing."""
    if not is_about_identity(requirement, integration):
        return EMPTY
    rows, earlier = compare_identity(integration.partner, integration)
    return identity_table(rows, earlier=earlier)


@component
def identity_table(rows: Iterable[object], *, earlier: Iterable[object]) -> Mapping[str, object]:
    """Render a panel with the identity of a company, and links to its earlier integrations."""
    return {"review_url": split_url("reviews:review")}
