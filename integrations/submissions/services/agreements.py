"""How is an agreement signed by both sides? Either begins; each records its version, signer and date.

A complete one is renewed by a newer version: until both sides have signed that, the one before stays in force.
"""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.conf import settings
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.partners.models import Partner
from integrations.submissions.models import Agreement, Integration
from integrations.submissions.services import documents
from integrations.submissions.services.requirements import OTHER, answer, handing_in, side_of, state_for
from integrations.submissions.workflow.states import Holder, Status
from portal.core.errors import NotAllowed
from portal.core.uploads import Examined

OLDEST = date(2000, 1, 1)
BEGUN = {Holder.PARTNER: "agreement_to_countersign", Holder.PROGRAM: "agreement_to_sign"}


@dataclass(frozen=True, slots=True)
class Signature:
    """Who signed for one side, and on which day."""

    signer: str
    signed_on: date


def latest(partner: Partner, kind: str) -> Agreement | None:
    """The agreement that counts: the newest of its kind, complete or not."""
    rows = partner.agreements.filter(kind=kind).select_related("document")
    return rows.order_by("-created_at", "-pk").first()


def in_force(partner: Partner, kind: str) -> Agreement | None:
    """The newest that both sides have signed."""
    rows = partner.agreements.filter(kind=kind, partner_signed_on__isnull=False, program_signed_on__isnull=False)
    return rows.order_by("-created_at", "-pk").first()


def signature_of(agreement: Agreement | None, side: Holder) -> Signature | None:
    """What one side has recorded."""
    signed_on = getattr(agreement, f"{side}_signed_on", None)
    return Signature(getattr(agreement, f"{side}_signer"), signed_on) if signed_on else None


def sign(
    integration: Integration,
    requirement_id: str,
    signature: Signature,
    *,
    version: str,
    by: Any,
    now: datetime,
    file: Examined | None = None,
    renews: bool = False,
) -> Agreement:
    """Record one side's signature. A blank `version` is the one that the other side signed.

    Until the other side has signed, one's own part can be recorded again. With `renews` a complete agreement is
    followed by a new version. Raises NotAllowed.
    """
    _refuse_date(signature.signed_on, now)
    with handing_in(integration, requirement_id, by=by) as (row, requirement):
        side = side_of(row, by)
        agreement = latest(row.partner, requirement.agreement)
        if agreement is not None and agreement.is_complete:
            if signature_of(agreement, side) == signature and version in ("", agreement.version):
                return agreement
            if not renews:
                said = _("Version %(version)s is signed by both sides already.")
                raise NotAllowed(said % {"version": agreement.version}, "stale")
            agreement = None
        agreement = agreement or Agreement(partner=row.partner, kind=requirement.agreement, created_at=now)
        version = _agreed_version(agreement, version, side)
        if agreement.version == version and signature_of(agreement, side) == signature and file is None:
            return agreement
        _refuse_used(agreement, version)
        agreement.version = version
        setattr(agreement, f"{side}_signer", signature.signer)
        setattr(agreement, f"{side}_signed_on", signature.signed_on)
        if file is not None:
            _attach(row, requirement_id, agreement, file, by, now)
        agreement.save()
        _tell(row, requirement_id, agreement, side, by, now)
    return agreement


def _refuse_date(signed_on: date, now: datetime) -> None:
    if signed_on > timezone.localdate(now):
        raise NotAllowed(_("The day of signing is in the future. Record it once it is signed."))
    if signed_on < OLDEST:
        raise NotAllowed(_("Look at the year of signing: it is before 2000."))


def _agreed_version(agreement: Agreement, version: str, side: Holder) -> str:
    """Both sides sign one version; the side that begins names it."""
    other = signature_of(agreement, OTHER[side])
    if other is not None and version not in ("", agreement.version):
        raise NotAllowed(
            _("%(signer)s signed version %(version)s: both sides sign the same one.")
            % {"signer": other.signer, "version": agreement.version},
            "stale",
        )
    if not version and not agreement.version:
        raise NotAllowed(_("Say which version was signed."))
    return version or agreement.version


def _refuse_used(agreement: Agreement, version: str) -> None:
    """Each version is signed once; a renewal has one of its own."""
    same = Agreement.objects.filter(partner=agreement.partner, kind=agreement.kind, version=version)
    if same.exclude(pk=agreement.pk).exists():
        raise NotAllowed(
            _("Version %(version)s is signed by both sides already: a renewal has a version of its own.")
            % {"version": version}
        )


def _attach(
    row: Integration, requirement_id: str, agreement: Agreement, file: Examined, by: Any, now: datetime
) -> None:
    """Keep the file with the agreement, in the place of one that is there."""
    if agreement.document is not None and agreement.document.sha256 == file.sha256:
        return
    if agreement.document is not None:
        documents.take_away(agreement.document, now)
    agreement.document = documents.keep(row, state_for(row, requirement_id), file, by=by, now=now)


def _tell(row: Integration, requirement_id: str, agreement: Agreement, side: Holder, by: Any, now: datetime) -> None:
    """Answer the requirement, for all of the company's integrations that ask for this agreement.

    While a renewal waits for the other side, the answer stays the version in force.
    """
    counts = in_force(row.partner, agreement.kind) or agreement
    renewal = {} if counts == agreement else {"renewal_waits_for": str(OTHER[side])}
    answer(
        row, requirement_id, {**_answer_of(counts, side), **renewal}, by=by, now=now, rule=permissions.may_meet,
        status=Status.GIVEN if counts.is_complete else Status.WAITING,
        verb="agreement_complete" if agreement.is_complete else BEGUN[side],
        summary=_summary(counts) + ("" if counts == agreement else f"; renewal: {_summary(agreement)}"),
        told={"agreement": _kind(agreement), **_signed(agreement)},
    )  # fmt: skip


def _kind(agreement: Agreement) -> str:
    """What it is called, in the portal's own language, since it is written down."""
    with translation.override(settings.LANGUAGE_CODE):
        return str(agreement.get_kind_display())  # type: ignore[attr-defined]


def _summary(agreement: Agreement) -> str:
    signers = [each.signer for each in (signature_of(agreement, side) for side in OTHER) if each]
    return f"Version {agreement.version}, signed by {' and '.join(signers)}"


def _signed(agreement: Agreement) -> dict[str, str]:
    """Version, signers and days as the event, the answer and the mails say them."""
    said = {"version": agreement.version}
    for name, side in (("company", Holder.PARTNER), ("program", Holder.PROGRAM)):
        signature = signature_of(agreement, side)
        if signature is not None:
            said |= {f"{name}_signer": signature.signer, f"{name}_signed_on": signature.signed_on.isoformat()}
    return said


def _answer_of(agreement: Agreement, side: Holder) -> dict[str, str]:
    waits = {} if agreement.is_complete else {"waits_for": str(OTHER[side])}
    return {**_signed(agreement), **waits}
