"""Tests of the comparison of a partner's identity with verified values and earlier integrations."""

from datetime import timedelta
from typing import Any

import pytest
from bs4 import BeautifulSoup

from integrations.partners.models import Membership, Partner, PartnerVerification, VerificationMethod
from integrations.submissions.models import Integration
from portal.accounts.models import User
from tests.conftest import NOW, create_integration
from verification.checks.facts import REGISTRY, Fact
from verification.checks.identity import MAX_EARLIER_INTEGRATIONS, IdentityRow, compare_identity, is_about_identity
from verification.checks.services import facts

pytestmark = pytest.mark.any_database
DAY = timedelta(days=1)


@pytest.fixture
def earlier(acme: Partner, alice: User) -> Integration:
    row = create_integration(
        acme, alice, "terraform-provider", NOW - DAY, name="Glider", repository="acme/terraform-provider-glider"
    )
    facts.store_facts(row, [Fact("listing", "acme/glider", REGISTRY), Fact("signing_keys", "AB12", REGISTRY)], NOW)
    return row


@pytest.fixture
def provider(acme: Partner, alice: User, earlier: Integration) -> Integration:
    """Return a later integration with another owner and another key."""
    row = create_integration(acme, alice, "terraform-provider", NOW, repository="acme-labs/terraform-provider-rocket")
    facts.store_facts(row, [Fact("listing", "acme/rocket", REGISTRY), Fact("signing_keys", "CD34", REGISTRY)], NOW)
    return row


def verify_partner(partner: Partner, method: VerificationMethod, subject: str) -> None:
    PartnerVerification.objects.create(partner=partner, method=method, subject=subject, verified_at=NOW)


def test_identity_is_compared_with_verified_values_and_earlier_integrations(
    acme: Partner, earlier: Integration, provider: Integration
) -> None:
    verify_partner(acme, VerificationMethod.DNS, "acme.example")
    verify_partner(acme, VerificationMethod.GITHUB, "acme")
    rows, earlier_integrations = compare_identity(acme, provider)
    assert earlier_integrations == [earlier]
    assert rows == [
        IdentityRow("Domain", ("acme.example",), ("acme.example",)),
        IdentityRow("GitHub organization", ("acme-labs",), ("acme",), ("acme",)),
        IdentityRow("Registry namespace", ("acme-labs",), ("acme",), ("acme",)),
        IdentityRow("Signing key", (), ("CD34",), ("AB12",)),
    ]
    assert [row.match for row in rows] == ["match", "different", "different", ""]
    assert [row.is_same_as_before for row in rows] == [False, False, False, False]


@pytest.mark.parametrize(("answer", "namespace"), [("globex/rocket", "globex"), (7, "7"), ("", "acme-labs")])
def test_stated_provider_names_the_namespace(provider: Integration, answer: object, namespace: str) -> None:
    provider.fulfillments.create(requirement_id="TP-LIC", data={"provider": answer})
    rows, _ = compare_identity(provider.partner, provider)
    assert rows[2].claimed_values == (namespace,)


@pytest.mark.parametrize(
    ("claimed", "verified", "expected"),
    [(("acme",), (), True), (("other",), ("acme",), False), ((), ("acme",), True), ((), (), None)],
)
def test_claim_is_compared_with_earlier_values_before_verified_values(
    claimed: tuple[str, ...], verified: tuple[str, ...], expected: bool | None
) -> None:
    assert IdentityRow("Registry namespace", claimed, verified, ("acme",)).is_same_as_before is expected


def test_first_integration_has_no_earlier_values(acme: Partner, earlier: Integration) -> None:
    rows, earlier_integrations = compare_identity(acme, earlier)
    assert earlier_integrations == []
    assert [(row.match, row.earlier_values) for row in rows][:2] == [("missing", None), ("missing", None)]


def test_partner_without_integrations_has_only_a_domain(acme: Partner) -> None:
    rows, _ = compare_identity(acme, None)
    assert rows == [IdentityRow("Domain", ("acme.example",), ()), IdentityRow("GitHub organization", (), ())]


def test_identity_is_shown_only_to_staff_where_they_decide(
    provider: Integration, rita: User, alice: User, sign_in: Any
) -> None:
    requirement = next(
        each for each in provider.edition.list_requirements() if each.confirms and is_about_identity(each, provider)
    )
    page = f"/integrations/{provider.uuid}/requirements/{requirement.id}/"
    for path in (page, "/companies/acme/"):
        table = BeautifulSoup(sign_in(rita).get(path).content, "html.parser").select_one("#identity")
        assert table is not None
        assert "Signing key Not stated CD34 Different AB12" in " ".join(table.get_text(" ").split())
        assert "Glider" in table.get_text()
    assert 'id="identity"' not in sign_in(alice).get(page).text
    Membership.objects.create(partner=provider.partner, user=rita, role="editor", joined_at=NOW)
    assert 'id="identity"' not in sign_in(rita).get(page).text
    Membership.objects.filter(user=rita).delete()
    other = next(each for each in provider.edition.list_requirements() if not is_about_identity(each, provider))
    assert 'id="identity"' not in sign_in(rita).get(f"/integrations/{provider.uuid}/requirements/{other.id}/").text


def test_number_of_earlier_integrations_is_limited(acme: Partner, alice: User) -> None:
    names = [f"terraform-provider-n{number}" for number in range(MAX_EARLIER_INTEGRATIONS + 2)]
    for number, name in enumerate(names):
        create_integration(
            acme, alice, "terraform-provider", NOW + number * DAY, name=name, repository=f"acme-{number}/{name}"
        )
    _, earlier = compare_identity(acme, None)
    assert [each.name for each in earlier] == names[-2:1:-1]


def test_partner_page_takes_twelve_queries_at_most(
    provider: Integration, rita: User, sign_in: Any, django_assert_max_num_queries: Any
) -> None:
    verify_partner(provider.partner, VerificationMethod.DNS, "acme.example")
    client = sign_in(rita)
    with django_assert_max_num_queries(12):
        assert client.get("/companies/acme/").status_code == 200
