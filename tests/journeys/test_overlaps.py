"""Similar integrations: unlisted ones stay anonymous until both sides agree to an introduction."""

from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone

from integrations.partners.models import Partner
from integrations.programs.models import RegistryProvider
from integrations.submissions.models import Integration
from portal.notifications.models import EmailMessage
from tests.conftest import create_integration
from tests.journeys.conftest import find_link
from tests.journeys.person import Person

Visit = Callable[..., Person]
FindEmail = Callable[..., EmailMessage]
GLOBEX_NAMES = ("Globex", "Charlie", "globex.example", "Skyrocket launcher")
ACME_NAMES = ("Acme", "Alice", "acme.example", "Rocket driver")


@pytest.fixture
def unlisted_integration(globex: Partner, charlie: Any) -> Integration:
    """An unlisted integration of Globex in the same repository, with another name."""
    facts = {"name": "Skyrocket launcher", "repository": "opensky/nomad-driver-rocket", "repository_id": None}
    facts |= {"homepage": "https://globex.example/skyrocket", "description": "Carries workloads."}
    return create_integration(globex, charlie, now=timezone.now(), **facts)


@pytest.fixture
def introduction_request(visit: Visit, alice: Any, unlisted_integration: Integration) -> tuple[Person, Integration]:
    """Alice's browser after she requested an introduction on submission, and her integration."""
    requester = visit(alice).go("/programs/choose/nomad/")
    requester.write("Repository", "https://github.com/opensky/nomad-driver-rocket").write("Name", "Rocket driver")
    requester.write("Description", "Runs workloads.").tick("Container Runtime").tick("Open Source").press("Continue")
    requester.sees("Someone is working on this (the same repository).").never_receives(*GLOBEX_NAMES)
    requester.tick("Someone is working on this").write(
        "Message to the other partner", "Shall we build it together?"
    ).shot("overlaps")
    requester.press("Submit integration").never_receives(*GLOBEX_NAMES)
    return requester, Integration.objects.get(name="Rocket driver")


def test_two_partners_are_introduced_when_both_agree(
    visit: Visit,
    find_email: FindEmail,
    alice: Any,
    charlie: Any,
    unlisted_integration: Integration,
    introduction_request: tuple[Person, Integration],
) -> None:
    requester, ours = introduction_request
    email = find_email(charlie.email, "introduction_requested")
    assert [each for each in ACME_NAMES if each in email.text + email.html + email.subject] == []
    other = visit(charlie).go(f"/integrations/{unlisted_integration.uuid}/").never_receives(*ACME_NAMES)
    other.sees("A partner with a similar integration requested an introduction", "Shall we build it together?")
    other.press("Respond to request").never_receives(*ACME_NAMES).sees("Introduction request").shot("introduction")
    other.press("Accept introduction").sees("Introduction accepted", "Acme", "alice@acme.example")
    requester.go(f"/integrations/{ours.uuid}/").sees("Introduction accepted")
    requester.go(find_link(find_email(alice.email, "introduction_agreed"))).sees(
        "Globex", "Skyrocket launcher", "charlie@globex.example"
    )
    assert {row.recipient for row in ours.introductions_requested.all()} == {unlisted_integration}


def test_partner_who_declines_stays_anonymous(
    visit: Visit, charlie: Any, unlisted_integration: Integration, introduction_request: tuple[Person, Integration]
) -> None:
    requester, ours = introduction_request
    other = (
        visit(charlie)
        .go(f"/integrations/{unlisted_integration.uuid}/")
        .press("Respond to request")
        .press("Decline introduction")
    )
    other.sees("Introduction declined").never_receives(*ACME_NAMES)
    requester.go(f"/introductions/{ours.introductions_requested.get().pk}/").sees(
        "The other partner declined. They have not seen your name."
    )
    requester.never_receives(*GLOBEX_NAMES)
    for page in ("", "history/", "similar/"):
        requester.go(f"/integrations/{ours.uuid}/{page}").never_receives(*GLOBEX_NAMES)


def test_published_provider_is_named_while_the_partner_types(visit: Visit, alice: Any) -> None:
    provider = RegistryProvider(
        registry_id="7",
        full_name="initech/rocket",
        namespace="initech",
        name="rocket",
        tier="community",
        downloads=12,
        source="https://github.com/initech/terraform-provider-rocket",
        description="",
        imported_at=timezone.now(),
    )
    provider.derive()
    provider.save()
    browser = visit(alice).go("/programs/terraform-provider/").press("Start integration")
    browser.press("Enter the details yourself")
    browser.write("Name", "Rocket").page.keyboard.press("Tab")
    browser.sees("initech/rocket is already published in the registry (community, the same product).")
    browser.write("Name", "Submarine").page.keyboard.press("Tab")
    browser.sees("No similar integrations found")
