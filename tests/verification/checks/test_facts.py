"""Tests of facts, which check runs read and the integration page shows with their sources."""

from datetime import date, timedelta
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from integrations.submissions.models import Integration
from integrations.submissions.services.creation import change_description
from portal.jobs.execution import run_due_jobs
from tests.conftest import NOW, advance_to_stage, create_integration
from tests.fakes.github.server import Repo
from tests.fakes.registry import Provider
from tests.integrations.page_text import find_text
from tests.verification.checks.fake_sources import FakeSources, build_registry_listing, build_release_answers
from verification.checks.facts import GITHUB, REGISTRY, Fact
from verification.checks.models import Observation
from verification.checks.repository_reading import read_repository
from verification.checks.services import facts, observations, runs

pytestmark = pytest.mark.any_database

NAME = "acme/terraform-provider-rocket"
DAY = timedelta(days=1)


@pytest.fixture(autouse=True)
def clock(time_machine: Any) -> Any:
    time_machine.move_to(NOW, tick=False)
    return time_machine


@pytest.fixture
def provider(acme: Any, alice: Any) -> Integration:
    return create_integration(acme, alice, "terraform-provider", repository_id=None, repository_owner_id=None)


def publish_provider(github: Any, registry: Any, **fields: Any) -> None:
    owners = "# Ask @acme/support first.\n* @acme/rockets # and @acme/engines\n"
    files = (("docs/index.md", "# Rocket\n"), ("examples/main.tf", "\n"), (".github/CODEOWNERS", owners))
    github.seed(Repo(NAME, **{"topics": ("rockets",), "files": files} | fields))
    registry.publish(Provider("acme/rocket", tier="partner", downloads=1234))


def run_checks(integration: Integration, clock: Any, at: Any) -> None:
    clock.move_to(at, tick=False)
    runs.request_check_run(integration, now=timezone.now())
    run_due_jobs("checks", timezone.now())


def load_values(integration: Integration) -> dict[str, str]:
    return {fact.key: fact.value for fact in facts.load_facts(integration)[0]}


@pytest.mark.github
def test_check_run_reads_the_facts(provider: Integration, github: Any, registry: Any, clock: Any) -> None:
    publish_provider(github, registry)
    run_checks(provider, clock, NOW)
    values = load_values(provider)
    assert len(values.pop("signing_keys")) == 40
    assert date.fromisoformat(values.pop("released_on")) > date(2026, 1, 1)  # the fake uses the real clock
    assert values == {
        "repository": NAME,
        "owner_type": "organization",
        "license": "MPL-2.0",
        "default_branch": "main",
        "language": "Go",
        "topics": "rockets",
        "release": "v1.0.0",
        "artifacts": "4",
        "open_issues": "0",
        "docs": "docs",
        "examples": "examples",
        "maintainers": "@acme/rockets",
        "listing": "acme/rocket",
        "tier": "partner",
        "version": "1.0.0",
        "downloads": "1234",
    }
    assert set(facts.load_facts(provider)[1].values()) == {NOW}


def test_reading_requests_only_its_own_repository() -> None:
    listing = build_registry_listing(versions=("1.0.0",), newest="1.0.0")
    sources: Any = FakeSources(**build_release_answers(), listing_answer=listing)
    reading = read_repository(NAME, sources)
    about_github = {address for address in sources.requested_addresses if not address.startswith("https://")}
    assert (len(reading.signing_keys), about_github) == (1, {NAME, f"{NAME}@v1.0.0", "acme/rocket"})


@pytest.mark.every_database
@pytest.mark.github
def test_next_run_updates_the_facts(provider: Integration, github: Any, registry: Any, clock: Any) -> None:
    publish_provider(github, registry)
    run_checks(provider, clock, NOW)
    github.reset()
    publish_provider(github, registry, license="MIT", topics=())
    run_checks(provider, clock, NOW + DAY)
    values = load_values(provider)
    rows = Observation.objects.filter(key__startswith=observations.FACT_PREFIX)
    assert (values["license"], "topics" in values) == ("MIT", False)
    assert set(rows.values_list("confirmed_at", flat=True)) == {NOW + DAY}
    since = dict(rows.values_list("key", "since"))
    assert (since["fact:license"], since["fact:language"]) == (NOW + DAY, NOW)


@pytest.mark.github
def test_outage_keeps_the_facts_with_their_time(
    provider: Integration, github: Any, registry: Any, clock: Any, settings: Any
) -> None:
    publish_provider(github, registry)
    run_checks(provider, clock, NOW)
    before = facts.load_facts(provider)
    settings.GITHUB_API_URL = "http://127.0.0.1:1"
    run_checks(provider, clock, NOW + DAY)
    assert facts.load_facts(provider) == before


@pytest.mark.github
def test_unreadable_registry_keeps_its_facts(
    provider: Integration, github: Any, registry: Any, clock: Any, settings: Any
) -> None:
    publish_provider(github, registry)
    run_checks(provider, clock, NOW)
    settings.REGISTRY_URL = "http://127.0.0.1:1"
    run_checks(provider, clock, NOW + DAY)
    _, read_at = facts.load_facts(provider)
    assert (read_at["tier"], read_at["license"]) == (NOW, NOW + DAY)


def test_facts_are_not_passed_to_checks(provider: Integration) -> None:
    facts.store_facts(provider, [Fact("license", "MIT", GITHUB)], NOW)
    assert observations.get_known_values(provider) == {}


