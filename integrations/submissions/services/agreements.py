"""Agreement signatures. Either side can sign first; each records the version, signer, and date.

A newer version renews a complete agreement. The previous version stays in force until both sides sign the new one.
"""

from dataclasses import dataclass
from datetime import date, datetime

from django.conf import settings
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.partners.models import Partner
from integrations.submissions.models import Agreement, Integration
from integrations.submissions.services import documents
from integrations.submissions.services.requirements import (
    OTHER_PARTY,
    get_acting_party,
    get_or_create_state,
    submission_changes,
    submit_answer,
)
from integrations.submissions.workflow.states import ResponsibleParty, Status
from portal.accounts.requests import AnyUser
from portal.core.errors import ActionRefused
from portal.core.uploads import ValidatedFile

EARLIEST_SIGNING_DATE = date(2000, 1, 1)
FIRST_SIGNATURE_EVENT_TYPES = {
    ResponsibleParty.PARTNER: "agreement.signed_by_partner",
    ResponsibleParty.PROGRAM: "agreement.signed_by_program",
}


@dataclass(frozen=True, slots=True)
class AgreementSignature:
    """Signer and date for one side."""

    signer: str
    signed_on: date


def get_latest_agreement(partner: Partner, kind: str) -> Agreement | None:
    """Return the newest agreement of a kind, complete or not."""
    rows = partner.agreements.filter(kind=kind).select_related("document")
    return rows.order_by("-created_at", "-pk").first()


def get_agreement_in_force(partner: Partner, kind: str) -> Agreement | None:
    """Return the newest agreement of a kind that both sides signed."""
    rows = partner.agreements.filter(kind=kind, partner_signed_on__isnull=False, program_signed_on__isnull=False)
    return rows.order_by("-created_at", "-pk").first()


def get_signature(agreement: Agreement | None, side: ResponsibleParty) -> AgreementSignature | None:
    """Return the recorded signature of one side."""
    signed_on = getattr(agreement, f"{side}_signed_on", None)
    return AgreementSignature(getattr(agreement, f"{side}_signer"), signed_on) if signed_on else None


def sign_agreement(
    integration: Integration,
    requirement_id: str,
    signature: AgreementSignature,
    *,
    version: str,
    actor: AnyUser,
    now: datetime,
    file: ValidatedFile | None = None,
    renews: bool = False,
) -> Agreement:
    """Record the signature of one side. A blank `version` means the one that the other side signed.

    The side can correct its signature until the other side signs. With `renews`, a new version follows a complete
    agreement. Raises ActionRefused.
    """
    _validate_signing_date(signature.signed_on, now)
    with submission_changes(integration, requirement_id, actor=actor) as (locked_integration, requirement):
        side = get_acting_party(locked_integration, actor)
        agreement = get_latest_agreement(locked_integration.partner, requirement.agreement)
        if agreement is not None and agreement.is_complete:
            if get_signature(agreement, side) == signature and version in ("", agreement.version):
                return agreement
            if not renews:
                message = _("Both sides already signed version %(version)s.")
                raise ActionRefused(message % {"version": agreement.version}, "conflict")
            agreement = None
        agreement = agreement or Agreement(
            partner=locked_integration.partner, kind=requirement.agreement, created_at=now
        )
        version = _resolve_version(agreement, version, side)
        if agreement.version == version and get_signature(agreement, side) == signature and file is None:
            return agreement
        _reject_used_version(agreement, version)
        _set_signature(agreement, version, side, signature)
        if file is not None:
            _attach_file(locked_integration, requirement_id, agreement, file, actor, now)
        agreement.save()
        _answer_requirement(locked_integration, requirement_id, agreement, side, actor, now)
    return agreement


def _set_signature(agreement: Agreement, version: str, side: ResponsibleParty, signature: AgreementSignature) -> None:
    agreement.version = version
    setattr(agreement, f"{side}_signer", signature.signer)
    setattr(agreement, f"{side}_signed_on", signature.signed_on)


def _validate_signing_date(signed_on: date, now: datetime) -> None:
    if signed_on > timezone.localdate(now):
        raise ActionRefused(_("The signing date is in the future. Record the signature after signing."))
    if signed_on < EARLIEST_SIGNING_DATE:
        raise ActionRefused(_("Check the signing date. It is before 2000."))


