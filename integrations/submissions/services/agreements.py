"""Signatures of agreements. Either side can sign the current version first; it is complete when both have signed.

Both sides can also sign outside the portal: the company uploads the PDF, and the program confirms or rejects it. The
version in force stays in force until both sides have signed a newer one.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import datetime

from django.conf import settings
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.partners.models import Partner
from integrations.programs.agreements import compute_digest
from integrations.programs.registry import get_agreement_document
from integrations.submissions.models import Agreement, AgreementSignature, Integration, RequirementFulfillment
from integrations.submissions.services import documents
from integrations.submissions.services.requirements import OTHER_PARTY, RequirementChange, change_requirement
from integrations.submissions.workflow.states import ResponsibleParty, Status
from portal.accounts.requests import AnyUser
from portal.core.errors import ActionRefused
from portal.core.uploads import ValidatedFile

CONFIRMATION = "Both sides signed the uploaded PDF."  # recorded in the language of the agreements, as statements are
FIRST_SIGNATURE_EVENT_TYPES = {
    ResponsibleParty.PARTNER: "agreement.signed_by_partner",
    ResponsibleParty.PROGRAM: "agreement.signed_by_program",
}


@dataclass(frozen=True, slots=True)
class Signature:
    """Full name and title of the signer as typed, and the confirmed statement about the authority to sign."""

    signer: str
    title: str
    statement: str


def build_statement(partner_name: str) -> str:
    """Return the statement that a signer confirms. A blank name stands for the program.

    The signature records the statement as the signer reads it, in the language of the agreements.
    """
    return f"I have read this agreement, and I am authorized to accept it on behalf of {partner_name or 'the program'}."


def get_current_agreement(partner: Partner, kind: str) -> Agreement:
    """Return the partner's agreement of the current version, unsaved if neither side has signed it."""
    document = get_agreement_document(kind)
    # A rejected PDF is kept, and the same version is signed again in a new row.
    rows = partner.agreements.filter(kind=kind, version=document.version, rejected_at=None)
    agreement = rows.select_related("document").first()
    if agreement is None:
        text = document.render_text(partner.name)
        values = {"partner": partner, "partner_name": partner.name, "kind": kind, "version": document.version}
        agreement = Agreement(**values, text=text, digest=compute_digest(text))
    return agreement


def get_agreement_in_force(partner: Partner, kind: str) -> Agreement | None:
    """Return the newest agreement of a kind that both sides signed."""
    rows = partner.agreements.filter(kind=kind, completed_at__isnull=False)
    return rows.order_by("-completed_at", "-pk").first()


def get_compared_agreement(agreement: Agreement) -> Agreement | None:
    """Return the version to compare the text with: the one in force, or else the newest other version."""
    in_force = get_agreement_in_force(agreement.partner, agreement.kind)
    others = agreement.partner.agreements.filter(kind=agreement.kind, rejected_at=None)
    others = others.exclude(pk=agreement.pk).exclude(text="")
    if in_force is not None:
        others = others.filter(pk=in_force.pk)
    return others.order_by("-version").first()


def sign_agreement(
    integration: Integration, requirement_id: str, signature: Signature, *, digest: str, actor: AnyUser, now: datetime
) -> Agreement:
    """Sign the current version for one side. `digest` is that of the text that the signer read.

    The side can correct its signature until the other side signs. Raises ActionRefused.
    """
    with change_requirement(integration, requirement_id, actor=actor, now=now) as change:
        agreement = _get_agreement(change)
        existing = agreement.get_signature(change.acting_party)
        is_repeated = existing and (existing.signer, existing.title) == (signature.signer, signature.title)
        if is_repeated and not agreement.awaits_confirmation:
            return agreement
        # The signature counts for the text that the signer read. A new version or company name has another digest.
        _require_signable(agreement, digest)
        if agreement.awaits_confirmation:
            _withdraw_upload(change, agreement)
        _save_signature(change, agreement, signature)
        _answer_requirement(change, agreement)
    return agreement


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
        agreement = _get_agreement(change)
        _require_signable(agreement, digest)
        if agreement.document is not None:
            documents.mark_removed(agreement.document, now)
        agreement.document = documents.store_document(change, file)
        agreement.method = Agreement.Method.UPLOAD
        if agreement.pk:  # a signature in the portal isn't part of the PDF
            agreement.signatures.filter(side=ResponsibleParty.PROGRAM).delete()
        _save_signature(change, agreement, signature)
        _answer_requirement(change, agreement, "agreement.uploaded")
    return agreement


def confirm_upload(
    integration: Integration, requirement_id: str, *, sha256: str, actor: AnyUser, now: datetime
) -> Agreement:
    """Confirm that both sides signed the uploaded PDF, which completes the agreement. Raises ActionRefused.

    `sha256` is that of the PDF that the actor read, which the company can have replaced since.
    """
    with change_requirement(integration, requirement_id, actor=actor, now=now, rule=permissions.can_decide) as change:
        agreement = _get_uploaded_agreement(change)
        if agreement.document is None or sha256 != agreement.document.sha256:
            raise ActionRefused(_("The partner replaced the PDF. Read the new one, then confirm it."), "conflict")
        _save_signature(change, agreement, Signature(str(actor), "", CONFIRMATION))
        _answer_requirement(change, agreement)
    return agreement


def reject_upload(
    integration: Integration, requirement_id: str, *, reason: str, actor: AnyUser, now: datetime
) -> Agreement:
    """Reject the uploaded PDF, which opens the requirement again. The PDF is kept. Raises ActionRefused."""
    with change_requirement(integration, requirement_id, actor=actor, now=now, rule=permissions.can_decide) as change:
        agreement = _get_uploaded_agreement(change)
        # The row and its file stay as evidence of what was rejected. The next signature creates another row.
        agreement.rejected_at = now
        agreement.rejection_reason = reason
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


