"""Agreements signed outside the portal: the company uploads the PDF, and the program confirms or rejects it."""

from datetime import datetime

from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.submissions.models import Agreement, Integration
from integrations.submissions.services import documents
from integrations.submissions.services.agreements import (
    Signature,
    answer_requirement,
    get_current_agreement,
    require_signable,
    save_signature,
)
from integrations.submissions.services.requirements import RequirementChange, change_requirement
from integrations.submissions.workflow.states import ResponsibleParty, Status
from portal.accounts.requests import AnyUser
from portal.core.errors import ActionRefused
from portal.core.uploads import ValidatedFile

CONFIRMATION = "Both sides signed the uploaded PDF."  # recorded in the language of the agreements, as statements are


def upload_signed_agreement(
    integration: Integration,
    requirement_id: str,
    file: ValidatedFile,
    signature: Signature,
    *,
    digest: str,
    actor: AnyUser,
    now: datetime,
) -> Agreement:
    """Store the PDF that both sides signed, in place of an earlier one that waits for confirmation.

    Raises ActionRefused.
    """
    with change_requirement(integration, requirement_id, actor=actor, now=now, rule=permissions.can_edit) as change:
        agreement = get_current_agreement(change.integration.partner, change.requirement.agreement)
        require_signable(agreement, digest)
        if agreement.document is not None:
            documents.mark_removed(agreement.document, now)
        agreement.document, agreement.method = documents.store_document(change, file), Agreement.Method.UPLOAD
        if agreement.pk:  # a signature in the portal is no part of the PDF
            agreement.signatures.filter(side=ResponsibleParty.PROGRAM).delete()
        save_signature(change, agreement, signature)
        answer_requirement(change, agreement, "agreement.uploaded")
    return agreement


def confirm_upload(integration: Integration, requirement_id: str, *, actor: AnyUser, now: datetime) -> Agreement:
    """Confirm that both sides signed the uploaded PDF, which completes the agreement. Raises ActionRefused."""
    with change_requirement(integration, requirement_id, actor=actor, now=now, rule=permissions.can_decide) as change:
        agreement = _get_uploaded_agreement(change)
        save_signature(change, agreement, Signature(str(actor), "", CONFIRMATION))
        answer_requirement(change, agreement)
    return agreement


def reject_upload(
    integration: Integration, requirement_id: str, *, reason: str, actor: AnyUser, now: datetime
) -> Agreement:
    """Reject the uploaded PDF, which opens the requirement again. The PDF is kept. Raises ActionRefused."""
    with change_requirement(integration, requirement_id, actor=actor, now=now, rule=permissions.can_decide) as change:
        agreement = _get_uploaded_agreement(change)
        # The row and its file stay as evidence of what was rejected. The next signature creates another row.
        agreement.rejected_at, agreement.rejection_reason = now, reason
        agreement.save()
        change.answer(
            "agreement.upload_rejected",
            {},
            status=Status.OPEN,
            summary=f"Signed PDF rejected: {reason}"[:500],
            note=reason,
            version=agreement.version,
            digest=agreement.digest,
        )
    return agreement


def _get_uploaded_agreement(change: RequirementChange) -> Agreement:
    agreement = get_current_agreement(change.integration.partner, change.requirement.agreement)
    if not agreement.awaits_confirmation:
        raise ActionRefused(_("No signed PDF is waiting for confirmation. Reload the page."), "conflict")
    return agreement
