"""Journey through similar integrations: unlisted work stays nameless until both sides agree."""

from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone

from integrations.partners.models import Partner
from integrations.programs.models import RegistryProvider
from integrations.submissions.models import Integration
from portal.notifications.models import EmailMessage
from tests.conftest import begin
from tests.journeys.conftest import link_in
from tests.journeys.person import Person

Visit = Callable[..., Person]
MailTo = Callable[..., EmailMessage]
THEIRS = ("Globex", "Charlie", "globex.example", "Skyrocket launcher")
OURS = ("Acme", "Alice", "acme.example", "Rocket driver")


@pytest.fixture
def secret(globex: Partner, charlie: Any) -> Integration:
    """What Globex works on, unlisted, in the same repository under another name."""
    facts = {"name": "Skyrocket launcher", "repository": "opensky/nomad-driver-rocket", "repository_id": None}
    facts |= {"homepage": "https://globex.example/skyrocket", "description": "Carries workloads."}
    return begin(globex, charlie, now=timezone.now(), **facts)


@pytest.fixture
def introduction_request(visit: Visit, alice: Any, secret: Integration) -> tuple[Person, Integration]:
    """Alice, who saw it while she typed, and asked to be introduced when she sent hers."""
    asker = visit(alice).go("/programs/choose/nomad/")
    asker.write("Repository", "https://github.com/opensky/nomad-driver-rocket").write("Name", "Rocket driver")
    asker.write("Description", "Runs workloads.").tick("Container Runtime").tick("Open Source").press("Continue")
    asker.sees("Someone is working on this (the same repository).").never_reads(*THEIRS)
    asker.tick("Someone is working on this").write("Message to the other partner", "Shall we build it together?").shot(
        "overlaps"
    )
    asker.press("Submit integration").never_reads(*THEIRS)
    return asker, Integration.objects.get(name="Rocket driver")


def test_two_partners_are_introduced_when_both_agree(
    visit: Visit,
    mail_to: MailTo,
    alice: Any,
    charlie: Any,
    secret: Integration,
    introduction_request: tuple[Person, Integration],
) -> None:
    asker, ours = introduction_request
    told = mail_to(charlie.email, "introduction_requested")
    assert [word for word in OURS if word in told.text + told.html + told.subject] == []
    other = visit(charlie).go(f"/integrations/{secret.uuid}/").never_reads(*OURS)
    other.sees("A partner with a similar integration requested an introduction", "Shall we build it together?")
    other.press("Respond to request").never_reads(*OURS).sees("Introduction request").shot("introduction")
    other.press("Accept introduction").sees("Introduction accepted", "Acme", "alice@acme.example")
    asker.go(f"/integrations/{ours.uuid}/").sees("Introduction accepted")
    asker.go(link_in(mail_to(alice.email, "introduction_agreed"))).sees(
        "Globex", "Skyrocket launcher", "charlie@globex.example"
    )
    assert {row.other for row in ours.introductions_asked.all()} == {secret}


def test_who_would_rather_not_stays_unknown(
    visit: Visit, charlie: Any, secret: Integration, introduction_request: tuple[Person, Integration]
) -> None:
    asker, ours = introduction_request
    other = visit(charlie).go(f"/integrations/{secret.uuid}/").press("Respond to request").press("Decline introduction")
    other.sees("Introduction declined").never_reads(*OURS)
    asker.go(f"/introductions/{ours.introductions_asked.get().pk}/").sees(
        "The other partner declined. They have not seen your name."
    )
    asker.never_reads(*THEIRS)
    for page in ("", "history/", "similar/"):
        asker.go(f"/integrations/{ours.uuid}/{page}").never_reads(*THEIRS)


def test_listed_work_and_published_providers_are_named_while_one_types(visit: Visit, alice: Any) -> None:
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