def _get_agreement(change: RequirementChange) -> Agreement:
    return get_current_agreement(change.integration.partner, change.requirement.agreement)


def _get_uploaded_agreement(change: RequirementChange) -> Agreement:
    agreement = _get_agreement(change)
    if not agreement.awaits_confirmation:
        raise ActionRefused(_("No signed PDF is waiting for confirmation. Reload the page."), "conflict")
    return agreement


def update_agreement_requirements(integrations: Iterable[Integration], now: datetime) -> None:
    """Answer the requirements that differ from the company's current agreement, such as after a merge of companies."""
    for integration in integrations:
        for requirement in integration.edition.list_requirements():
            if requirement.agreement:
                agreement = get_current_agreement(integration.partner, requirement.agreement)
                state = integration.fulfillments_by_id.get(requirement.id)
                # Read for each one in turn, because the answer of the first is shared with the others.
                if _is_outdated(state, agreement, now):
                    with change_requirement(integration, requirement.id, actor=None, now=now) as change:
                        status, data = _build_answer(agreement)
                        summary = _summarize_agreement(agreement) if data else ""
                        change.answer("requirement.answered", data, status=status, summary=summary)


def _is_outdated(state: RequirementFulfillment | None, agreement: Agreement, now: datetime) -> bool:
    """Return whether the answer differs from the agreement. A waiver and a complete older version stay."""
    if state is not None and state.is_met(now):
        return agreement.is_complete and state.data.get("version") not in (agreement.version, None)  # None: waived
    status, data = _build_answer(agreement)
    if status == Status.OPEN:
        return state is not None and state.status == Status.AWAITING_OTHER_PARTY
    return state is None or (state.status, state.data) != (status, data)


def _require_signable(agreement: Agreement, digest: str) -> None:
    """Raise ActionRefused if both sides have signed the version, or its text has another digest."""
    if agreement.is_complete:
        message = _("Both sides already signed version %(version)s.")
        raise ActionRefused(message % {"version": agreement.version}, "conflict")
    if digest != agreement.digest:
        raise ActionRefused(_("The text changed. Read the agreement again, then sign it."), "conflict")


def _withdraw_upload(change: RequirementChange, agreement: Agreement) -> None:
    """Delete the uploaded PDF, because the company signs in the portal instead."""
    if change.acting_party == ResponsibleParty.PROGRAM:
        raise ActionRefused(_("The partner uploaded a signed PDF. Confirm or reject it."), "conflict")
    if agreement.document is not None:
        documents.mark_removed(agreement.document, change.now)
    agreement.document = None
    agreement.method = Agreement.Method.PORTAL


def _save_signature(change: RequirementChange, agreement: Agreement, signature: Signature) -> None:
    """Save the signature of the acting side, and complete the agreement if the other side has signed, too."""
    if agreement.get_signature(OTHER_PARTY[change.acting_party]):
        agreement.completed_at = change.now
    agreement.created_at = agreement.created_at or change.now
    agreement.save()
    values = asdict(signature) | {"user": change.actor, "signed_at": change.now}
    # The PDF also shows the time in the signer's zone. Stored as a key: the name of Etc/GMT+5, "-05", isn't one.
    values["zone"] = str(timezone.get_current_timezone())
    AgreementSignature.objects.update_or_create(agreement=agreement, side=change.acting_party, defaults=values)


def _answer_requirement(change: RequirementChange, agreement: Agreement, event_type: str = "") -> None:
    """Answer the requirement for all integrations of the partner that need this agreement.

    `event_type` is that of an incomplete agreement, by default a first signature.
    """
    event_type = event_type or FIRST_SIGNATURE_EVENT_TYPES[change.acting_party]
    status, data = _build_answer(agreement)
    with translation.override(settings.LANGUAGE_CODE):  # the name of the agreement is stored
        kind_label = str(agreement.get_kind_display())
    change.answer(
        "agreement.completed" if agreement.is_complete else event_type,
        data,
        status=status,
        summary=_summarize_agreement(agreement),
        agreement=kind_label,
        **build_signature_data(agreement),
    )


def _build_answer(agreement: Agreement) -> tuple[Status, dict[str, str]]:
    """Return the status and the answer of the requirement."""
    if agreement.is_complete:
        return Status.SUBMITTED, build_signature_data(agreement)
    signed_sides = [side for side in OTHER_PARTY if agreement.get_signature(side)]
    if not signed_sides:
        return Status.OPEN, {}
    waits_for = str(OTHER_PARTY[signed_sides[0]])
    return Status.AWAITING_OTHER_PARTY, build_signature_data(agreement) | {"waits_for": waits_for}


def _summarize_agreement(agreement: Agreement) -> str:
    signers = [signature.signer for signature in agreement.signatures.order_by("signed_at", "pk")]
    return f"Version {agreement.version}, signed by {' and '.join(signers)}"


def build_signature_data(agreement: Agreement) -> dict[str, str]:
    """Return the version, its digest, the signers, and the times for the event, the answer, and the emails."""
    data = {"version": agreement.version, "digest": agreement.digest, "method": str(agreement.method)}
    for side in (ResponsibleParty.PARTNER, ResponsibleParty.PROGRAM):
        signature = agreement.get_signature(side)
        if signature is not None:
            data |= {f"{side}_signer": signature.signer, f"{side}_title": signature.title}
            data |= {f"{side}_signed_at": signature.signed_at.isoformat()}
    return data
