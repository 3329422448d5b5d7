"""How does a company change what an integration says of itself? The start form again, over the integration."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.utils import timezone
from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.submissions.forms.drafts import StartForm
from integrations.submissions.models import Integration
from integrations.submissions.services import creation
from integrations.submissions.views.mixins import load, only
from portal.core import repository_urls
from portal.core.errors import NotAllowed
from portal.ui.refusals import refused


def edit_facts(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Name, description, category, offerings, homepage and repository. Old and new stand in the history."""
    found = load(request, uuid)
    only(permissions.may_edit, found, request.user)
    if not found.is_open:
        messages.error(request, _("These facts can be changed while the integration is open."))
        return redirect("integration", uuid)
    typed = request.POST or request.unsent()  # type: ignore[attr-defined]
    form = StartForm(found.program, found.edition, typed or None, initial=initial_of(found))
    if request.method == "POST" and form.is_valid():
        try:
            creation.change_facts(found, changed_facts(found, form), by=request.user, now=timezone.now())
            messages.success(request, _("Saved."))
        except NotAllowed as refusal:
            refused(request, refusal)
        return redirect("integration", uuid)
    context = {"integration": found, "form": form}
    return render(request, "submissions/edit.html", context, status=422 if request.method == "POST" else 200)


def initial_of(found: Integration) -> dict[str, Any]:
    """The form's fields as they stand."""
    kept = {key: getattr(found, key) for key in creation.OWN_FACTS}
    return kept | {"repository_address": found.repository}


def changed_facts(found: Integration, form: StartForm) -> dict[str, Any]:
    """The facts as typed; another repository brings its own numbers, or none where GitHub cannot be asked."""
    facts = {key: form.cleaned_data[key] for key in creation.OWN_FACTS}
    repository = form.cleaned_data["repository_address"]
    if repository.lower() == found.repository.lower():
        return facts
    answers = repository_urls.look_up(repository)
    ids = {key: answers[key] for key in ("repository_id", "repository_owner_id")}
    return facts | {"repository": repository} | ids


urlpatterns = [path("integrations/<uuid:uuid>/facts/", edit_facts, name="edit_facts")]
