"""Tests that entries follow the changes of their objects."""

from typing import Any

import pytest
from django.core.management import call_command
from django.db import transaction

from integrations.partners.models import Membership
from integrations.partners.services import members, profiles
from integrations.programs.models import RegistryProvider
from integrations.programs.services.registry_import import import_providers
from integrations.sla.github import event_store
from integrations.sla.github.event_mapping import map_issue
from integrations.submissions.models import Integration
from integrations.submissions.services import creation, findings
from portal.jobs.periodic import run_job
from portal.jobs.registry import JOBS
from portal.search import indexing
from portal.search.models import SearchEntry
from portal.search.queries import search
from tests.conftest import NOW
from tests.integrations.sla.rows import create_issue_row, create_repository_row
from verification.sources.github.issue_models import GitHubIssue

pytestmark = pytest.mark.any_database

PROVIDER = (
    '{"id": "7", "fullName": "ns/breeze", "namespace": "ns", "name": "breeze", "tier": "x", "source": "https://x"}'
)


def find_titles(user: Any, query: str) -> list[tuple[str, str]]:
    return [(hit.kind.name, hit.title) for hit in search(user, query, 100)]


def test_new_integration_is_found(rocket: Integration, alice: Any) -> None:
    assert find_titles(alice, "rocket") == [("INTEGRATION", "Rocket"), ("REPOSITORY", "acme/terraform-provider-rocket")]


def test_renamed_integration_is_found_by_its_new_name(rocket: Integration, alice: Any) -> None:
    values = {"name": "Comet", "repository": "acme/comet", "repository_id": 5, "repository_owner_id": 47}
    creation.change_description(rocket, values, actor=alice, now=NOW)
    assert find_titles(alice, "comet") == [("INTEGRATION", "Comet"), ("REPOSITORY", "acme/comet")]
    assert ("INTEGRATION", "Rocket") not in find_titles(alice, "rocket")


@pytest.mark.every_database
def test_deleted_repository_is_removed_from_the_index(rocket: Integration, alice: Any) -> None:
    creation.change_description(rocket, {"repository": "", "repository_id": None}, actor=alice, now=NOW)
    assert find_titles(alice, "terraform") == []


def test_renamed_company_is_found_with_its_integrations(rocket: Integration, acme: Any, alice: Any) -> None:
    profiles.change_profile(acme, name="Umbrella", website="", actor=alice, now=NOW)
    assert sorted(find_titles(alice, "umbrella")) == [
        ("INTEGRATION", "Rocket"),
        ("PARTNER", "Umbrella"),
        ("PERSON", "Alice Archer"),
        ("REPOSITORY", "acme/terraform-provider-rocket"),
    ]


def test_members_are_found_until_they_leave(acme: Any, alice: Any, bob: Any) -> None:
    membership = Membership.objects.get(user=bob)
    members.change_role(membership, "viewer", actor=alice, now=NOW)
    assert find_titles(alice, "baker") == [("PERSON", "Bob Baker")]
    members.end_membership(membership, actor=alice, now=NOW)
    assert find_titles(alice, "baker") == []


def test_renamed_person_is_found_by_the_new_name(zephyr: Integration, alice: Any) -> None:
    alice.name = "Alice Cooper"
    alice.save()
    assert (find_titles(alice, "cooper"), find_titles(alice, "archer")) == ([("PERSON", "Alice Cooper")], [])


def test_finding_and_answer_are_found(zephyr: Integration, alice: Any, rita: Any) -> None:
    finding = findings.raise_finding(zephyr, "NO-3", "Fix the zephyr valve.", actor=rita, now=NOW)
    assert find_titles(rita, "fix valve") == [("FINDING", "Fix the zephyr valve.")]
    findings.answer_finding(finding, "See the harness.", actor=alice, now=NOW)
    assert find_titles(rita, "harness") == [("FINDING", "Fix the zephyr valve.")]


def build_issue(title: str, updated_at: str) -> Any:
    raw = {
        "id": 900,
        "number": 3,
        "title": title,
        "user": {"id": 5, "login": "reporter", "type": "User"},
        "author_association": "NONE",
        "created_at": "2026-04-14T10:00:00Z",
        "updated_at": updated_at,
        "html_url": "https://github.com/acme/x/issues/3",
    }
    return map_issue(GitHubIssue.model_validate(raw))


@pytest.mark.every_database
def test_new_and_renamed_issues_are_found(rocket: Integration, alice: Any) -> None:
    monitored_repository = create_repository_row(rocket, NOW)
    for title, at in (("It hangs", "2026-04-14T10:00:00Z"), ("It freezes", "2026-04-14T11:00:00Z")):
        with transaction.atomic():
            event_store.store_updates(monitored_repository, [build_issue(title, at)], "poll", NOW)
        assert find_titles(alice, "It") == [("ISSUE", title)]
    assert find_titles(alice, "rocket#3") == [("ISSUE", "It freezes")]


def test_imported_providers_are_found(alice: Any) -> None:
    import_providers([PROVIDER.encode()], now=NOW)
    assert find_titles(alice, "breeze") == [("PROVIDER", "ns/breeze")]


@pytest.mark.every_database
def test_rebuild_repairs_the_index(zephyr: Integration, rita: Any, capsys: Any) -> None:
    before = find_titles(rita, "zephyr")
    assert indexing.rebuild() == 0
    SearchEntry.objects.filter(kind=1).update(words="nothing")
    SearchEntry.objects.filter(kind=3).delete()
    call_command("rebuild_search")
    assert (capsys.readouterr().out, find_titles(rita, "zephyr")) == ("Changed entries: 2\n", before)


@pytest.mark.every_database
def test_rebuild_deletes_entries_of_deleted_objects(zephyr: Integration, rita: Any) -> None:
    issue = create_issue_row(zephyr.monitored_repository, 13, NOW)
    assert (indexing.rebuild(), find_titles(rita, "breaks 13")) == (1, [("ISSUE", "It breaks 13")])
    issue.delete()
    RegistryProvider.objects.all().delete()
    assert indexing.rebuild() == 2
    assert (find_titles(rita, "breaks 13"), find_titles(rita, "clouds zephyr")) == ([], [])


@pytest.mark.every_database
@pytest.mark.parametrize("name", ["search.rebuild", "search.index_documentation"])
def test_periodic_jobs_index_the_help_pages(alice: Any, name: str) -> None:
    job = next(job for job in JOBS if job.name == name)
    assert run_job(job, NOW) == SearchEntry.objects.count() > 0
    assert ("DOCUMENTATION", "Getting started") in find_titles(alice, "getting started")
    assert run_job(job, NOW) == 0
