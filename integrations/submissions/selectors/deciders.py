"""Reviewers who can make a pending decision that others began, and who can add one if there is none."""

from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any

from django.db.models import Q

from integrations.partners import permissions
from integrations.partners.models import Partner
from integrations.submissions.workflow.compliance_guards import SEPARATED_DECISIONS, is_excluded_from_decision
from portal.accounts.models import User
from portal.accounts.role_names import list_programs
from portal.core.value_types import NamedValues


def lacks_decider(integration: Any) -> bool:
    """Return whether the pending decision needs another person than the earlier ones, and no reviewer can make it."""
    return integration.next_action_code in SEPARATED_DECISIONS and not any(
        _can_decide(integration, reviewer) for reviewer in _list_reviewers()
    )


def _can_decide(integration: Any, user: User) -> bool:
    return permissions.can_decide(integration, user) and not is_excluded_from_decision(integration, user.pk)


def _list_reviewers() -> list[User]:
    return list(User.objects.filter(is_reviewer=True, is_active=True).order_by("pk"))


def find_without_decider(items: Iterable[NamedValues], user: User) -> set[int]:
    """Return the IDs of integrations that lack a decider among items of the queue; no query if the user is one."""
    rows = [SimpleNamespace(**values) for values in items if values["next_action_code"] in SEPARATED_DECISIONS]
    for row in rows:
        row.partner = Partner(pk=row.partner_id)
    rows = [row for row in rows if not _can_decide(row, user)]
    reviewers = _list_reviewers() if rows else []
    return {row.integration_id for row in rows if not any(_can_decide(row, reviewer) for reviewer in reviewers)}


def list_reviewer_managers(program_key: str) -> list[User]:
    """Return who can add reviewers to a program: its managers, or else the administrators."""
    people = User.objects.filter(Q(is_superuser=True) | ~Q(program_roles=[]), is_active=True).order_by("pk")
    managers = [person for person in people if program_key in list_programs(person, "manager")]
    return managers or [person for person in people if person.is_superuser]
