"""From sign-up to support in every edition of every program, with a partner in Chromium and a reviewer without scripts.

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
from tests.journeys.conftest import find_link
from tests.journeys.keyboard import KeyboardPerson
from tests.journeys.newcomer import EMAIL, Newcomer, Scenario
from tests.journeys.person import Person
from tests.journeys.scriptless import ScriptlessPerson
from tests.suites import FIGURE_PROPERTY
from tests.verification.testruns.endpoints import serve_endpoint

PROVIDER = Scenario("terraform-provider", "initech/terraform-provider-stapler", "Utility", max_clicks=10, max_loads=6)
RUN_TASK = Scenario("terraform-run-task", category="Audit")
NOMAD = Scenario("nomad", "initech/nomad-driver-stapler")
SCENARIOS = {
    "consul": Scenario("consul", "initech/consul-stapler", "Data Plane"),
    "consul-nia": Scenario("consul-nia", "initech/terraform-stapler-pool-nia", language="HCL"),
    "nomad": NOMAD,
    "packer": Scenario("packer", "initech/packer-plugin-stapler", "Builders"),
    "terraform-provider": PROVIDER,
    "terraform-provider, 2026-06": PROVIDER,
    "terraform-run-task": RUN_TASK,
    "terraform-run-task, 2026-06": RUN_TASK,
    "vault": Scenario("vault", "initech/vault-plugin-secrets-stapler"),
}
StartIntegration = Callable[[Person, Scenario], Newcomer]


@pytest.fixture
def start_integration(
    rita: Any,
    run_jobs: Callable[[], None],
    github: GitHub,
    registry: Registry,
    find_email: Callable[..., EmailMessage],
    tmp_path: Path,
) -> Iterator[StartIntegration]:
    """Enter the address of an integration, create an account, and start the integration."""
    newcomers: list[Newcomer] = []

    def start(person: Person, scenario: Scenario) -> Newcomer:
        newcomer = Newcomer(person, ScriptlessPerson(Client(), rita), run_jobs, tmp_path)
        newcomers.append(newcomer)
        address = scenario.address
        if "/" in address and "://" not in address:
            github.seed(Repo(address, "Runs staplers.", homepage="https://initech.example", language=scenario.language))
            address = f"https://github.com/{address}"
        if scenario.program == "terraform-provider":
            registry.publish(Provider("initech/stapler"))
        person.go(f"/new/?program={scenario.program}").write("Address", address)
        newcomer.sign_up(lambda: find_link(find_email(EMAIL, "confirm_address"), "confirm-email"))
        if scenario == PROVIDER:  # its budget begins on the page that asks for the address
            person.clicks = 0
            person.loads = 1
        newcomer.start(scenario)
        return newcomer

    yield start
    for newcomer in newcomers:
        newcomer.stop_clock()


@pytest.fixture
def run_task_url(settings: Any) -> Iterator[str]:
    settings.ALLOW_LOOPBACK_HTTP = True
    with serve_endpoint(key="") as server:
        yield server.url


@pytest.mark.parametrize("key", SCENARIOS)
def test_newcomer_goes_from_sign_up_to_support(
    key: str,
    visit: Callable[..., Person],
    start_integration: StartIntegration,
    run_task_url: str,
    record_property: Callable[[str, str], None],
    request: pytest.FixtureRequest,
) -> None:
    program, _, edition = key.partition(", ")
    if edition:
        request.getfixturevalue("edition_2026")
    scenario = SCENARIOS[key]
    person = visit()
    if scenario == RUN_TASK:
        scenario = scenario._replace(address=run_task_url)
    newcomer = start_integration(person, scenario)
    newcomer.submit()
    record_property(FIGURE_PROPERTY, f"{key}: {person.clicks} clicks, {person.loads} page loads")
    assert (person.clicks <= scenario.max_clicks, person.loads <= scenario.max_loads) == (True, True)
    newcomer.complete_change_round("Name the supported versions.", "They are in the README.").advance_to("support")
    row = newcomer.row
    assert (row.program_key, row.listing_status, row.tier) == (program, "listed", row.edition.release_tier.key)
    assert row.edition_date == (edition or row.edition.date)
    person.go(f"/directory/{row.uuid}/").sees("Program reviewers approved the listing.")


def test_newcomer_submits_with_the_keyboard_alone(
    visit: Callable[..., Person], start_integration: StartIntegration
) -> None:
    newcomer = start_integration(visit(kind=KeyboardPerson), NOMAD)
    newcomer.submit()
    assert newcomer.row.stage == "review"
