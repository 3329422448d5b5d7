"""How does every form look? Label above, hint below, the error in place with its fix.

A field that the portal filled from elsewhere says so: `form.fields["name"].prefilled = "from the repository"`.
"""

from django.forms.renderers import TemplatesSetting


class FormRenderer(TemplatesSetting):
    """Named by FORM_RENDERER: `{{ form }}` and `{{ form.field.as_field_group }}` use our templates."""

    form_template_name = "ui/forms/form.html"
    formset_template_name = "ui/forms/formset.html"
    field_template_name = "ui/forms/field.html"
