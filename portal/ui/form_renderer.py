"""Rendering of forms with one field template.

Set `form.fields["name"].prefilled = "from the repository"` to show where the value of a field comes from, and
`form.fields["name"].wrapper_id` to let htmx replace a field with its label and errors.
"""

from typing import Any

from django.forms import BoundField
from django.forms.renderers import TemplatesSetting
from django.http import HttpRequest

from portal.ui.components.markup import render

# Jinja2 templates of components. Django's template of a select includes two more for each option.
COMPONENTS = {
    "form": "ui/components/form.html",
    "form_field": "ui/components/form_field.html",
    "django/forms/widgets/select.html": "ui/components/select.html",
}


class FormRenderer(TemplatesSetting):
    """Form renderer with the portal's templates, named in FORM_RENDERER."""

    form_template_name = "form"
    formset_template_name = "ui/forms/formset.html"
    field_template_name = "form_field"

    def render(self, template_name: str, context: dict[str, Any], request: HttpRequest | None = None) -> str:
        if template_name == self.field_template_name:
            focus_first_error(context["field"])
        component = COMPONENTS.get(template_name)
        return render(component, context) if component else super().render(template_name, context, request)


def focus_first_error(field: BoundField) -> None:
    """Let the browser focus the field if it is the first one with an error, also without scripts.

    Not for several controls: each of them would have the attribute, of which a page can have only one.
    """
    if field.errors and not field.use_fieldset:
        first = next((each for each in field.form.visible_fields() if each.errors), None)
        if first and first.name == field.name:
            field.field.widget.attrs["autofocus"] = True
