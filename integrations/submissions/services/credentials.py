"""Test accounts: encrypted storage, recorded access, and expiry.

The secret appears only on the page that a reviewer requests, never in an event, log, draft, or other page.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_variables

from integrations.partners import permissions
from integrations.submissions.models import Integration, TestCredential, TestCredentialAccess
from integrations.submissions.services.requirements import submission_changes, submit_answer
from integrations.submissions.services.transitions import integration_changes
from integrations.submissions.workflow.states import FINAL_STAGES, Stage, Status
from portal.accounts.models import User
from portal.accounts.requests import AnyUser
from portal.audit.services import record_event
from portal.core import crypto
from portal.core.errors import ActionRefused

ROTATION_PERIOD = timedelta(days=90)
REMINDER_PERIOD = timedelta(days=30)
STAGES_AFTER_REVIEW = (Stage.RELEASE, Stage.SUPPORT)
AccessKind = TestCredentialAccess.How


def list_current_credentials(integration: Integration, requirement_id: str) -> list[TestCredential]:
    """Return stored test accounts, oldest first."""
    rows = integration.credentials.filter(requirement_id=requirement_id, ended_at=None)
    return list(rows.select_related("created_by").order_by("pk"))


def explain_expiry(credential: TestCredential, integration: Integration, now: datetime) -> str:
    """Return why an account has expired, or an empty string. A decision that can be undone ends nothing yet."""
    if credential.ended_at is not None:
        return credential.ended_why or "ended"
    if integration.undo_until is not None and integration.undo_until > now:
        return ""
    if integration.stage in FINAL_STAGES:
        return f"the integration is {integration.stage}"
    if integration.stage in STAGES_AFTER_REVIEW and not credential.permanent:
        return "the review has ended"
    return ""


@sensitive_variables("secret")
def submit_credential(
    integration: Integration,
    requirement_id: str,
    label: str,
    secret: crypto.Secret,
    *,
    permanent: bool,
    actor: User | None,
    now: datetime,
    uuid: UUID,
    replaces: str = "",
) -> TestCredential:
    """Store an encrypted account under the UUID of its form, so that a repeated submission stores it once.

    With `replaces` (a UUID), it replaces that account; partners rotate accounts this way.
    """
    with submission_changes(integration, requirement_id, actor=actor) as (locked_integration, requirement):
        existing = TestCredential.objects.filter(uuid=uuid).first()
        if existing is not None:
            return _require_same_integration(existing, locked_integration)
        if permanent and not requirement.permanent:
            raise ActionRefused(_("This program doesn't accept permanent test accounts."))
        if replaces:
            end_credential(
                _get_credential(list_current_credentials(locked_integration, requirement_id), replaces), "replaced", now
            )
        credential = TestCredential(
            uuid=uuid,
            integration=locked_integration,
            requirement_id=requirement_id,
            label=label,
            permanent=permanent,
            created_by=actor,
            created_at=now,
            rotate_at=now + ROTATION_PERIOD if permanent else None,
        )
        credential.encrypted_value = crypto.encrypt(secret, credential.build_encryption_context())
        credential.save()
        _record_submission(locked_integration, credential, bool(replaces), actor, now)
    return credential


def _record_submission(
    integration: Integration, credential: TestCredential, is_replacement: bool, actor: AnyUser | None, now: datetime
) -> None:
    event_data = {"label": credential.label, "permanent": credential.permanent, "replaced": is_replacement}
    summary = _summarize_credentials(integration, credential.requirement_id)
    submit_answer(
        integration,
        credential.requirement_id,
        {},
        actor=actor,
        now=now,
        event_type="credential.added",
        summary=summary,
        extra_data=event_data,
    )


def _require_same_integration(credential: TestCredential, integration: Integration) -> TestCredential:
    if credential.integration_id != integration.pk:
        raise ActionRefused(_("Reload the page and submit the test account again."), "conflict")
    return credential


def _summarize_credentials(integration: Integration, requirement_id: str) -> str:
    labels = ", ".join(credential.label for credential in list_current_credentials(integration, requirement_id))
    return f"Stored: {labels}."[:500]


def _get_credential(credentials: Iterable[TestCredential], uuid: str) -> TestCredential:
    credential = next((credential for credential in credentials if str(credential.uuid) == uuid), None)
    if credential is None:
        raise ActionRefused(_("This test account was replaced or withdrawn. Reload the page."), "conflict")
    return credential


def withdraw_credential(
    integration: Integration, requirement_id: str, uuid: str, *, actor: AnyUser, now: datetime
) -> None:
    """Withdraw an account and delete its secret."""
    with submission_changes(integration, requirement_id, actor=actor) as (locked_integration, _):
        credential = _get_credential(list_current_credentials(locked_integration, requirement_id), uuid)
        end_credential(credential, "withdrawn", now)
        remaining = list_current_credentials(locked_integration, requirement_id)
        submit_answer(
            locked_integration,
            requirement_id,
            {},
            actor=actor,
            now=now,
            status=Status.SUBMITTED if remaining else Status.OPEN,
            event_type="credential.withdrawn",
            extra_data={"label": credential.label},
            summary=_summarize_credentials(locked_integration, requirement_id) if remaining else "",
        )


def end_credential(credential: TestCredential, reason: str, now: datetime) -> None:
    """Delete the secret and store the reason. Call with the integration locked."""
    credential.encrypted_value, credential.ended_at, credential.ended_why = b"", now, reason
    credential.rotate_at = None
    credential.save()


def reveal_credential(credential: TestCredential, *, reason: str, actor: AnyUser, now: datetime) -> crypto.Secret:
    """Decrypt an account for the assigned reviewer, and notify the partner by email."""
    return _open_credential(credential, AccessKind.REVEAL, "credential.accessed", reason, actor=actor, now=now)


def open_for_sandbox(credential: TestCredential, *, actor: AnyUser | None, reason: str, now: datetime) -> str:
    """Return the secret for a sandbox run of the assigned reviewer or the machine (`actor` None)."""
    return _open_credential(
        credential, AccessKind.SANDBOX, "credential.used_in_sandbox", reason, actor=actor, now=now
    ).value


def _open_credential(
    credential: TestCredential, how: str, event_type: str, reason: str, *, actor: Any, now: datetime
) -> crypto.Secret:
    if not reason.strip():
        raise ActionRefused(_("Enter a reason. We record it and send it to the partner."))
    with integration_changes(
        credential.integration, permissions.can_open_credentials, actor=actor, now=now
    ) as locked_integration:
        locked_credential = locked_integration.credentials.get(pk=credential.pk)
        expiry_reason = explain_expiry(locked_credential, locked_integration, now)
        if expiry_reason:
            raise ActionRefused(
                _("We no longer store this test account: %(reason)s.") % {"reason": expiry_reason}, "invalid-transition"
            )
        try:
            secret = crypto.decrypt(
                bytes(locked_credential.encrypted_value), locked_credential.build_encryption_context()
            )
        except crypto.DecryptionError as error:
            raise ActionRefused(str(error), "invalid-transition") from None
        reason = reason.strip()[:300]
        locked_credential.accesses.create(how=how, by=actor, reason=reason, at=now)
        requirement = locked_integration.edition.requirement(locked_credential.requirement_id)
        record_event(
            locked_integration,
            event_type,
            actor=actor,
            now=now,
            note=reason,
            requirement=locked_credential.requirement_id,
            title=requirement.title if requirement else "",
            label=locked_credential.label,
        )
    return secret


def end_due_credentials(now: datetime) -> int:
    """End expired accounts. Return their number."""
    is_ended = Q(integration__stage__in=FINAL_STAGES) | Q(integration__stage__in=STAGES_AFTER_REVIEW, permanent=False)
    is_final = Q(integration__undo_until=None) | Q(integration__undo_until__lte=now)
    due_credentials = TestCredential.objects.filter(is_ended, is_final, ended_at=None).select_related(
        "integration__partner"
    )
    return sum(_end_due_credential(credential, now) for credential in list(due_credentials[:200]))


def _end_due_credential(credential: TestCredential, now: datetime) -> bool:
    with integration_changes(
        credential.integration, permissions.is_never_allowed, actor=None, now=now
    ) as locked_integration:
        locked_credential = locked_integration.credentials.get(pk=credential.pk)
        reason = explain_expiry(locked_credential, locked_integration, now)
        if locked_credential.ended_at is not None or not reason:
            return False
        end_credential(locked_credential, reason, now)
        requirement_id, label = locked_credential.requirement_id, locked_credential.label
        record_event(
            locked_integration,
            "credential.deleted",
            actor=None,
            now=now,
            note=reason,
            requirement=requirement_id,
            label=label,
        )
        return True


def send_due_reminders(now: datetime) -> int:
    """Ask partners to rotate permanent accounts, once per due date. Return the number of reminders."""
    due_credentials = TestCredential.objects.filter(ended_at=None, permanent=True, rotate_at__lte=now)
    return sum(
        _send_reminder(credential, now)
        for credential in list(due_credentials.select_related("integration__partner")[:200])
    )


def _send_reminder(credential: TestCredential, now: datetime) -> bool:
    with (
        transaction.atomic(),
        integration_changes(
            credential.integration, permissions.is_never_allowed, actor=None, now=now
        ) as locked_integration,
    ):
        matching = TestCredential.objects.filter(pk=credential.pk, ended_at=None, rotate_at=credential.rotate_at)
        if not matching.update(rotate_at=now + REMINDER_PERIOD):
            return False
        requirement = locked_integration.edition.requirement(credential.requirement_id)
        record_event(
            locked_integration,
            "credential.rotation_requested",
            actor=None,
            now=now,
            requirement=credential.requirement_id,
            title=requirement.title if requirement else "",
            label=credential.label,
            submitted_at=credential.created_at.isoformat(),
            due_at=f"{credential.rotate_at:%Y-%m-%dT%H:%M%z}",
        )
        return True


def rekey_credentials() -> tuple[int, list[TestCredential]]:
    """Re-encrypt all accounts with the newest key. Return their number and the accounts that no key decrypts.

    Safe to run concurrently and repeatedly: a row changes only if it still has the value that was read.
    """
    count, undecryptable = 0, []
    for credential in TestCredential.objects.filter(ended_at=None).iterator():
        if crypto.is_current(bytes(credential.encrypted_value)):
            continue
        try:
            secret = crypto.decrypt(bytes(credential.encrypted_value), credential.build_encryption_context())
        except crypto.DecryptionError:
            undecryptable.append(credential)
            continue
        matching = TestCredential.objects.filter(pk=credential.pk, encrypted_value=bytes(credential.encrypted_value))
        count += matching.update(encrypted_value=crypto.encrypt(secret, credential.build_encryption_context()))
    return count, undecryptable
