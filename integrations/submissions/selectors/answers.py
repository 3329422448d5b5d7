"""Answers of the partner to questions whose keys mean the same in every program."""

from integrations.submissions.models import Integration


def get_critical_issue_address(integration: Integration) -> str:
    """Return the partner's email address for critical issues, blank if the partner hasn't entered one."""
    answers = (fulfillment.data for fulfillment in integration.fulfillments_by_id.values())
    return next((str(answer["escalation"]) for answer in answers if answer.get("escalation")), "")
