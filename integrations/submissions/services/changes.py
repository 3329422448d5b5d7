"""Changes of integrations that are not transitions: lock, check permission, write, record, and refresh."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from integrations.partners import refusals
from integrations.partners.models import Partner
from integrations.partners.permissions import PermissionRule
from integrations.programs.stages import Stage
from integrations.submissions.models.integration import Integration
from integrations.submissions.services.transitions import lock_integration, refresh_next_action, settle_decision
from portal.accounts.models import User
from portal.accounts.requests import AnyUser
from portal.audit.models import AuditEvent
from portal.audit.services import record_event
from portal.core.errors import ActionRefused
from portal.jobs.batches import process_each


def build_first_approval_condition(reviewer: User, now: datetime) -> Q:
    """Return the condition for integrations whose first approval by a reviewer counts, or would after an undo."""
    return Q(first_approver=reviewer) & (Q(stage=Stage.REVIEW) | Q(decision="approve", undo_until__gt=now))


@dataclass
class IntegrationChange:
    """Change of a locked integration by an actor, who is None for the portal itself."""

    integration: Integration
    actor: AnyUser | None
    now: datetime

    def __post_init__(self) -> None:
        # A decision that has become final since the last change counts from that moment, not from now.
        settle_decision(self.integration, self.now)

    def require_permission(self, rule: PermissionRule) -> None:
        """Raise ActionRefused if the rule refuses the actor. It never refuses the portal."""
        # None is the portal, which writes what follows from facts, such as the result of a check.
        if self.actor is not None and not rule(self.integration, self.actor):
            raise ActionRefused(refusals.explain_refusal(rule.__name__, self.integration, self.actor), "forbidden")

    def require_open(self) -> None:
        """Raise ActionRefused if the integration has ended."""
        if not self.integration.is_open:
            message = _("This integration has ended (%(stage)s). You can't change it.")
            stage = self.integration.get_stage_display()
            raise ActionRefused(message % {"stage": stage}, "invalid-transition")

    def record(self, event_type: str, note: str = "", *, internal: bool = False, **data: object) -> AuditEvent:
        """Record an event of the change. `data` must be JSON."""
        return record_event(
            self.integration, event_type, actor=self.actor, now=self.now, note=note, internal=internal, **data
        )

    def withdraw_first_approval(self, *, is_changed: bool = True) -> None:
        """Clear the approval of a first reviewer while the review lasts or can return, and record it.

        `is_changed`: the integration changed. Otherwise, the reviewer can't decide anymore.
        """
        row = self.integration
        can_return = row.decision == "approve" and row.undo_until is not None and row.undo_until > self.now
        if row.first_approver and (row.stage == Stage.REVIEW or can_return):
            reviewer = str(row.first_approver)
            row.first_approver = None  # before the email, which also notifies the first reviewer
            record_event(
                row,
                "review.first_approval_withdrawn",
                actor=None,
                now=self.now,
                reviewer=reviewer,
                is_changed=is_changed,
            )

    def save(self) -> None:
        """Refresh the next action and save the row."""
        refresh_next_action(self.integration, self.now)
        self.integration.save()


def _refresh_integration(pk: int, now: datetime) -> None:
    IntegrationChange(lock_integration(pk), None, now).save()


def refresh_partner_integrations(partner: Partner, now: datetime) -> None:
    """Refresh the open integrations of a partner, whose next action can depend on the company."""
    # In a fixed order, so that two writers can't wait for each other.
    for pk in Integration.objects.open().filter(partner=partner).order_by("pk").values_list("pk", flat=True):
        _refresh_integration(pk, now)


def refresh_due_integrations(now: datetime, limit: int = 500) -> int:
    """Refresh next actions that time has changed. Return the number of refreshed rows."""
    due = Integration.objects.filter(next_refresh_at__lte=now).order_by("next_refresh_at")
    pks = list(due.values_list("pk", flat=True)[:limit])
    # Each in its own transaction: one faulty row must not keep the others from being refreshed.
    return process_each(pks, transaction.atomic(partial(_refresh_integration, now=now)), "refresh integration")


@contextmanager
def change_integration(
    integration: Integration, rule: PermissionRule, *, actor: AnyUser | None, now: datetime
) -> Iterator[IntegrationChange]:
    """Lock the integration for a change, which is saved at the end. Raises ActionRefused."""
    with transaction.atomic():
        change = IntegrationChange(lock_integration(integration.pk), actor, now)
        change.require_permission(rule)
        yield change
        change.save()
