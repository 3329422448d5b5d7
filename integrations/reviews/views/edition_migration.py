"""Page for moving an integration to another edition of its program."""

from datetime import datetime
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from integrations.reviews.forms.transitions import EditionMigrationForm
from integrations.reviews.presenters import explain_decision_refusal
from integrations.submissions import email_previews
from integrations.submissions.access import load_integration_for_program, load_visible_integration
from integrations.submissions.models import Integration
from integrations.submissions.services import edition_migration as editions
from portal.accounts.models import User
from portal.accounts.requests import AuthenticatedRequest
from portal.audit.models import AuditEvent
from portal.core.errors import ActionRefused
from portal.core.value_types import TemplateContext
from portal.notifications.models import EmailMessage


def migrate_edition(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Show the dry run with the exact emails, or move the integration."""
    integration = load_integration_for_program(request, uuid)
    decision_refusal = explain_decision_refusal(integration, request.user)
    now = timezone.now()
    form = EditionMigrationForm(integration, data=request.POST or request.unsent() or request.GET or None)
    context: TemplateContext = {
        "integration": integration,
        "program": integration.program,
        "form": form,
        "decision_refusal": decision_refusal,
    }
    status = 422 if request.method == "POST" and form.errors else 200
    if form.is_valid():
        to = form.cleaned_data["to"]
        note = form.cleaned_data["note"]
        try:
            if request.method == "POST" and "move" in request.POST:
                editions.migrate_edition(integration, to, actor=request.user, now=timezone.now(), note=note)
                values = {"name": integration.name, "edition": to}
                messages.success(request, _("%(name)s now uses edition %(edition)s.") % values)
                return redirect("reviews:review", uuid=uuid)
            context["plan"] = editions.plan_migration(integration, to, now)
            context["emails"] = (
                [] if decision_refusal else preview_emails(integration, to, actor=request.user, note=note, now=now)
            )
        except ActionRefused as refusal:
            context |= {"refusal": str(refusal), "integration": load_visible_integration(request, uuid)}
            if request.method == "POST":
                status = 403 if refusal.kind == "forbidden" else 422
    return render(request, "reviews/transitions/edition_migration.html", context, status=status)


def preview_emails(integration: Integration, to: str, *, actor: User, note: str, now: datetime) -> list[EmailMessage]:
    """Return the exact emails of a migration. Raises ActionRefused."""

    def record_migration() -> AuditEvent:
        # Really migrated and rolled back, so that the preview is what the emails will be.
        editions.migrate_edition(integration, to, actor=actor, now=now, note=note)
        return integration.events.filter(event_type="integration.edition_moved").latest("seq")

    return email_previews.preview_emails(record_migration, actor).emails
