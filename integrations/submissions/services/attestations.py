"""Voiding of confirmed statements when what they are about changes, until the release to support.

A void statement is open again and stores why. Call these functions with the integration locked, and refresh its next
action afterward.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime

from django.conf import settings
from django.utils import translation

from integrations.programs.requirements import Requirement
from integrations.submissions.models import Integration, RequirementFulfillment
from integrations.submissions.selectors import context
from integrations.submissions.selectors.prerequisites import list_sent_findings
from integrations.submissions.workflow.next_action import render_action_text
from integrations.submissions.workflow.states import Stage, Status
from portal.audit.services import record_event
from portal.core.value_types import JsonObject

REASON_BY_SUBJECT = {"repository": "repository_changed", "release": "release_changed"}  # codes in next_actions.yaml
NEW_FINDINGS = "changes_requested"


def keep_subjects(previous: list[JsonObject], detail: list[JsonObject]) -> list[JsonObject]:
    """Return details of checks in which a check that found no repository or release keeps the last one it found."""
    known = {item["key"]: item.get("subjects", {}) for item in previous}
    # Otherwise, an outage between two releases would hide that the release changed.
    return [item | {"subjects": known.get(item["key"], {}) | item.get("subjects", {})} for item in detail]


def void_changed(
    integration: Integration, checked: str, previous: list[JsonObject], detail: list[JsonObject], now: datetime
) -> bool:
    """Void the statements about a checked requirement if one of its checks found another repository or release.

    Returns:
        Whether a statement was voided.
    """
    reason = next(_list_changes(previous, detail), None)
    if reason is None:
        return False
    confirming = [each for each in integration.edition.list_all_requirements() if checked in each.confirms]
    return _void(integration, confirming, reason, now)


def _list_changes(previous: list[JsonObject], detail: list[JsonObject]) -> Iterator[JsonObject]:
    """Yield the code and parameters of each change, of repositories first."""
    known = {item["key"]: item.get("subjects", {}) for item in previous}
    for subject, code in REASON_BY_SUBJECT.items():
        for item in detail:
            old = known.get(item["key"], {}).get(subject)
            new = item.get("subjects", {}).get(subject)
            # GitHub's names of owners and repositories are case-insensitive.
            if old and new and old.casefold() != new.casefold():
                yield {"code": code, "params": {"old": old, "new": new}}


def void_answered_findings(integration: Integration, now: datetime) -> None:
    """Void the statements that every finding has a response if one that the partner can see has none."""
    if _has_unanswered_findings(integration):
        about_findings = [each for each in integration.edition.list_requirements() if each.after_findings]
        _void(integration, about_findings, {"code": NEW_FINDINGS, "params": {}}, now)


def restore_answered_findings(integration: Integration) -> None:
    """Restore the statements about findings after the request for changes was undone.

    They stay void if a reviewer had reopened a finding before the request.
    """
    if _has_unanswered_findings(integration):
        return
    for state in integration.fulfillments.filter(data__void_reason__code=NEW_FINDINGS):
        _save(state, Status.SUBMITTED, {"confirmed": True})


def _has_unanswered_findings(integration: Integration) -> bool:
    context.clear_cache(integration)
    return any(finding.state == finding.State.OPEN for finding in list_sent_findings(integration))


def _void(integration: Integration, requirements: Iterable[Requirement], reason: JsonObject, now: datetime) -> bool:
    """Reopen the confirmed statements among the requirements and record it. In support, nothing is voided."""
    if not integration.is_open or integration.stage == Stage.SUPPORT:
        return False
    titles = {requirement.id: requirement.title for requirement in requirements}
    states = list(integration.fulfillments.filter(requirement_id__in=titles, status=Status.SUBMITTED))
    # The event stores the text for readers of all languages.
    with translation.override(settings.LANGUAGE_CODE):
        note = render_action_text(**reason)
    for state in states:
        _save(state, Status.OPEN, {"void_reason": reason})
        record_event(
            integration,
            "requirement.confirmation_voided",
            actor=None,
            now=now,
            note=note,
            requirement=state.requirement_id,
            title=titles[state.requirement_id],
        )
    return bool(states)


def _save(state: RequirementFulfillment, status: Status, data: JsonObject) -> None:
    state.status = status
    state.data = data
    state.version += 1
    state.save(update_fields=["status", "data", "version"])
