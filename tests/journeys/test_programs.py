"""From sign-up to support in every edition of every program: a new partner in a browser, a reviewer without scripts.

The clicks and page loads until the review is requested stay within their budgets.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from portal.notifications.models import EmailMessage
from tests.fakes.github.server import GitHub, Repo
from tests.fakes.registry import Provider, Registry
from tests.journeys.conftest import link_in
from tests.journeys.keyboard import KeyboardPerson
from tests.journeys.newcomer import EMAIL, Newcomer, Route
from tests.journeys.person import Person
from tests.journeys.scriptless import ScriptlessPerson
from tests.suites import FIGURE_PROPERTY
from tests.verification.testruns.endpoints import endpoint

PROVIDER = Route("terraform-provider", "initech/terraform-provider-stapler", "Utility", clicks=10, loads=6)
RUN_TASK = Route("terraform-run-task", category="Audit")
NOMAD = Route("nomad", "initech/nomad-driver-stapler")
ROUTES = {
    "consul": Route("consul", "initech/consul-stapler", "Data Plane"),
    "consul-nia": Route("consul-nia", "initech/terraform-stapler-pool-nia", language="HCL"),
    "nomad": NOMAD,
    "packer": Route("packer", "initech/packer-plugin-stapler", "Builders"),
    "terraform-provider": PROVIDER,
    "terraform-provider, 2026-06": PROVIDER,
    "terraform-run-task": RUN_TASK,
    "terraform-run-task, 2026-06": RUN_TASK,
    "vault": Route("vault", "initech/vault-plugin-secrets-stapler"),
}
Arrive = Callable[[Person, Route], Newcomer]


@pytest.fixture
def arrive(
    rita: Any,
    background: Callable[..., Any],
    github: GitHub,
    registry: Registry,
    mail_to: Callable[..., EmailMessage],
    tmp_path: Path,
) -> Iterator[Arrive]:
    """Somebody enters the address of their integration, creates an account, and starts the integration."""
    newcomers: list[Newcomer] = []

    def start(person: Person, route: Route) -> Newcomer:
        newcomer = Newcomer(person, ScriptlessPerson(Client(), rita), background, tmp_path)
        newcomers.append(newcomer)
        address = route.address
        if "/" in address and "://" not in address:
            github.seed(Repo(address, "Runs staplers.", homepage="https://initech.example", language=route.language))
            address = f"https://github.com/{address}"
        if route.program == "terraform-provider":
            registry.publish(Provider("initech/stapler"))
        person.go(f"/new/?program={route.program}").write("Address", address)
        newcomer.sign_up(lambda: link_in(mail_to(EMAIL, "confirm_address"), "confirm-email"))
        if route == PROVIDER:  # its budget counts from the page that asks for the address
            person.clicks, person.loads = 0, 1
        newcomer.start(route)
        return newcomer

    yield start
    for newcomer in newcomers:
        newcomer.end()


@pytest.fixture
def run_task_url(settings: Any) -> Iterator[str]:
    settings.ALLOW_LOOPBACK_HTTP = True
    with endpoint(key="") as server:
        yield server.url


@pytest.mark.parametrize("key", ROUTES)
def test_newcomer_goes_from_sign_up_to_support(
    key: str,
    visit: Callable[..., Person],
    arrive: Arrive,
    run_task_url: str,
    record_property: Callable[[str, str], None],
    request: pytest.FixtureRequest,
) -> None:
    program, _, edition = key.partition(", ")
    if edition:
        request.getfixturevalue("edition_2026")
    route, person = ROUTES[key], visit()
    if route == RUN_TASK:
        route = route._replace(address=run_task_url)
    newcomer = arrive(person, route)
    newcomer.submit()
    record_property(FIGURE_PROPERTY, f"{key}: {person.clicks} clicks, {person.loads} page loads")
    assert (person.clicks <= route.clicks, person.loads <= route.loads) == (True, True)
    newcomer.round_of_changes("Name the supported versions.", "They are in the README.").to("support")
    row = newcomer.row
    assert (row.program_key, row.listing_status, row.tier) == (program, "listed", row.edition.release_tier.key)
    assert row.edition_date == (edition or row.edition.date)
    person.go(f"/directory/{row.uuid}/").sees("Program reviewers approved the listing.")


def test_newcomer_submits_with_the_keyboard_alone(visit: Callable[..., Person], arrive: Arrive) -> None:
    newcomer = arrive(visit(kind=KeyboardPerson), NOMAD)
    newcomer.submit()
    assert newcomer.row.stage == "review"