def _resolve_version(agreement: Agreement, version: str, side: ResponsibleParty) -> str:
    """Return the version that both sides sign; the side that signs first names it."""
    other_signature = get_signature(agreement, OTHER_PARTY[side])
    if other_signature is not None and version not in ("", agreement.version):
        raise ActionRefused(
            _("%(signer)s signed version %(version)s. Both sides must sign the same version.")
            % {"signer": other_signature.signer, "version": agreement.version},
            "conflict",
        )
    if not version and not agreement.version:
        raise ActionRefused(_("Enter the signed version."))
    return version or agreement.version


def _reject_used_version(agreement: Agreement, version: str) -> None:
    """Refuse a version that another agreement already has; a renewal needs a new one."""
    same_version = Agreement.objects.filter(partner=agreement.partner, kind=agreement.kind, version=version)
    if same_version.exclude(pk=agreement.pk).exists():
        raise ActionRefused(
            _("Both sides already signed version %(version)s. Enter a new version for the renewal.")
            % {"version": version}
        )


def _attach_file(
    integration: Integration,
    requirement_id: str,
    agreement: Agreement,
    file: ValidatedFile,
    actor: AnyUser,
    now: datetime,
) -> None:
    """Attach the file to the agreement in place of an existing one."""
    if agreement.document is not None and agreement.document.sha256 == file.sha256:
        return
    if agreement.document is not None:
        documents.mark_removed(agreement.document, now)
    agreement.document = documents.store_document(
        integration, get_or_create_state(integration, requirement_id), file, actor=actor, now=now
    )


def _answer_requirement(
    integration: Integration,
    requirement_id: str,
    agreement: Agreement,
    side: ResponsibleParty,
    actor: AnyUser | None,
    now: datetime,
) -> None:
    """Answer the requirement for all integrations of the partner that need this agreement.

    While a renewal waits for the other side, the answer stays the version in force.
    """
    effective_agreement = get_agreement_in_force(integration.partner, agreement.kind) or agreement
    renewal_data = {} if effective_agreement == agreement else {"renewal_waits_for": str(OTHER_PARTY[side])}
    submit_answer(
        integration,
        requirement_id,
        {**_build_answer_data(effective_agreement, side), **renewal_data},
        actor=actor,
        now=now,
        rule=permissions.can_take_part,
        status=Status.SUBMITTED if effective_agreement.is_complete else Status.AWAITING_OTHER_PARTY,
        event_type="agreement.completed" if agreement.is_complete else FIRST_SIGNATURE_EVENT_TYPES[side],
        summary=_summarize_agreement(effective_agreement)
        + ("" if effective_agreement == agreement else f"; renewal: {_summarize_agreement(agreement)}"),
        extra_data={"agreement": _get_kind_label(agreement), **_build_signature_data(agreement)},
    )


def _get_kind_label(agreement: Agreement) -> str:
    """Return the name of the agreement in the default language, because it is stored."""
    with translation.override(settings.LANGUAGE_CODE):
        return str(agreement.get_kind_display())  # type: ignore[attr-defined]


def _summarize_agreement(agreement: Agreement) -> str:
    signers = [signature.signer for signature in (get_signature(agreement, side) for side in OTHER_PARTY) if signature]
    return f"Version {agreement.version}, signed by {' and '.join(signers)}"


def _build_signature_data(agreement: Agreement) -> dict[str, str]:
    """Return version, signers, and dates for the event, the answer, and the emails."""
    data = {"version": agreement.version}
    for name, side in (("company", ResponsibleParty.PARTNER), ("program", ResponsibleParty.PROGRAM)):
        signature = get_signature(agreement, side)
        if signature is not None:
            data |= {f"{name}_signer": signature.signer, f"{name}_signed_on": signature.signed_on.isoformat()}
    return data


def _build_answer_data(agreement: Agreement, side: ResponsibleParty) -> dict[str, str]:
    waiting_data = {} if agreement.is_complete else {"waits_for": str(OTHER_PARTY[side])}
    return {**_build_signature_data(agreement), **waiting_data}
