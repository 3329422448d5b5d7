"""Reviewers who can make a pending decision that others began, and who can add one if there is none."""

from collections.abc import Iterable

from django.db.models import Q

from integrations.partners import permissions
from integrations.partners.conflicts import list_impartial_reviewers
from integrations.partners.models import Partner
from integrations.submissions.models import Integration
from integrations.submissions.workflow.compliance_guards import SEPARATED_DECISIONS, is_excluded_from_decision
from portal.accounts.models import User
from portal.accounts.role_names import list_programs
from portal.core.value_types import NamedValues

# Columns of an integration that decide who can make its pending decision
AUTHOR_COLUMNS = ("created_by_id", "reviewer_id", "notice_by_id", "enforced_by_id")
DECIDING_COLUMNS = (*AUTHOR_COLUMNS, "program_key", "stage", "next_action_code")


def build_queued_integration(values: NamedValues) -> Integration:
    """Return the integration of an item of the queue with the columns that decide who can make its decision."""
    columns = {name: values[name] for name in DECIDING_COLUMNS}
    return Integration(partner=Partner(pk=values["partner_id"]), **columns)


def has_no_decider(integration: Integration) -> bool:
    """Return whether the pending decision needs another person than the earlier ones, and no reviewer can make it."""
    return integration.next_action_code in SEPARATED_DECISIONS and not list_deciding_reviewers(integration)


def list_deciding_reviewers(integration: Integration) -> list[User]:
    """Return the reviewers who can make the pending decision."""
    # The same conditions as permissions.can_review_now, which needs a query for each reviewer
    return [
        reviewer
        for reviewer in list_impartial_reviewers(integration.partner).order_by("pk")
        if reviewer.pk != integration.created_by_id
        and permissions.can_review_program(integration.program_key, reviewer)
        and not permissions.is_own_approval(integration.first_approver_id, integration.review_state, reviewer)
        and not is_excluded_from_decision(integration, reviewer.pk)
    ]


def get_deciding_reviewer(integration: Integration) -> User | None:
    """Return the assigned reviewer, or None if they lost the program or made an earlier decision."""
    reviewer = integration.reviewer
    # docs/explanation/compliance.md, "Who decides": after an earlier decision, the item isn't theirs.
    if reviewer is None or is_excluded_from_decision(integration, reviewer.pk):
        return None
    return reviewer if permissions.can_review_program(integration.program_key, reviewer) else None


def _can_decide(integration: Integration, user: User) -> bool:
    return permissions.can_decide(integration, user) and not is_excluded_from_decision(integration, user.pk)


def find_without_decider(items: Iterable[NamedValues], user: User) -> set[int]:
    """Return the IDs of integrations that lack a decider among items of the queue; no query if the user is one."""
    separated = [values for values in items if values["next_action_code"] in SEPARATED_DECISIONS]
    rows = {values["integration_id"]: build_queued_integration(values) for values in separated}
    # Most readers of the queue are reviewers who can decide, so the list of all reviewers is rarely read.
    others = {pk: row for pk, row in rows.items() if not _can_decide(row, user)}
    reviewers = list(User.objects.active_reviewers()) if others else []
    return {pk for pk, row in others.items() if not any(_can_decide(row, reviewer) for reviewer in reviewers)}


def list_reviewer_managers(integration: Integration) -> list[User]:
    """Return who can add reviewers to the program for a decision: its managers, or else the administrators."""
    users = User.objects.filter(Q(is_superuser=True) | ~Q(program_roles=[]), is_active=True).order_by("pk")
    # Members of the company act for it alone, and their emails say nothing about reviewers.
    people = users.exclude(pk__in=[member.pk for member in integration.partner.list_members()])
    managers = [person for person in people if integration.program_key in list_programs(person, "manager")]
    # docs/explanation/compliance.md: a program without managers notifies the administrators.
    return managers or [person for person in people if person.is_superuser]
