"""Tests of starting from a private repository, which is read only with the person's GitHub access."""

from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.db.models import ProtectedError
from django.utils import timezone

from integrations.partners.models import Membership
from integrations.submissions.models import Integration
from integrations.submissions.services.creation import change_description
from portal.github_access import services as github_access
from portal.jobs.execution import run_due_jobs
from tests.fakes.github.server import GitHub
from tests.portal.github_access.conftest import PUBLIC, SECRET, Connect, connect, github_app
from tests.verification.discovery.conftest import Read
from verification.checks.models import CheckResult
from verification.checks.services import runs
from verification.checks.services.runner import build_integration_sources
from verification.discovery.models import Discovery

__all__ = ["connect", "github_app"]
pytestmark = [pytest.mark.any_database, pytest.mark.github]
KEY = "repository.owner"


def start(client: Any, discovery: Discovery, **fields: Any) -> Integration:
    texts = {key: discovery.values[key] for key in ("name", "description", "homepage", "repository_address")}
    choices = {"category": "networking", "offerings": ["Open Source"]}
    client.post(f"/new/{discovery.uuid}/", texts | choices | fields)
    return Integration.objects.get()


def check(row: Integration) -> CheckResult:
    """Run the checks and return the result that needs nothing but the repository."""
    runs.request_check_run(row)
    run_due_jobs("checks", timezone.now())
    return CheckResult.objects.filter(integration=row, key=KEY).latest("confirmed_at")


def test_private_repository_is_found_only_with_a_grant(registry: Any, read: Read, alice: Any, connect: Connect) -> None:
    without = read(SECRET.full_name)
    connect(alice)
    found = read(SECRET.full_name)
    assert (without.problem, without.facts) == ("not_found", [])
    facts = {fact["key"]: fact["value"] for fact in found.facts}
    assert (found.problem, found.program_key, facts["visibility"]) == ("", "terraform-provider", "private")


def test_page_of_a_hidden_repository_offers_to_connect(
    registry: Any, read: Read, sign_in: Any, alice: Any, connect: Connect
) -> None:
    discovery = read(SECRET.full_name)
    path = f"/new/{discovery.uuid}/"
    page = BeautifulSoup(sign_in(alice).get(path).content, "html.parser")
    (field,) = page.select("form[action='/profile/github/connect/'] input[name=next]")
    assert field["value"] == path


def test_integration_is_read_with_the_grant_of_who_started_it(
    registry: Any, read: Read, sign_in: Any, alice: Any, connect: Connect
) -> None:
    connect(alice)
    row = start(sign_in(alice), read(SECRET.full_name))
    assert row.repository_reader == alice
    assert check(row).outcome == "pass"


def test_public_repository_has_no_reader(registry: Any, read: Read, sign_in: Any, alice: Any, connect: Connect) -> None:
    connect(alice)
    assert start(sign_in(alice), read(PUBLIC.full_name)).repository_reader is None


def test_other_repository_has_no_reader(registry: Any, read: Read, sign_in: Any, alice: Any, connect: Connect) -> None:
    connect(alice)
    discovery = read(SECRET.full_name)
    row = start(sign_in(alice), discovery, repository_address="acme/terraform-provider-other")
    assert row.repository_reader is None


def test_changed_repository_loses_its_reader(
    registry: Any, read: Read, sign_in: Any, alice: Any, connect: Connect, now: Any
) -> None:
    connect(alice)
    row = start(sign_in(alice), read(SECRET.full_name))
    change_description(row, {"name": "Other"}, actor=alice, now=now)
    assert Integration.objects.get().repository_reader == alice
    change_description(row, {"repository": PUBLIC.full_name}, actor=alice, now=now)
    assert Integration.objects.get().repository_reader is None


def test_reader_of_a_hidden_repository_cannot_be_deleted(
    registry: Any, read: Read, sign_in: Any, alice: Any, connect: Connect
) -> None:
    connect(alice)
    row = start(sign_in(alice), read(SECRET.full_name))
    with pytest.raises(ProtectedError) as error:
        alice.delete()
    assert row in error.value.protected_objects
    assert Integration.objects.get().repository_reader == alice


def test_revoked_grant_is_reported_with_advice(
    registry: Any, read: Read, sign_in: Any, alice: Any, connect: Connect
) -> None:
    connect(alice)
    row = start(sign_in(alice), read(SECRET.full_name))
    github_access.revoke_grant(alice, now=timezone.now())
    result = check(row)
    assert (result.outcome, result.summary) == (
        "fail",
        "The GitHub access of Alice Archer has ended, so we can't read private repositories with it. "
        "Alice Archer can connect GitHub again, or you can make the repository public.",
    )


