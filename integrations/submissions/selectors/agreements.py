"""Agreements of partners with the program."""

from dataclasses import dataclass
from functools import cache, reduce
from operator import or_
from uuid import UUID

from django.db.models import (
    BigIntegerField,
    Case,
    Exists,
    Max,
    OuterRef,
    Q,
    QuerySet,
    TextChoices,
    Value,
    When,
)
from django.urls import reverse
from django.utils.translation import gettext_lazy

from integrations.partners.models import Partner
from integrations.programs.registry import AGREEMENTS, get_edition
from integrations.submissions.models import Agreement, AgreementSignature, Integration
from integrations.submissions.workflow.states import ResponsibleParty
from portal.core.compiled_queries import CompiledQuery, Parameter

PARTNER_ID = Parameter("partner", BigIntegerField())


class AgreementState(TextChoices):
    """State of a version of an agreement."""

    WAITING_FOR_PARTNER = "waiting_for_partner", gettext_lazy("Waiting for the partner")
    WAITING_FOR_PROGRAM = "waiting_for_program", gettext_lazy("Waiting for the program")
    IN_FORCE = "in_force", gettext_lazy("In force")
    REPLACED = "replaced", gettext_lazy("Replaced")
    REJECTED = "rejected", gettext_lazy("Rejected")


TONES = {
    AgreementState.WAITING_FOR_PARTNER: "warn",
    AgreementState.WAITING_FOR_PROGRAM: "warn",
    AgreementState.IN_FORCE: "good",
    AgreementState.REPLACED: "neutral",
    AgreementState.REJECTED: "bad",
}


@dataclass(frozen=True, slots=True)
class AgreementRow:
    """Version of an agreement with its state and the URL where it can be signed, or an empty string."""

    agreement: Agreement
    state: AgreementState
    signing_url: str = ""

    @property
    def tone(self) -> str:
        return TONES[self.state]


def select_agreements() -> QuerySet[Agreement]:
    """Return all agreements with their signatures and the column `state`, newest first.

    The version of a kind that was completed last is in force. An incomplete version that isn't current is replaced.
    """
    # A copy: the cached queryset would keep the rows of its first use for the whole process.
    return _build_agreements(_list_current_versions()).all()


def _list_current_versions() -> tuple[tuple[str, str], ...]:
    return tuple((key, documents[-1].version) for key, documents in AGREEMENTS.items())


@cache
def _build_agreements(current_versions: tuple[tuple[str, str], ...]) -> QuerySet[Agreement]:
    """Return the query, which takes longer to build than to run."""
    is_later = Q(completed_at__gt=OuterRef("completed_at"))
    # Exactly one version is in force, even if two were completed at the same moment.
    is_later |= Q(completed_at=OuterRef("completed_at"), pk__gt=OuterRef("pk"))
    later = Agreement.objects.filter(is_later, partner=OuterRef("partner"), kind=OuterRef("kind"))
    signed_by_partner = AgreementSignature.objects.filter(agreement=OuterRef("pk"), side=ResponsibleParty.PARTNER)
    is_current = reduce(or_, (Q(kind=kind, version=version) for kind, version in current_versions))
    states = Case(
        # The first match counts. A rejected PDF was never in force, whatever is newer.
        When(rejected_at__isnull=False, then=Value(AgreementState.REJECTED.value)),
        When(Exists(later), then=Value(AgreementState.REPLACED.value)),
        When(completed_at__isnull=False, then=Value(AgreementState.IN_FORCE.value)),
        When(~is_current, then=Value(AgreementState.REPLACED.value)),
        When(Exists(signed_by_partner), then=Value(AgreementState.WAITING_FOR_PROGRAM.value)),
        default=Value(AgreementState.WAITING_FOR_PARTNER.value),
    )
    rows = Agreement.objects.annotate(state=states).select_related("document").prefetch_related("signatures")
    return rows.order_by("-pk")


def build_row(agreement: Agreement, signing_url: str = "") -> AgreementRow:
    """Return the row of an agreement from `select_agreements`."""
    return AgreementRow(agreement, AgreementState(agreement.state), signing_url)  # type: ignore[attr-defined]


def select_partner_agreements(partner: Partner) -> QuerySet[Agreement]:
    """Select all versions of a partner's agreements by kind, newest first, with the column `is_newest`."""
    newer = Agreement.objects.filter(partner=partner, kind=OuterRef("kind"), pk__gt=OuterRef("pk"))
    return select_agreements().filter(partner=partner).annotate(is_newest=~Exists(newer)).order_by("kind", "-pk")


def list_agreements(partner: Partner) -> list[AgreementRow]:
    """Return the rows of all versions by kind, newest first."""
    return build_rows(partner, list(select_partner_agreements(partner)))


def build_rows(partner: Partner, agreements: list[Agreement]) -> list[AgreementRow]:
    """Return the rows of a partner's agreements. Only the newest version of a kind can be signed."""
    urls_by_kind = map_signing_urls(partner) if agreements else {}
    return [
        build_row(agreement, urls_by_kind.get(agreement.kind, "") if agreement.is_newest else "")  # type: ignore[attr-defined]
        for agreement in agreements
    ]


def _select_newest_by_edition() -> QuerySet[Integration, tuple[UUID, str, str]]:
    groups = Integration.objects.open().filter(partner=PARTNER_ID).order_by().values("program_key", "edition_date")
    newest = Integration.objects.filter(pk__in=groups.values(newest=Max("pk"))).order_by("-pk")
    return newest.values_list("uuid", "program_key", "edition_date")


NEWEST_BY_EDITION = CompiledQuery(_select_newest_by_edition)


def map_signing_urls(partner: Partner) -> dict[str, str]:
    """Return the signing page by agreement kind, on the newest open integration that requires the agreement.

    Integrations of the same edition require the same, so only the newest of each is read.
    """
    urls_by_kind: dict[str, str] = {}
    for uuid, program_key, edition_date in NEWEST_BY_EDITION.fetch(partner=partner.pk):
        for requirement in get_edition(program_key, edition_date).list_requirements():
            if requirement.agreement:
                url = reverse("submissions:requirement", args=[uuid, requirement.id])
                urls_by_kind.setdefault(requirement.agreement, url)
    return urls_by_kind
