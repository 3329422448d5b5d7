"""Page for editing the description of an integration."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.submissions.access import load_visible_integration, require_permission
from integrations.submissions.forms.drafts import IntegrationForm
from integrations.submissions.models import DESCRIPTION_FIELDS, Integration
from integrations.submissions.services import creation
from portal.accounts.requests import AuthenticatedRequest
from portal.core import repository_urls
from portal.core.form_fields import send_initial_values
from portal.core.value_types import NamedValues
from portal.ui.refusals import add_refusals_to_form


def edit_integration(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Edit name, description, category, products, homepage, and repository. The history records changes."""
    integration = load_visible_integration(request, uuid)
    require_permission(permissions.can_edit, integration, request.user)
    if not integration.is_open:
        messages.error(request, _("You can edit details only while the integration is open."))
        return redirect("submissions:detail", uuid)
    form_data = request.POST or request.unsent()
    form = IntegrationForm(
        integration.program, integration.edition, data=form_data or None, initial=build_initial_data(integration)
    )
    send_initial_values(form)
    if request.method == "POST" and form.is_valid():
        with add_refusals_to_form(form):
            changes = build_changes(integration, form)
            creation.change_description(integration, changes, actor=request.user, now=timezone.now())
            messages.success(request, _("Details saved."))
            if "repository" in changes:
                messages.info(request, _("Repository changed. The checks run again, and we notify the program."))
            return redirect("submissions:detail", uuid)
    context = {"integration": integration, "form": form}
    return render(request, "submissions/edit.html", context, status=422 if request.method == "POST" else 200)


def build_initial_data(integration: Integration) -> NamedValues:
    """Return the current values of the form fields."""
    values = {key: getattr(integration, key) for key in DESCRIPTION_FIELDS}
    return values | {"repository_address": integration.repository}


def build_changes(integration: Integration, form: IntegrationForm) -> NamedValues:
    """Return the values that the user edited. A new repository also sets its IDs, or clears them without GitHub."""
    # Only what the user edited: a page that was opened earlier must not revert what others saved.
    values = {key: form.cleaned_data[key] for key in DESCRIPTION_FIELDS if key in form.changed_data}
    repository = form.cleaned_data["repository_address"]
    if "repository_address" not in form.changed_data or repository.lower() == integration.repository.lower():
        return values
    repository_data = repository_urls.fetch_repository(repository)
    repository_ids = {key: repository_data[key] for key in ("repository_id", "repository_owner_id")}
    return values | {"repository": repository} | repository_ids