def test_change_of_the_repository_deletes_the_facts(provider: Integration, alice: Any) -> None:
    endpoint = Fact("endpoint", "https://a.example", "Run task endpoint")
    facts.store_facts(provider, [Fact("license", "MIT", GITHUB), endpoint], NOW)
    other = {"repository": "acme/terraform-provider-moon", "repository_id": None, "repository_owner_id": None}
    change_description(provider, other, actor=alice, now=NOW)
    assert facts.load_facts(provider) == ([endpoint], {"endpoint": NOW})


def test_facts_about_the_former_repository_are_not_stored(provider: Integration, alice: Any) -> None:
    other = {"repository": "acme/terraform-provider-moon", "repository_id": None, "repository_owner_id": None}

    class SlowSources(FakeSources):
        def list_releases(self, full_name: str) -> Any:
            change_description(provider, other, actor=alice, now=NOW)
            return super().list_releases(full_name)

    sources: Any = SlowSources()
    facts.refresh_facts(provider, sources, NOW)
    assert facts.load_facts(provider) == ([], {})


def test_page_shows_facts_with_sources_times_and_edit_links(provider: Integration, sign_in: Any, alice: Any) -> None:
    url = f"https://github.com/{NAME}"
    page_facts = [
        Fact("repository", NAME, GITHUB, url),
        Fact("license", "", GITHUB),
        Fact("open_issues", "1200", GITHUB, f"{url}/issues"),
        Fact("tier", "partner", REGISTRY),
    ]
    facts.store_facts(provider, page_facts, NOW - DAY)
    facts.store_facts(provider, page_facts[:2], NOW)
    page = sign_in(alice).get(reverse("submissions:detail", args=[provider.uuid]))
    groups = page.context["groups"]
    assert [(group.source, group.url, group.read_at) for group in groups] == [
        (GITHUB, url, NOW),
        (REGISTRY, "", NOW - DAY),
    ]
    assert [(row.label, row.value, row.url, row.read_at) for group in groups for row in group.rows] == [
        ("License", "None", "", NOW),
        ("Open issues and pull requests", "1,200", f"{url}/issues", NOW - DAY),
        ("Tier", "Partner", "", NOW - DAY),
    ]
    assert page.text.count('class="fact-time"') == 3  # both sources, and the row that is older than its source
    edit_url = reverse("submissions:edit", args=[provider.uuid])
    fields = ("category", "offerings", "repository_address", "homepage", "description")
    assert [page.text.count(f'href="{edit_url}#id_{field}"') for field in fields] == [1] * 5


@pytest.mark.every_database
@pytest.mark.parametrize("is_open", [True, False])
def test_readers_who_cannot_edit_see_no_edit_links(
    provider: Integration, sign_in: Any, rita: Any, alice: Any, is_open: bool
) -> None:
    facts.store_facts(provider, [Fact("repository", "acme/moon", GITHUB, "https://github.com/acme/moon")], NOW)
    if not is_open:
        Integration.objects.filter(pk=provider.pk).update(stage="withdrawn", responsible_party="")
    page = sign_in(rita if is_open else alice).get(reverse("submissions:detail", args=[provider.uuid]))
    assert page.text.count("#id_") == 0
    assert [row.value for group in page.context["groups"] for row in group.rows] == ["acme/moon"]


def test_listing_links_to_the_requirement_that_asks_for_the_provider(acme: Any, alice: Any, sign_in: Any) -> None:
    integration = create_integration(acme, alice, "consul-nia")
    facts.store_facts(integration, [Fact("listing", "acme/rocket", REGISTRY)], NOW)
    page = sign_in(alice).get(reverse("submissions:detail", args=[integration.uuid]))
    requirement = next(
        each for each in integration.edition.list_requirements() if "provider" in {field.key for field in each.fields}
    )
    assert [row.edit_url for group in page.context["groups"] for row in group.rows] == [
        reverse("submissions:requirement", args=[integration.uuid, requirement.id])
    ]


@pytest.mark.every_database
@pytest.mark.parametrize(("answer", "labels"), [("https://a.example", ["URL"]), ("https://b.example", [])])
def test_endpoint_is_shown_only_while_it_is_the_answer(
    acme: Any, alice: Any, sign_in: Any, answer: str, labels: list[str]
) -> None:
    integration = create_integration(acme, alice, "terraform-run-task")
    facts.store_facts(integration, [Fact("endpoint", "https://a.example", "Run task endpoint")], NOW)
    requirement = next(
        each for each in integration.edition.list_requirements() if "endpoint" in {field.key for field in each.fields}
    )
    integration.fulfillments.update_or_create(requirement_id=requirement.id, defaults={"data": {"endpoint": answer}})
    page = sign_in(alice).get(reverse("submissions:detail", args=[integration.uuid]))
    assert [row.label for group in page.context["groups"] for row in group.rows] == labels


@pytest.mark.parametrize(
    ("day", "age"), [("2024-04-14", "2 years ago"), ("2026-04-13", "1 day ago"), ("2026-04-14", "today")]
)
def test_program_sees_the_time_since_the_last_release_of_supported_integrations(
    provider: Integration, alice: Any, rita: Any, sign_in: Any, time_machine: Any, day: str, age: str
) -> None:
    time_machine.move_to(NOW, tick=False)
    facts.store_facts(provider, [Fact("released_on", day, GITHUB)], NOW)
    words = f"Last release {age}"
    assert words not in find_text(sign_in(rita).get("/integrations/"))
    advance_to_stage(provider, "support", partner=alice, reviewer=rita)
    assert words in find_text(sign_in(rita).get("/integrations/"))
    assert words not in find_text(sign_in(alice).get("/integrations/"))
    provider.observations.filter(key__endswith="released_on").update(value=None)
    assert "Last release" not in find_text(sign_in(rita).get("/integrations/"))
