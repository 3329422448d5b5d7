"""Start of integrations from an address: repository, registry namespace, or endpoint."""

from collections.abc import Callable
from typing import Any

import pytest

from integrations.submissions.models import Integration
from portal.notifications.models import EmailMessage
from tests.fakes.github.server import Repo
from tests.fakes.registry import Provider
from tests.journeys.conftest import find_link
from tests.journeys.person import Person
from tests.verification.testruns.endpoints import serve_endpoint

Visit = Callable[..., Person]


@pytest.fixture
def rocket_provider(github: Any, registry: Any, settings: Any) -> None:
    settings.REGISTRY_URL = registry.url
    github.seed(Repo("acme/terraform-provider-rocket", "Rockets as code.", homepage="https://acme.example/rocket"))
    registry.publish(Provider("acme/rocket"))


def test_provider_starts_from_its_address(
    visit: Visit, alice: Any, rocket_provider: None, run_jobs: Callable[[], None]
) -> None:
    partner = (
        visit(alice).go("/new/").shot("address").write("Address", "https://github.com/acme/terraform-provider-rocket")
    )
    partner.press("Continue").sees("Reading the address…").shot("reading")
    run_jobs()
    partner.sees("The Terraform Registry lists acme/rocket.", "6 of 13 requirements met").shot("discovery")
    partner.choose("Category", "Networking").tick("Open Source").press("Start integration").shot("started")
    assert Integration.objects.get().repository == "acme/terraform-provider-rocket"


def test_visitor_starts_from_an_address(
    visit: Visit, github: Any, find_email: Callable[..., EmailMessage], run_jobs: Callable[[], None], db: None
) -> None:
    github.seed(Repo("initech/nomad-driver-stapler", "Runs staplers.", homepage="https://initech.example"))
    dora = visit().go("/new/").write("Address", "https://github.com/initech/nomad-driver-stapler").press("Continue")
    dora.write("Your name", "Dora Dean").write("Email address", "dora@initech.example")
    dora.write("Password", "a long one to remember").press("Create account")
    dora.go(find_link(find_email("dora@initech.example", "confirm_address"), "confirm-email"))
    dora.press("Confirm email address").press("Continue")
    run_jobs()
    dora.sees("The repository is named nomad-driver-stapler.").write("Company name", "Initech")
    dora.tick("Open Source").shot("discovery-nomad").press("Start integration")
    row = Integration.objects.get()
    assert (row.program_key, row.category, row.partner.name) == ("nomad", "container-runtime", "Initech")


def test_namespace_starts_several_integrations(
    visit: Visit, alice: Any, registry: Any, settings: Any, run_jobs: Callable[[], None]
) -> None:
    settings.REGISTRY_URL = registry.url
    for name, downloads in (("rocket", 1_200_000), ("lander", 0), ("booster", 57)):
        registry.publish(Provider(f"acme/{name}", downloads=downloads, tier="partner" if downloads else "community"))
    registry.publish(Provider("acme/elsewhere", source="https://gitlab.com/acme/terraform-provider-elsewhere"))
    partner = visit(alice, phone=True).go("/new/").write("Address", f"{registry.url}/namespaces/acme")
    partner.press("Continue")
    run_jobs()
    partner.sees("The Terraform Registry lists the providers of acme.").shot("namespace-phone")
    partner.tick("acme/rocket").choose("Category of acme/rocket", "Networking")
    partner.tick("acme/lander").choose("Category of acme/lander", "Database").tick("Terraform Cloud")
    partner.press("Start integrations").sees("2 integrations started.").shot("imported-phone")
    rows = Integration.objects.order_by("name").values_list("name", "category", "repository")
    assert list(rows) == [
        ("Lander", "database", "acme/terraform-provider-lander"),
        ("Rocket", "networking", "acme/terraform-provider-rocket"),
    ]


def test_run_task_starts_from_its_endpoint(
    visit: Visit, alice: Any, settings: Any, run_jobs: Callable[[], None]
) -> None:
    settings.ALLOW_LOOPBACK_HTTP = True
    with serve_endpoint(key="") as server:
        partner = visit(alice).go("/new/").write("Address", server.url).press("Continue")
        run_jobs()
    partner.sees("The endpoint accepted a verification request with status 200.").shot("endpoint")
    partner.write("Name", "Preflight").write("Description", "Checks plans before they are applied.")
    partner.choose("Category", "CI/CD").tick("Terraform Cloud").press("Start integration")
    assert Integration.objects.get().program_key == "terraform-run-task"


def test_endpoint_that_refuses_leaves_the_choice_of_a_program(
    visit: Visit, alice: Any, settings: Any, run_jobs: Callable[[], None]
) -> None:
    settings.ALLOW_LOOPBACK_HTTP = True
    with serve_endpoint("verification-202", key="") as server:
        partner = visit(alice, phone=True).go("/new/").write("Address", server.url).press("Continue")
        run_jobs()
        partner.sees("The endpoint refused the verification request", "Select a program").shot("refused-phone")
