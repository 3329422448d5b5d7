"""Answers of the partner to questions whose keys mean the same in every program."""

from collections import defaultdict
from collections.abc import Collection

from django.db.models import OuterRef, Subquery

from integrations.partners.models import Partner
from integrations.submissions.models import Integration, RequirementFulfillment
from portal.core.value_types import NamedValues


def get_critical_issue_address(integration: Integration) -> str:
    """Return the partner's email address for critical issues, blank if the partner hasn't entered one."""
    return _get_answer(integration, "escalation")


def group_by_critical_issue_address(partner: Partner) -> dict[str, list[NamedValues]]:
    """Return the UUIDs and names of a partner's supported integrations by their email for critical issues."""
    answers = RequirementFulfillment.objects.filter(integration=OuterRef("pk"), data__has_key="escalation")
    rows = partner.integrations.in_support().annotate(address=Subquery(answers.values("data__escalation")[:1]))
    integrations_by_address: dict[str, list[NamedValues]] = defaultdict(list)
    for row in rows.order_by("name", "pk").values("uuid", "name", "address"):
        integrations_by_address[row["address"] or ""].append({**row})
    return integrations_by_address


def get_issue_tracker(integration: Integration) -> str:
    """Return the URL of the issue tracker, blank if the partner hasn't entered one."""
    return _get_answer(integration, "tracker")


def get_issue_trackers(integrations: Collection[int]) -> dict[int, str]:
    """Return the URLs of the issue trackers that partners entered, by integration ID."""
    answers = RequirementFulfillment.objects.filter(integration__in=integrations, data__has_key="tracker")
    return dict(answers.values_list("integration_id", "data__tracker"))


def _get_answer(integration: Integration, key: str) -> str:
    answers = (fulfillment.data for fulfillment in integration.fulfillments_by_id.values())
    return next((str(answer[key]) for answer in answers if answer.get(key)), "")
