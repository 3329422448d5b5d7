"""Template tag for the agreements on a partner's pages."""

from django import template

from integrations.partners import permissions
from integrations.partners.models import Partner
from integrations.submissions.selectors.agreements import list_agreements
from portal.core.value_types import TemplateContext

register = template.Library()


@register.inclusion_tag("submissions/partials/agreements.html", takes_context=True)
def show_agreements(context: TemplateContext, partner: Partner) -> dict[str, object]:
    """Render all versions of the partner's agreements, with documents for those who can download them."""
    user = context["request"].user
    return {
        "partner": partner,
        "agreements": list_agreements(partner),
        "can_download": permissions.can_download(partner, user, is_agreement=True),
    }
