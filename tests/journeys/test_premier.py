"""A listed provider asks for Partner Premier: one requirement of each group is enough, none of one is not."""

from typing import Any

import pytest
from django.utils import timezone

from integrations.partners.models import Partner
from integrations.submissions.models import Integration
from tests.conftest import begin, drive
from tests.fakes.github.server import Repo
from tests.fakes.registry import Provider
from tests.journeys.walk import Walk


@pytest.fixture
def listed_provider(
    edition_2026: None, walk: Walk, acme: Partner, alice: Any, rita: Any, github: Any, registry: Any
) -> Integration:
    """Acme's provider with the standing Partner, in support."""
    github.seed(Repo("acme/terraform-provider-rocket", "Rockets as code."))
    registry.publish(Provider("acme/rocket"))
    row = begin(acme, alice, "terraform-provider", timezone.now())
    row = drive(row, "support", partner=alice, reviewer=rita, now=timezone.now())
    walk.pk = row.pk
    return row


def test_listed_provider_becomes_partner_premier(
    walk: Walk, listed_provider: Integration, mail_to: Any, alice: Any
) -> None:
    partner, reviewer = walk.partner.go(walk.page), walk.reviewer
    assert (listed_provider.listing_status, listed_provider.tier) == ("listed", "partner")
    partner.sees("Partner Premier", "Technical requirements (at least one)", "Feature requirements (at least one)")
    partner.sees_not("Request Partner Premier").shot("premier-before")
    tier = listed_provider.edition.tier("partner-premier")
    walk.fulfil(next(r for r in tier.requirements if r.id == "TP-SBOM"))
    partner.go(walk.page).sees_not("Request Partner Premier")
    walk.fulfil(next(r for r in tier.requirements if r.id == "TP-ACTION"))
    partner.go(walk.page).press("Request Partner Premier").press("Request tier")
    partner.go(walk.page).sees("Requested").sees_not("Request Partner Premier")
    assert (walk.row.responsible_party, walk.row.tier_request) == ("program", "partner-premier")
    reviewer.go("/queue/").sees("request for tier Partner Premier").press("Claim review Rocket")
    reviewer.sees("Software bill of materials (SBOM)")
    reviewer.sees("https://acme.example/docs", "GitHub SBOM generator").shot("premier-review")
    reviewer.press("Grant tier").sees("Subject").press("Grant tier")
    walk.later(minutes=11)
    assert (walk.row.tier, walk.row.tier_request) == ("partner-premier", "")
    assert "Partner Premier" in mail_to(alice.email, "tier_granted").text
    partner.go(walk.page).sees("Granted")
    partner.go("/directory/").press("Rocket").sees("Partner Premier")


def test_declined_it_stays_partner_and_may_ask_again(
    walk: Walk, listed_provider: Integration, mail_to: Any, alice: Any
) -> None:
    tier = listed_provider.edition.tier("partner-premier")
    for requirement in (r for r in tier.requirements if r.id in ("TP-SBOM", "TP-EPH")):
        walk.fulfil(requirement)
    walk.partner.go(walk.page).press("Request Partner Premier").press("Request tier")
    reviewer = walk.reviewer.go(f"{walk.page}review/").press("Decline tier")
    reviewer.write("Reason for the partner", "The bill of materials is empty.").press("Decline tier")
    walk.later(minutes=11)
    assert "The bill of materials is empty." in mail_to(alice.email, "tier_declined").text
    assert (walk.row.tier, walk.row.listing_status) == ("partner", "listed")
    walk.partner.go(walk.page).sees("The bill of materials is empty.", "Request Partner Premier")
