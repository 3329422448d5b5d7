"""Monitoring page with the webhook setup."""

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_variables

from integrations.partners import permissions
from integrations.sla.github import webhook_intake
from integrations.sla.models import MonitoredRepository
from integrations.sla.services import monitoring
from integrations.sla.services.issue_repository import find_unmeasured_tracker
from integrations.submissions.access import load_visible_integration
from integrations.submissions.models import Integration
from portal.accounts.reauthentication import require_recent_authentication
from portal.accounts.requests import AuthenticatedRequest
from portal.core.one_time_secrets import store_secret, take_secret
from portal.core.site_urls import build_absolute_url
from portal.core.value_types import TemplateContext
from portal.ui.refusals import report_refusals


def show_monitoring(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Show the webhook URL, the status of deliveries, and a new secret once. A POST request rotates the secret."""
    integration = load_visible_integration(request, uuid)
    monitored_repository = MonitoredRepository.objects.filter(integration=integration, ended_at=None).first()
    if monitored_repository is None:
        raise Http404(_("The portal doesn't monitor the repository of this integration."))
    can_edit = permissions.can_edit(integration, request.user)
    if request.method != "POST":
        return _render_page(request, integration, monitored_repository, can_edit)
    if not can_edit:
        messages.error(request, _("Only owners and editors of the company can rotate the secret."))
        return redirect("sla:monitoring", uuid)
    with report_refusals(request):
        require_recent_authentication(request)
        secret = monitoring.rotate_secret(
            monitored_repository,
            actor=request.user,
            now=timezone.now(),
            expected_fingerprint=request.POST.get("after", ""),
        )
        webhook_intake.clear_cached_repository(monitored_repository.uuid)
        store_secret(request, f"monitoring {monitored_repository.uuid}", secret)
    return redirect("sla:monitoring", uuid)


@sensitive_variables("secret", "context")
def _render_page(
    request: HttpRequest, integration: Integration, monitored_repository: MonitoredRepository, can_edit: bool
) -> HttpResponse:
    secret = take_secret(request, f"monitoring {monitored_repository.uuid}")
    old_until = monitored_repository.old_secret_until
    repository = {"id": monitored_repository.repository_id, "full_name": monitored_repository.repository}
    context: TemplateContext = {
        "integration": integration,
        "monitored_repository": monitored_repository,
        "can_change": can_edit,
        "address": build_absolute_url("inbound:github_webhook", monitored_repository.uuid),
        "after": monitoring.get_secret_fingerprint(monitored_repository),
        "secret": secret.value if secret else "",
        "trouble": monitoring.describe_trouble(monitored_repository),
        "has_code": webhook_intake.is_code_repository(monitored_repository, repository),
        "unmeasured_tracker": find_unmeasured_tracker(integration),
        "old_until": old_until if old_until and old_until > timezone.now() else None,
    }
    return render(request, "sla/monitoring.html", context)
