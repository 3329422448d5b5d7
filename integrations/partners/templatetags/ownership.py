"""Template tag for other pages: the companies that have no owner without a person."""

from django import template

from integrations.partners import permissions, selectors
from portal.accounts.models import User
from portal.core.value_types import TemplateContext

register = template.Library()


@register.inclusion_tag("partners/partials/sole_ownership.html", takes_context=True)
def sole_ownership_warning(context: TemplateContext, person: User) -> dict[str, object]:
    """Warn that a person is the only owner of companies, with links to appoint another one."""
    return {
        "person": person,
        "partners": selectors.list_solely_owned_partners(person),
        "can_view_partners": permissions.is_program_staff(context["request"].user),
    }
