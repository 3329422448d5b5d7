"""Agreements of a partner with the program."""

from dataclasses import dataclass
from enum import StrEnum

from django.db.models import Max
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from integrations.partners.models import Partner
from integrations.programs.registry import get_agreement_document
from integrations.submissions.models import Agreement, Integration


class AgreementState(StrEnum):
    """State of a version of an agreement."""

    WAITING_FOR_COMPANY = "waiting_for_company"
    WAITING_FOR_PROGRAM = "waiting_for_program"
    IN_FORCE = "in_force"
    REPLACED = "replaced"
    REJECTED = "rejected"


STATE_LABELS = {
    AgreementState.WAITING_FOR_COMPANY: (gettext_noop("Waiting for the company"), "warn"),
    AgreementState.WAITING_FOR_PROGRAM: (gettext_noop("Waiting for the program"), "warn"),
    AgreementState.IN_FORCE: (gettext_noop("In force"), "good"),
    AgreementState.REPLACED: (gettext_noop("Replaced"), "neutral"),
    AgreementState.REJECTED: (gettext_noop("Rejected"), "bad"),
}


@dataclass(frozen=True, slots=True)
class AgreementRow:
    """Version of an agreement with its state and the URL where it can be signed, or an empty string."""

    agreement: Agreement
    state: AgreementState
    signing_url: str

    @property
    def label(self) -> str:
        return _(STATE_LABELS[self.state][0])

    @property
    def tone(self) -> str:
        return STATE_LABELS[self.state][1]


def list_agreements(partner: Partner) -> list[AgreementRow]:
    """Return all versions by kind, newest first. The newest complete version of a kind is in force."""
    signing_urls, kinds_in_force = map_signing_urls(partner), set[str]()
    rows: list[AgreementRow] = []
    agreements = partner.agreements.select_related("document").prefetch_related("signatures")
    for agreement in agreements.order_by("kind", "-created_at", "-pk"):
        is_older = agreement.version < get_agreement_document(agreement.kind).version
        is_replaced = agreement.kind in kinds_in_force or (is_older and not agreement.is_complete)
        state = get_agreement_state(agreement, is_replaced)
        if agreement.is_complete:
            kinds_in_force.add(agreement.kind)
        # only the newest version of a kind can be signed
        rows.append(AgreementRow(agreement, state, signing_urls.pop(agreement.kind, "")))
    return rows


def get_agreement_state(agreement: Agreement, is_replaced: bool) -> AgreementState:
    if agreement.rejected_at:
        return AgreementState.REJECTED
    if is_replaced:
        return AgreementState.REPLACED
    if agreement.is_complete:
        return AgreementState.IN_FORCE
    if agreement.partner_signature is None:
        return AgreementState.WAITING_FOR_COMPANY
    return AgreementState.WAITING_FOR_PROGRAM


def map_signing_urls(partner: Partner) -> dict[str, str]:
    """Return the signing page by agreement kind, on the newest open integration that requires the agreement.

    Integrations of the same edition require the same, so only the newest of each is read.
    """
    groups = partner.integrations.open().order_by().values("program_key", "edition_date").annotate(newest=Max("pk"))
    newest_by_edition = Integration.objects.filter(pk__in=[group["newest"] for group in groups]).order_by("-pk")
    urls_by_kind: dict[str, str] = {}
    for integration in newest_by_edition.only("uuid", "program_key", "edition_date"):
        for requirement in integration.edition.requirements():
            if requirement.agreement:
                url = reverse("submissions:requirement", args=[integration.uuid, requirement.id])
                urls_by_kind.setdefault(requirement.agreement, url)
    return urls_by_kind
