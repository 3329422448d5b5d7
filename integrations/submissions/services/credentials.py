"""Test accounts: encrypted storage, recorded access, and expiry.

The secret appears only on the page that a reviewer requests, never in an event, log, draft, or other page.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID

from django.db.models import F, Q
from django.utils.translation import gettext as _, gettext_noop
from django.views.decorators.debug import sensitive_variables

from integrations.partners import permissions
from integrations.partners.permissions import PermissionRule
from integrations.submissions.models import Integration, TestCredential, TestCredentialAccess
from integrations.submissions.services.changes import IntegrationChange, change_integration
from integrations.submissions.services.requirements import RequirementChange, change_requirement
from integrations.submissions.workflow.states import FINAL_STAGES, Stage, Status
from portal.accounts.models import User
from portal.accounts.requests import AnyUser
from portal.core import crypto
from portal.core.errors import ActionRefused
from portal.core.value_types import JsonObject
from portal.jobs.batches import process_each

ROTATION_PERIOD = timedelta(days=90)
REMINDER_PERIOD = timedelta(days=30)
# Why accounts end, stored in English and translated for each reader
REPLACED_REASON = gettext_noop("It was replaced.")
WITHDRAWN_REASON = gettext_noop("It was withdrawn.")
END_REASONS = {
    Stage.WITHDRAWN: gettext_noop("The integration is withdrawn."),
    Stage.DECLINED: gettext_noop("The integration is declined."),
    Stage.ARCHIVED: gettext_noop("The integration is archived."),
}
REVIEW_END_REASON = gettext_noop("The review has ended.")
MAX_PROCESSED = 200  # in a round; the next one processes the rest
STAGES_AFTER_REVIEW = (Stage.RELEASE, Stage.SUPPORT)
AccessKind = TestCredentialAccess.Kind


def list_current_credentials(integration: Integration, requirement_id: str) -> list[TestCredential]:
    """Return stored test accounts, oldest first."""
    rows = integration.credentials.filter(requirement_id=requirement_id, ended_at=None)
    return list(rows.select_related("created_by").order_by("pk"))


def explain_expiry(credential: TestCredential, integration: Integration, now: datetime) -> str:
    """Return why an account has expired, in English, or blank. A decision that can be undone ends nothing yet."""
    if credential.ended_at is not None:
        return credential.end_reason
    # An undo could restore the stage, but not a deleted secret.
    if integration.undo_until is not None and integration.undo_until > now:
        return ""
    if integration.stage in FINAL_STAGES:
        return END_REASONS[Stage(integration.stage)]
    if integration.stage in STAGES_AFTER_REVIEW and not credential.permanent:
        return REVIEW_END_REASON
    return ""


@sensitive_variables("secret")
def submit_credential(
    integration: Integration,
    requirement_id: str,
    label: str,
    secret: crypto.Secret,
    *,
    actor: User | None,
    now: datetime,
    uuid: UUID,
    permanent: bool = False,
    replaces: str = "",
) -> TestCredential:
    """Store an encrypted account under the UUID of its form, so that a repeated submission stores it once.

    With `replaces` (a UUID), it replaces that account; partners rotate accounts this way.
    """
    with change_requirement(integration, requirement_id, actor=actor, now=now) as change:
        if (existing := _find_submitted(integration, uuid)) is not None:
            return existing
        # Nomad Integration Program, "Review": a vendor may need to provide a permanent test account, so that the
        # integration can be verified on an ongoing basis. Other programs don't ask for one.
        if permanent and not change.requirement.permanent:
            raise ActionRefused(_("This program doesn't accept permanent test accounts."), "validation-error")
        if replaces:
            end_credential(get_credential(change.integration, requirement_id, replaces), REPLACED_REASON, now)
        credential = TestCredential(
            uuid=uuid,
            integration=change.integration,
            requirement_id=requirement_id,
            label=label,
            permanent=permanent,
            created_by=actor,
            created_at=now,
            rotate_at=now + ROTATION_PERIOD if permanent else None,
        )
        credential.encrypt("encrypted_value", secret)
        credential.save()
        _answer_requirement(change, "credential.added", label=label, permanent=permanent, replaced=bool(replaces))
    return credential


def _find_submitted(integration: Integration, uuid: UUID) -> TestCredential | None:
    """Return the test account that the form with this UUID stored before, or None. Raises ActionRefused."""
    existing = TestCredential.objects.filter(uuid=uuid).first()
    # The UUID comes from the browser. One of another integration must reveal nothing about its account, and the form of
    # an account that has ended doesn't store it again.
    if existing is not None and (existing.integration_id != integration.pk or existing.ended_at is not None):
        raise ActionRefused(_("Reload the page and submit the test account again."), "conflict")
    return existing


def _answer_requirement(change: RequirementChange, event_type: str, **event_data: Any) -> None:
    """Answer the requirement with the stored accounts, or reopen it without any."""
    labels = [stored.label for stored in list_current_credentials(change.integration, change.requirement.id)]
    status, summary = (Status.SUBMITTED, f"Stored: {', '.join(labels)}."[:500]) if labels else (Status.OPEN, "")
    change.answer(event_type, {}, status=status, summary=summary, **event_data)


def get_credential(integration: Integration, requirement_id: str, uuid: UUID | str) -> TestCredential:
    """Return a stored test account. Raises ActionRefused."""
    credential = integration.credentials.filter(requirement_id=requirement_id, ended_at=None, uuid=uuid).first()
    if credential is None:
        raise ActionRefused(_("This test account was replaced or withdrawn. Reload the page."), "conflict")
    return credential


def withdraw_credential(
    integration: Integration, requirement_id: str, uuid: UUID | str, *, actor: AnyUser, now: datetime
) -> None:
    """Withdraw an account and delete its secret."""
    with change_requirement(integration, requirement_id, actor=actor, now=now) as change:
        credential = get_credential(change.integration, requirement_id, uuid)
        end_credential(credential, WITHDRAWN_REASON, now)
        _answer_requirement(change, "credential.withdrawn", label=credential.label)


def end_credential(credential: TestCredential, reason: str, now: datetime) -> None:
    """Delete the secret and store the reason. Call with the integration locked."""
    credential.encrypted_value = b""
    credential.ended_at = now
    credential.end_reason = reason
    credential.rotate_at = None
    credential.save()


def reveal_credential(credential: TestCredential, *, reason: str, actor: AnyUser, now: datetime) -> crypto.Secret:
    """Decrypt an account for the assigned reviewer, and notify the partner by email."""
    return _open_credential(credential, AccessKind.REVEAL, "credential.accessed", reason, actor=actor, now=now)


def open_for_sandbox(credential: TestCredential, *, actor: AnyUser | None, reason: str, now: datetime) -> str:
    """Return the secret for a sandbox run of the assigned reviewer or the portal (`actor` None)."""
    return _open_credential(
        credential, AccessKind.SANDBOX, "credential.used_in_sandbox", reason, actor=actor, now=now
    ).value


def _open_credential(
    credential: TestCredential, kind: AccessKind, event_type: str, reason: str, *, actor: Any, now: datetime
) -> crypto.Secret:
    if not reason.strip():
        raise ActionRefused(_("Enter a reason. We record it and send it to the partner."), "validation-error")
    with _change_credential(credential, permissions.can_open_credentials, actor=actor, now=now) as (change, row):
        if expiry_reason := explain_expiry(row, change.integration, now):
            message = _("We no longer store this test account. %(reason)s")
            raise ActionRefused(message % {"reason": _(expiry_reason)}, "invalid-transition")
        try:
            secret = row.decrypt("encrypted_value")
        except crypto.DecryptionError as error:
            raise ActionRefused(str(error), "invalid-transition") from None
        # In the transaction of the event and the email: no one gets a secret without a record of it.
        row.accesses.create(kind=kind, accessed_by=actor, reason=reason.strip()[:300], accessed_at=now)
        change.record(event_type, reason.strip()[:300], **_build_event_data(row, change.integration))
    return secret


@contextmanager
def _change_credential(
    credential: TestCredential, rule: PermissionRule, *, actor: User | None, now: datetime
) -> Iterator[tuple[IntegrationChange, TestCredential]]:
    """Lock the integration of a credential and load the credential again."""
    with change_integration(credential.integration, rule, actor=actor, now=now) as change:
        yield change, change.integration.credentials.get(pk=credential.pk)


def _build_event_data(credential: TestCredential, integration: Integration) -> JsonObject:
    requirement = integration.edition.get_requirement(credential.requirement_id)
    title = requirement.title if requirement else ""
    return {"requirement": credential.requirement_id, "title": title, "label": credential.label}


def maintain_credentials(now: datetime) -> int:
    """End expired accounts, and ask for the rotation of permanent ones. Return the number of changed accounts."""
    is_ended = Q(integration__stage__in=FINAL_STAGES) | Q(integration__stage__in=STAGES_AFTER_REVIEW, permanent=False)
    # The same rule as explain_expiry, which is checked again under the lock.
    is_final = Q(integration__undo_until=None) | Q(integration__undo_until__lte=now)
    needs_rotation = Q(permanent=True, rotate_at__lte=now)
    due = TestCredential.objects.filter(is_ended & is_final | needs_rotation, ended_at=None)
    rows = list(due.select_related("integration__partner")[:MAX_PROCESSED])
    return process_each(rows, partial(_maintain_credential, now=now), "update test account")


def _maintain_credential(credential: TestCredential, now: datetime) -> bool:
    """End an account, or ask for its rotation, once per due date."""
    # Only the portal does this: the rule refuses every person.
    with _change_credential(credential, permissions.is_never_allowed, actor=None, now=now) as (change, row):
        # The partner may have withdrawn or replaced the account since the list was read.
        if row.ended_at is not None:
            return False
        event_data = _build_event_data(row, change.integration)
        if reason := explain_expiry(row, change.integration, now):
            end_credential(row, reason, now)
            _reopen_requirement(change.integration, row.requirement_id)
            change.record("credential.deleted", reason, **event_data)
            return True
        due_at = row.rotate_at
        if due_at is None or due_at > now:
            return False
        # From now, not from the due date: after an outage, all missed reminders would follow at once.
        row.rotate_at = now + REMINDER_PERIOD
        row.save(update_fields=["rotate_at"])
        change.record(
            "credential.rotation_requested",
            submitted_at=row.created_at.isoformat(),
            due_at=f"{due_at:%Y-%m-%dT%H:%M%z}",
            **event_data,
        )
        return True


def _reopen_requirement(integration: Integration, requirement_id: str) -> None:
    """Open the requirement of an account that ended before the review did, without saving the integration."""
    # Someone can reopen the integration, and its review needs an account. After the review, none is needed.
    if integration.stage in FINAL_STAGES and integration.stage_before_end not in STAGES_AFTER_REVIEW:
        submitted = integration.fulfillments.filter(requirement_id=requirement_id, status=Status.SUBMITTED)
        submitted.update(status=Status.OPEN, summary="", version=F("version") + 1)
