"""Style guide page with all components and sample data."""

from django import forms
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from portal.core.form_fields import MultiLineField, SingleLineField
from portal.styleguide.catalog import CATALOG, render_part
from portal.styleguide.samples import build_context


class SampleForm(forms.Form):
    """Form with one field of each type. Submit it empty to see the errors."""

    name = SingleLineField(
        label="Name", max_length=60, initial="Rocket provider", help_text="The name that your users know."
    )
    repository = forms.URLField(label="Repository", assume_scheme="https", help_text="The public repository on GitHub.")
    category = forms.ChoiceField(label="Category", choices=[("net", "Networking"), ("db", "Database")])
    summary = MultiLineField(label="Summary", max_lines=2, required=False, help_text="Two lines at most.")
    offering = forms.ChoiceField(
        label="Compatible products", widget=forms.RadioSelect, choices=[("oss", "Open Source"), ("ent", "Enterprise")]
    )
    parts = forms.MultipleChoiceField(
        label="Supported stages",
        widget=forms.CheckboxSelectMultiple,
        choices=[("pre", "Before plan"), ("post", "After plan")],
    )
    log = forms.FileField(label="Test log", required=False, help_text="Text or ZIP, up to 20 MB.")
    response_time = forms.BooleanField(label="We respond to critical issues within 48 hours")


SampleForm.base_fields["name"].prefilled = "from the repository"  # type: ignore[attr-defined]


@login_not_required
def show_styleguide(request: HttpRequest) -> HttpResponse:
    """Show the style guide. Submitting the form only shows its errors."""
    form = SampleForm(request.POST if request.method == "POST" else None)
    context = build_context(timezone.now()) | {"form": form}
    groups = [(name, [render_part(part, context, request) for part in parts]) for name, parts in CATALOG.groups.items()]
    return render(
        request, "styleguide/styleguide.html", {"groups": groups, "sides": ("light", "dark"), "catalog": CATALOG}
    )
