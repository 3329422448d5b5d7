"""Identity of a company: what it claims, what proofs and sources state, and what its earlier integrations have."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from django.db.models import QuerySet, Value
from django.utils.translation import gettext as _

from integrations.partners.domains import list_claimable_domains
from integrations.partners.models import DOMAIN_METHODS, Partner, PartnerVerification, VerificationMethod
from integrations.partners.selectors import list_verifications
from integrations.programs.requirements import Requirement
from integrations.submissions.models import Integration, RequirementFulfillment
from verification.checks.models import Observation
from verification.checks.services.observations import FACT_PREFIX

IDENTITY_CHECKS = frozenset({"repository.owner", "keys.registered", "keys.personal"})
LISTING = f"{FACT_PREFIX}listing"
SIGNING_KEYS = f"{FACT_PREFIX}signing_keys"
MAX_EARLIER_INTEGRATIONS = 20  # number of integrations for the comparison
PROVIDER_QUESTION = "provider"  # key of the question for the registry's name, NAMESPACE/NAME

Values = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class IdentityRow:
    """One aspect of the identity. `earlier_values` are those of earlier integrations, None if they have none."""

    label: str
    claimed_values: Values
    verified_values: Values
    earlier_values: Values | None = None

    @property
    def match(self) -> Literal["", "match", "different", "missing"]:
        """Return whether a claim was found; blank without a claim to compare."""
        if not self.claimed_values:
            return ""
        if not self.verified_values:
            return "missing"
        return "match" if _fold(self.claimed_values) & _fold(self.verified_values) else "different"

    @property
    def is_same_as_before(self) -> bool | None:
        """Return whether an earlier integration has one of the values; None without a value to compare."""
        values = self.claimed_values or self.verified_values
        return bool(_fold(self.earlier_values or ()) & _fold(values)) if values else None


def is_about_identity(requirement: Requirement, integration: Integration) -> bool:
    """Return whether the requirement, or one that it confirms, has checks of the owner or the signing key."""
    confirmed = [integration.edition.get_requirement(id) for id in requirement.confirms]
    return any(each and IDENTITY_CHECKS.intersection(each.checks) for each in (requirement, *confirmed))


def compare_identity(
    partner: Partner,
    integration: Integration | None,
    newest: Sequence[Integration] = (),
    proofs: Sequence[PartnerVerification] | None = None,
) -> tuple[list[IdentityRow], list[Integration]]:
    """Return the identity that a company claims with an integration, by default its newest one.

    The second value has the earlier integrations that it is compared with, newest first.

    `newest` are the company's newest integrations, and `proofs` all its proofs, if the caller has read them.
    """
    rows = partner.integrations.order_by("-created_at", "-pk")
    if integration:
        earlier = list(rows.filter(created_at__lt=integration.created_at)[:MAX_EARLIER_INTEGRATIONS])
    else:
        newest_rows = list(newest or rows[:MAX_EARLIER_INTEGRATIONS])
        integration = newest_rows[0] if newest_rows else None
        earlier = newest_rows[1:]
    proofs = list_verifications(partner) if proofs is None else proofs
    proved_domains = _deduplicate(proof.subject for proof in proofs if proof.method in DOMAIN_METHODS)
    domains = IdentityRow(_("Domain"), tuple(list_claimable_domains(partner)), proved_domains)
    proved_owners = _deduplicate(proof.subject for proof in proofs if proof.method == VerificationMethod.GITHUB)
    owner = _deduplicate([_get_owner(integration.repository)] if integration else [])
    earlier_owners = _deduplicate(_get_owner(each.repository) for each in earlier)
    comparison = [domains, IdentityRow(_("GitHub organization"), owner, proved_owners, earlier_owners or None)]
    if integration is not None:
        comparison += _compare_registry(integration, earlier)
    return comparison, earlier


def _compare_registry(integration: Integration, earlier: Sequence[Integration]) -> list[IdentityRow]:
    """Return the registry's namespace and its signing keys, both as last read."""
    rows = _list_registry_facts(integration, earlier)
    values = {
        (pk, key): str((data or {}).get(key if key == PROVIDER_QUESTION else "value", "")) for pk, key, data in rows
    }
    namespaces = {pk: _get_owner(value) for (pk, key), value in values.items() if key == LISTING}
    keys = {pk: _deduplicate(value.split(", ")) for (pk, key), value in values.items() if key == SIGNING_KEYS}
    # The registry publishes a provider in the namespace of its repository's owner.
    claimed = _deduplicate([_get_owner(values.get((integration.pk, PROVIDER_QUESTION)) or integration.repository)])
    earlier_namespaces = _deduplicate(namespaces.get(each.pk, "") for each in earlier)
    earlier_keys = _deduplicate(key for each in earlier for key in keys.get(each.pk, ()))
    found = _deduplicate([namespaces.get(integration.pk, "")])
    return [
        IdentityRow(_("Registry namespace"), claimed, found, earlier_namespaces or None),
        IdentityRow(_("Signing key"), (), keys.get(integration.pk, ()), earlier_keys or None),
    ]


def _list_registry_facts(
    integration: Integration, earlier: Sequence[Integration]
) -> QuerySet[Observation, tuple[int, str, Any]]:
    """Return the facts of these integrations, and the provider that the first one states, in one query."""
    facts = Observation.objects.filter(integration__in=[integration, *earlier], key__in=[LISTING, SIGNING_KEYS])
    answers = RequirementFulfillment.objects.filter(integration=integration, data__has_key=PROVIDER_QUESTION)
    return facts.values_list("integration", "key", "value").union(
        answers.annotate(key=Value(PROVIDER_QUESTION)).values_list("integration", "key", "data"), all=True
    )


def _get_owner(full_name: str) -> str:
    """Return the part of "owner/name" before the slash."""
    return full_name.partition("/")[0]


def _deduplicate(values: Iterable[str]) -> Values:
    return tuple(dict.fromkeys(value for value in values if value))


def _fold(values: Values) -> set[str]:
    # GitHub, the registry, and DNS ignore case.
    return {value.casefold() for value in values}
