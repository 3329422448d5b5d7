"""From an address to an integration that waits for its review, with the clicks and page loads that it takes."""

from collections.abc import Callable
from typing import Any

import pytest

from integrations.submissions.models import Integration
from portal.notifications.models import EmailMessage
from tests.fakes.github.server import Repo
from tests.fakes.registry import Provider
from tests.journeys.conftest import link_in
from tests.journeys.person import Person

Visit = Callable[..., Person]


@pytest.fixture
def rocket_provider(github: Any, registry: Any, settings: Any) -> None:
    settings.REGISTRY_URL = registry.url
    github.seed(Repo("acme/terraform-provider-rocket", "Rockets as code.", homepage="https://acme.example/rocket"))
    registry.publish(Provider("acme/rocket"))


def test_provider_starts_from_its_address(
    visit: Visit, alice: Any, rocket_provider: None, background: Callable[..., Any]
) -> None:
    partner = (
        visit(alice).go("/new/").shot("address").write("Address", "https://github.com/acme/terraform-provider-rocket")
    )
    partner.press("Continue").sees("Reading the address…").shot("reading")
    background()
    partner.sees("The Terraform Registry lists acme/rocket.", "met").shot("discovery")
    partner.choose("Category", "Networking Physical").tick("Open Source").press("Start integration").shot("started")
    assert Integration.objects.get().repository == "acme/terraform-provider-rocket"


def test_visitor_starts_from_an_address(
    visit: Visit, github: Any, mail_to: Callable[..., EmailMessage], background: Callable[..., Any], db: None
) -> None:
    github.seed(Repo("initech/nomad-driver-stapler", "Runs staplers.", homepage="https://initech.example"))
    dora = visit().go("/new/").write("Address", "https://github.com/initech/nomad-driver-stapler").press("Continue")
    dora.write("Your name", "Dora Dean").write("Email address", "dora@initech.example")
    dora.write("Password", "a long one to remember").press("Create account")
    dora.go(link_in(mail_to("dora@initech.example", "confirm_address"), "confirm-email"))
    dora.press("Confirm email address").press("Continue")
    background()
    dora.sees("The repository is named nomad-driver-stapler.").write("Company name", "Initech")
    dora.tick("Open Source").shot("discovery-nomad").press("Start integration")
    row = Integration.objects.get()
    assert (row.program_key, row.category, row.partner.name) == ("nomad", "container-runtime", "Initech")
