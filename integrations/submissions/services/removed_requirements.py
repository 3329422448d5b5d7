"""Effects of a change of the category or the edition on the requirements that no longer apply."""

from datetime import datetime

from integrations.submissions.models import Integration
from integrations.submissions.selectors import context
from integrations.submissions.services import findings


def end_removed_requirements(integration: Integration, now: datetime) -> None:
    """Clear the waiver requests and verify the automatic findings of requirements that no longer apply.

    No one could decide or fix them anymore. Call with the integration locked and its new category or edition set.
    """
    requirements = integration.edition.list_all_requirements()
    ids = [requirement.id for requirement in requirements if context.is_applicable(requirement, integration)]
    requested = integration.fulfillments.filter(waiver_requested_at__isnull=False)
    for state in requested.exclude(requirement_id__in=ids):
        state.clear_waiver_request()
        state.save()
    automatic_findings = integration.findings.exclude(due_at=None).exclude(requirement_id__in=ids)
    for id in set(automatic_findings.values_list("requirement_id", flat=True)):
        findings.close_automatic_finding(integration, id, now=now)
