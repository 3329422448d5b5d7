"""Tests of what is read at an address, and of what is shown when something can't be read."""

import re
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from bs4 import BeautifulSoup
from django.utils import timezone

from portal.jobs.execution import run_due_jobs
from portal.jobs.models import Job
from tests.fakes.github.server import Repo
from tests.fakes.registry import Provider
from tests.verification.discovery.conftest import ROCKET, Read
from tests.verification.testruns.endpoints import serve_endpoint
from verification.discovery import presenters
from verification.discovery.models import Discovery

pytestmark = [pytest.mark.any_database, pytest.mark.github]
ADDRESS = "https://github.com/acme/terraform-provider-rocket"


def list_values(discovery: Discovery) -> dict[str, str]:
    return {row.label: row.value for group in presenters.list_facts(discovery) for row in group.rows}


def list_reasons(discovery: Discovery) -> list[str]:
    return [reason["code"] for reason in discovery.candidates[0]["reasons"]]


def test_facts_of_a_provider_are_grouped_by_source(rocket: None, read: Read) -> None:
    discovery = read(ADDRESS)
    groups = {group.source: [row.label for row in group.rows] for group in presenters.list_facts(discovery)}
    assert groups == {
        "GitHub": [
            "Repository",
            "Owned by",
            "License",
            "Default branch",
            "Language",
            "Latest release",
            "Released on",
            "Release files",
            "Open issues and pull requests",
        ],
        "Terraform Registry": ["Provider", "Tier", "Version", "Downloads", "Signing keys"],
    }
    assert (discovery.program_key, list_reasons(discovery)) == ("terraform-provider", ["module", "name", "listing"])
    assert discovery.problem == ""


def test_registry_page_leads_to_the_repository(rocket: None, read: Read, registry: Any) -> None:
    discovery = read(f"{registry.url}/providers/acme/rocket/latest")
    assert (discovery.program_key, discovery.values["repository"]) == ("terraform-provider", ROCKET.full_name)


def test_renamed_repository_is_read_under_its_new_name(github: Any, registry: Any, settings: Any, read: Read) -> None:
    settings.REGISTRY_URL = registry.url
    github.seed(ROCKET)
    github.rename("acme/terraform-provider-old", ROCKET.full_name)
    discovery = read("acme/terraform-provider-old")
    assert (discovery.name, list_values(discovery)["Renamed from"]) == (ROCKET.full_name, "acme/terraform-provider-old")


def test_archived_state_of_a_repository_is_shown(github: Any, registry: Any, settings: Any, read: Read) -> None:
    settings.REGISTRY_URL = registry.url
    github.seed(replace(ROCKET, extra=(("archived", True),)))
    assert list_values(read(ADDRESS))["State"] == "Archived, read-only"


def test_repository_without_files_and_releases_has_no_problem(
    github: Any, registry: Any, settings: Any, read: Read
) -> None:
    settings.REGISTRY_URL = registry.url
    github.seed(Repo("acme/nomad-driver-empty", license=None, releases=()))
    github.fail("/commits/", 409)  # as GitHub answers for a repository without commits
    discovery = read("acme/nomad-driver-empty")
    values = list_values(discovery)
    assert (discovery.problem, discovery.program_key) == ("", "nomad")
    assert (values["License"], values["Latest release"]) == ("None", "None")
    assert "Release files" not in values


@pytest.mark.parametrize("private", [True, False])
def test_private_and_missing_repositories_have_the_same_message(github: Any, read: Read, private: bool) -> None:
    github.seed(*([Repo("acme/secret", private=True, releases=())] if private else []))
    discovery = read("acme/secret")
    assert (discovery.problem, discovery.read_at, discovery.finished_at is None) == ("not_found", None, False)
    assert discovery.detail == "GitHub doesn't show the repository acme/secret. It doesn't exist or isn't public."


def test_outage_is_retried_until_it_ends(rocket: None, github: Any, read: Read) -> None:
    github.fail(r"^/repos/acme/terraform-provider-rocket$", 502, times=1)
    discovery = read(ADDRESS)
    assert (discovery.problem, discovery.finished_at) == ("outage", None)
    assert Job.objects.find_unfinished("discovery.read", str(discovery.pk)) is not None
    discovery = read(ADDRESS, attempts=2)
    assert (discovery.problem, discovery.program_key) == ("", "terraform-provider")


