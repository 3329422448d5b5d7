"""Agreement signatures. Either side can sign first; each records the version, signer, and date.

A newer version renews a complete agreement. The previous version stays in force until both sides sign the new one.
"""

from dataclasses import dataclass
from datetime import date, datetime

from django.conf import settings
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from integrations.partners.models import Partner
from integrations.submissions.models import Agreement, Integration
from integrations.submissions.services import documents
from integrations.submissions.services.requirements import OTHER_PARTY, RequirementChange, change_requirement
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
    with change_requirement(integration, requirement_id, actor=actor, now=now) as change:
        partner, kind, side = change.integration.partner, change.requirement.agreement, change.acting_party
        agreement = get_latest_agreement(partner, kind)
        if agreement is not None and agreement.is_complete:
            if get_signature(agreement, side) == signature and version in ("", agreement.version):
                return agreement
            if not renews:
                message = _("Both sides already signed version %(version)s.")
                raise ActionRefused(message % {"version": agreement.version}, "conflict")
            agreement = None
        agreement = agreement or Agreement(partner=partner, kind=kind, created_at=now)
        version = _resolve_version(agreement, version, side)
        if agreement.version == version and get_signature(agreement, side) == signature and file is None:
            return agreement
        _reject_used_version(agreement, version)
        agreement.version = version
        setattr(agreement, f"{side}_signer", signature.signer)
        setattr(agreement, f"{side}_signed_on", signature.signed_on)
        if file is not None:
            _attach_file(change, agreement, file)
        agreement.save()
        _answer_requirement(change, agreement)
    return agreement


def _validate_signing_date(signed_on: date, now: datetime) -> None:
    if signed_on > timezone.localdate(now):
        raise ActionRefused(_("The signing date is in the future. Record the signature after signing."))
    if signed_on < EARLIEST_SIGNING_DATE:
        raise ActionRefused(_("Check the signing date. It is before 2000."))


def _resolve_version(agreement: Agreement, version: str, side: ResponsibleParty) -> str:
    """Return the version that both sides sign; the side that signs first names it."""
    other_signature = get_signature(agreement, OTHER_PARTY[side])
    if other_signature is not None and version not in ("", agreement.version):
        message = _("%(signer)s signed version %(version)s. Both sides must sign the same version.")
        values = {"signer": other_signature.signer, "version": agreement.version}
        raise ActionRefused(message % values, "conflict")
    if not version and not agreement.version:
        raise ActionRefused(_("Enter the signed version."))
    return version or agreement.version


def _reject_used_version(agreement: Agreement, version: str) -> None:
    """Refuse a version that another agreement already has; a renewal needs a new one."""
    same_version = Agreement.objects.filter(partner=agreement.partner, kind=agreement.kind, version=version)
    if same_version.exclude(pk=agreement.pk).exists():
        message = _("Both sides already signed version %(version)s. Enter a new version for the renewal.")
        raise ActionRefused(message % {"version": version})


def _attach_file(change: RequirementChange, agreement: Agreement, file: ValidatedFile) -> None:
    """Attach the file to the agreement in place of an existing one."""
    if agreement.document is not None and agreement.document.sha256 == file.sha256:
        return
    if agreement.document is not None:
        documents.mark_removed(agreement.document, change.now)
    agreement.document = documents.store_document(change, file)


def _answer_requirement(change: RequirementChange, agreement: Agreement) -> None:
    """Answer the requirement for all integrations of the partner that need this agreement.

    While a renewal waits for the other side, the answer stays the version in force.
    """
    effective_agreement = get_agreement_in_force(agreement.partner, agreement.kind) or agreement
    other_party = str(OTHER_PARTY[change.acting_party])
    data, summary = _build_signature_data(effective_agreement), _summarize_agreement(effective_agreement)
    if not effective_agreement.is_complete:
        data["waits_for"] = other_party
    if effective_agreement != agreement:
        data["renewal_waits_for"], summary = other_party, f"{summary}; renewal: {_summarize_agreement(agreement)}"
    with translation.override(settings.LANGUAGE_CODE):  # the name of the agreement is stored
        kind_label = str(agreement.get_kind_display())  # type: ignore[attr-defined]
    change.answer(
        "agreement.completed" if agreement.is_complete else FIRST_SIGNATURE_EVENT_TYPES[change.acting_party],
        data,
        status=Status.SUBMITTED if effective_agreement.is_complete else Status.AWAITING_OTHER_PARTY,
        summary=summary,
        agreement=kind_label,
        **_build_signature_data(agreement),
    )


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