@pytest.mark.every_database
def test_outage_makes_the_check_an_error(
    registry: Any, read: Read, sign_in: Any, alice: Any, connect: Connect, github_app: GitHub
) -> None:
    grant = connect(alice)
    row = start(sign_in(alice), read(SECRET.full_name))
    grant.expires_at = timezone.now()
    grant.save()
    github_app.fail("/login/oauth/access_token", 503)
    assert check(row).outcome == "error"


def test_grant_of_a_former_member_is_not_used(
    registry: Any, read: Read, sign_in: Any, alice: Any, connect: Connect
) -> None:
    connect(alice)
    row = start(sign_in(alice), read(SECRET.full_name))
    Membership.objects.filter(user=alice).update(role="viewer")
    row = Integration.objects.get()
    with pytest.raises(Exception, match="It doesn't exist or isn't public"):
        build_integration_sources(row).github.get_repository(SECRET.full_name)


def test_colleague_takes_over_reading(
    registry: Any, read: Read, sign_in: Any, alice: Any, bob: Any, connect: Connect, github_app: GitHub
) -> None:
    connect(alice)
    row = start(sign_in(alice), read(SECRET.full_name))
    path = f"/integrations/{row.uuid}/reader/"
    assert sign_in(bob).post(path).url == (
        f"/profile/github/?next=%2Fintegrations%2F{row.uuid}%2F"  # bob has granted nothing yet
    )
    connect(bob)
    github_access.revoke_grant(alice, now=timezone.now())
    assert sign_in(bob).post(path).url == f"/integrations/{row.uuid}/"
    row = Integration.objects.get()
    assert (row.repository_reader, check(row).outcome) == (bob, "pass")
    assert row.events.filter(event_type="integration.reader_changed").count() == 1


@pytest.mark.every_database
def test_details_name_the_reader_until_the_repository_is_public(
    registry: Any, read: Read, sign_in: Any, alice: Any, connect: Connect, github_app: GitHub
) -> None:
    connect(alice)
    row = start(sign_in(alice), read(SECRET.full_name))
    sentence = "Private, read with the GitHub access of Alice Archer"

    def is_shown() -> bool:
        return sentence in " ".join(sign_in(alice).get(f"/integrations/{row.uuid}/").content.decode().split())

    shown = [is_shown()]
    github_app.request("PATCH", f"/repos/{SECRET.full_name}", {"private": False})
    check(row)
    shown.append(is_shown())
    assert shown == [True, False]


def test_reader_of_a_public_repository_cannot_be_replaced(
    registry: Any, read: Read, sign_in: Any, alice: Any, connect: Connect
) -> None:
    connect(alice)
    row = start(sign_in(alice), read(PUBLIC.full_name))
    sign_in(alice).post(f"/integrations/{row.uuid}/reader/")
    assert Integration.objects.get().repository_reader is None


@pytest.mark.every_database
def test_repositories_are_listed_and_filtered(sign_in: Any, alice: Any, connect: Connect) -> None:
    connect(alice)
    client = sign_in(alice)

    def list_names(query: str = "") -> list[str]:
        page = BeautifulSoup(client.get(f"/new/github/{query}").content, "html.parser")
        return [str(button["value"]) for button in page.select("button[name=address]")]

    assert list_names() == [SECRET.full_name, PUBLIC.full_name]
    assert list_names("?q=ROCKET") == [PUBLIC.full_name]
    assert client.post("/new/", {"address": PUBLIC.full_name}).url == f"/new/{Discovery.objects.get().uuid}/"


@pytest.mark.parametrize(("path", "kind"), [("/user/repos", 503), ("/user/repos", "garbage")])
def test_outage_is_shown_on_the_list(
    sign_in: Any, alice: Any, connect: Connect, github_app: GitHub, path: str, kind: Any
) -> None:
    connect(alice)
    github_app.fail(path, kind)
    page = sign_in(alice).get("/new/github/")
    assert (page.status_code, page.context["problem"].startswith("Can't")) == (200, True)


@pytest.mark.every_database
def test_list_asks_to_connect_after_the_grant_ended(
    sign_in: Any, alice: Any, connect: Connect, github_app: GitHub
) -> None:
    connect(alice)
    github_app.user_access.revoke_tokens("alice-gh")
    page = BeautifulSoup(sign_in(alice).get("/new/github/").content, "html.parser")
    (field,) = page.select("form[action='/profile/github/connect/'] input[name=next]")
    assert field["value"] == "/new/github/"


def test_nothing_is_offered_without_sign_in_with_github(sign_in: Any, alice: Any) -> None:
    client = sign_in(alice)
    assert client.get("/new/github/").status_code == 404
    assert "/new/github/" not in client.get("/new/").content.decode()
