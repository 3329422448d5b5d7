"""Prerequisites of requirements: whether one applies, is needed, and can be fulfilled now. Nothing here writes."""

from datetime import datetime
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from integrations.programs.requirements import Requirement
from integrations.submissions.workflow.guards import describe_open_findings, format_titles

if TYPE_CHECKING:
    from integrations.submissions.models import Finding, Integration


def is_applicable(requirement: Requirement, integration: "Integration") -> bool:
    """Return whether the requirement applies to the integration's category."""
    return not requirement.categories or integration.category in requirement.categories


def is_fulfilled(requirement: Requirement, integration: "Integration", now: datetime) -> bool:
    state = integration.fulfillments_by_id.get(requirement.id)
    return state is not None and state.is_met(now)


def list_sent_findings(integration: "Integration") -> "list[Finding]":
    """Return the blocking findings that a reviewer sent to the partner. There are none before the first review."""
    # Saves the query of findings before the first review.
    if not integration.review_round:
        return []
    return [
        finding
        for finding in integration.all_findings
        # Automatic findings, which have a due date, concern a listed integration, not a review.
        if finding.due_at is None and finding.severity == "blocking" and finding.is_visible_to_partner
    ]


def is_needed(requirement: Requirement, integration: "Integration") -> bool:
    """Return whether the requirement applies. A statement about findings also needs at least one."""
    if not is_applicable(requirement, integration):
        return False
    return not requirement.after_findings or bool(list_sent_findings(integration))


def explain_blocker(requirement: Requirement, integration: "Integration", now: datetime) -> str:
    """Return why an attestation can't be given yet, blank if it can: what it is about must come first."""
    if requirement.after_findings:
        sent = list_sent_findings(integration)
        open_count = sum(finding.state == finding.State.OPEN for finding in sent)
        if not sent:
            return _("Needed only after a reviewer requests changes.")
        if open_count:
            return describe_open_findings(open_count)
    subjects = [subject for id in requirement.confirms if (subject := integration.edition.get_requirement(id))]
    titles = [
        subject.title
        for subject in subjects
        # What the statement is about may not exist in this category, and then it needn't come first.
        if is_applicable(subject, integration) and not is_fulfilled(subject, integration, now)
    ]
    if len(titles) == 1:
        return _("Complete “%(title)s” first.") % {"title": titles[0]}
    return format_titles(_("Complete these requirements first"), titles) if titles else ""
