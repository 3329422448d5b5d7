"""Includes between templates of Django and Jinja2: both get the values of the page."""

from functools import partial

from django.template import Context
from django.template.engine import Engine
from django.utils.safestring import SafeString

from portal.ui.components.markup import register, render


@register.simple_tag(takes_context=True)
def include_jinja(context: Context, name: str, **values: object) -> SafeString:
    """Render a Jinja2 template, which can include a template of Django with `include(name, **values)`."""
    page = {str(key): value for layer in context.dicts for key, value in layer.items()}
    return render(name, page | values | {"include": partial(include_django, context)})


def include_django(context: Context, name: str, **values: object) -> SafeString:
    """Render a template of Django."""
    with context.push(**values):
        return Engine.get_default().get_template(name).render(context)
