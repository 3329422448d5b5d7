"""Requests for the tier Partner Premier, which requires one requirement of each group."""

from typing import Any

import pytest
from django.utils import timezone

from integrations.partners.models import Partner
from integrations.submissions.models import Integration
from tests.conftest import advance_to_stage, create_integration
from tests.fakes.github.server import Repo
from tests.fakes.registry import Provider
from tests.journeys.walkthrough import Walkthrough


@pytest.fixture
def listed_provider(
    edition_2026: None, walkthrough: Walkthrough, acme: Partner, alice: Any, rita: Any, github: Any, registry: Any
) -> Integration:
    """Acme's provider in the tier Partner, in support."""
    github.seed(Repo("acme/terraform-provider-rocket", "Rockets as code."))
    registry.publish(Provider("acme/rocket"))
    row = create_integration(acme, alice, "terraform-provider", timezone.now())
    row = advance_to_stage(row, "support", partner=alice, reviewer=rita, now=timezone.now())
    walkthrough.pk = row.pk
    return row


def test_listed_provider_becomes_partner_premier(
    walkthrough: Walkthrough, listed_provider: Integration, find_email: Any, alice: Any
) -> None:
    partner = walkthrough.partner.go(walkthrough.page)
    reviewer = walkthrough.reviewer
    assert (listed_provider.listing_status, listed_provider.tier) == ("listed", "partner")
    partner.sees("Partner Premier", "Technical requirements", "Feature requirements")
    partner.does_not_see("Request Partner Premier").shot("premier-before")
    tier = listed_provider.edition.get_tier("partner-premier")
    walkthrough.fulfill(next(r for r in tier.requirements if r.id == "TP-SBOM"))
    partner.go(walkthrough.page).does_not_see("Request Partner Premier")
    walkthrough.fulfill(next(r for r in tier.requirements if r.id == "TP-ACTION"))
    partner.go(walkthrough.page).press("Request Partner Premier").press("Request tier")
    partner.go(walkthrough.page).sees("Requested").does_not_see("Request Partner Premier")
    assert (walkthrough.row.responsible_party, walkthrough.row.tier_request) == ("program", "partner-premier")
    reviewer.go("/queue/").sees("request for tier Partner Premier").press("Claim review Rocket")
    reviewer.sees("Software bill of materials (SBOM)")
    reviewer.sees("https://acme.example/docs", "GitHub SBOM generator").shot("premier-review")
    reviewer.press("Grant tier").sees("Subject").press("Grant tier")
    walkthrough.advance_time(minutes=11)
    assert (walkthrough.row.tier, walkthrough.row.tier_request) == ("partner-premier", "")
    assert "Partner Premier" in find_email(alice.email, "tier_granted").text
    partner.go(walkthrough.page).sees("Granted")
    partner.go("/directory/").press("Rocket").sees("Partner Premier")


def test_declined_request_keeps_the_tier_and_can_be_repeated(
    walkthrough: Walkthrough, listed_provider: Integration, find_email: Any, alice: Any
) -> None:
    tier = listed_provider.edition.get_tier("partner-premier")
    for requirement in (r for r in tier.requirements if r.id in ("TP-SBOM", "TP-EPH")):
        walkthrough.fulfill(requirement)
    walkthrough.partner.go(walkthrough.page).press("Request Partner Premier").press("Request tier")
    reviewer = walkthrough.reviewer.go(f"{walkthrough.page}review/").press("Decline tier")
    reviewer.write("Reason for the partner", "The bill of materials is empty.").press("Decline tier")
    walkthrough.advance_time(minutes=11)
    assert "The bill of materials is empty." in find_email(alice.email, "tier_declined").text
    assert (walkthrough.row.tier, walkthrough.row.listing_status) == ("partner", "listed")
    walkthrough.partner.go(walkthrough.page).sees("The bill of materials is empty.", "Request Partner Premier")
