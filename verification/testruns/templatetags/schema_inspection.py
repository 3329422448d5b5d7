"""Template tag for the inspection of a provider's schema."""

from django import template

from integrations.submissions.models import Integration
from portal.core.value_types import TemplateContext
from verification.testruns.schema_inspection import TEMPLATE, build_inspection_context

register = template.Library()


@register.inclusion_tag(TEMPLATE, takes_context=True)
def show_schema_inspection(context: TemplateContext, integration: Integration) -> TemplateContext:
    """Render the newest inspection, with a button that starts another one."""
    return build_inspection_context(integration, context["request"].user)
