"""Rendering of forms with one field template.

Set `form.fields["name"].prefilled = "from the repository"` to show where the value of a field comes from.
"""

from django.forms.renderers import TemplatesSetting


class FormRenderer(TemplatesSetting):
    """Form renderer with the portal's templates, named in FORM_RENDERER."""

    form_template_name = "ui/forms/form.html"
    formset_template_name = "ui/forms/formset.html"
    field_template_name = "ui/forms/field.html"