def test_lasting_outage_offers_a_manual_retry(rocket: None, github: Any, read: Read, sign_in: Any, alice: Any) -> None:
    github.fail(r"^/repos/acme/terraform-provider-rocket$", 502)
    discovery = read(ADDRESS)
    with time_machine.travel(timezone.now() + timedelta(minutes=10)):
        run_due_jobs("checks", timezone.now())
    discovery.refresh_from_db()
    assert (discovery.problem, discovery.finished_at is None) == ("outage", False)
    page = sign_in(alice).get(f"/new/{discovery.uuid}/")
    assert ("Try again" in page.text, "Enter the details yourself" in page.text) == (True, True)


@pytest.mark.parametrize("program", ["", "vault"])
def test_address_is_kept_if_the_details_are_entered_by_hand(
    rocket: None, github: Any, read: Read, sign_in: Any, alice: Any, program: str
) -> None:
    github.fail(r"^/repos/acme/terraform-provider-rocket$", 502)
    discovery = read(ADDRESS)
    Discovery.objects.filter(pk=discovery.pk).update(program_key=program)
    client = sign_in(alice)
    page = BeautifulSoup(client.get(f"/new/{discovery.uuid}/").text, "html.parser")
    href = page.find("a", string=re.compile("Enter the details yourself"))["href"]
    if not program:
        page = BeautifulSoup(client.get(f"{href}&yes=vault").text, "html.parser")
        assert page.find("input", {"name": "repository"})["value"] == ADDRESS
        href = page.select_one("#answer a[href*='/vault/?']")["href"]
    form = BeautifulSoup(client.get(href).text, "html.parser")
    assert form.find("input", {"name": "repository_address"})["value"] == ADDRESS


def test_registry_outage_leaves_the_facts_of_github(rocket: None, registry: Any, read: Read) -> None:
    registry.fail(503)
    discovery = read(ADDRESS)
    assert (discovery.problem, list_reasons(discovery)) == ("partial", ["module", "name"])
    assert discovery.detail == "Can't read acme/rocket: the registry returned status 503."
    assert "Provider" not in list_values(discovery)


def test_endpoint_that_accepts_the_verification_is_a_run_task(github: Any, read: Read) -> None:
    with serve_endpoint(key="") as server:
        discovery = read(server.url)
    assert (discovery.problem, discovery.program_key) == ("", "terraform-run-task")
    assert [(candidate["program"], candidate["reasons"]) for candidate in discovery.candidates] == [
        ("terraform-run-task", [{"code": "endpoint", "value": "200"}])
    ]


@pytest.mark.parametrize(
    ("fault", "key", "detail"),
    [("verification-202", "", "202 Accepted"), ("", "a secret of the partner", "401 Unauthorized")],
)
def test_status_of_a_refusing_endpoint_is_shown(github: Any, read: Read, fault: str, key: str, detail: str) -> None:
    with serve_endpoint(fault, key=key) as server:
        discovery = read(server.url)
    assert (discovery.problem, discovery.detail, discovery.candidates) == ("endpoint_status", detail, [])
    assert discovery.asks_for_signature == (key != "")


def test_unreachable_endpoint_leaves_the_choice_of_a_program(github: Any, read: Read, sign_in: Any, alice: Any) -> None:
    with serve_endpoint() as server:
        url = server.url
    discovery = read(url)
    assert (discovery.problem, discovery.read_at is None) == ("endpoint_unreachable", False)
    page = sign_in(alice).get(f"/new/{discovery.uuid}/")
    assert "We can't reach the endpoint" in page.text
    assert [choice.key for choice, _ in page.context["choices"]][-2:] == ["terraform-run-task", "vault"]


def test_provider_of_another_host_has_no_readable_repository(
    github: Any, registry: Any, settings: Any, read: Read
) -> None:
    settings.REGISTRY_URL = registry.url
    registry.publish(Provider("acme/rocket", source="https://gitlab.com/acme/terraform-provider-rocket"))
    discovery = read(f"{registry.url}/providers/acme/rocket")
    assert (discovery.problem, discovery.detail) == (
        "not_found",
        "The registry lists no readable repository for acme/rocket.",
    )
