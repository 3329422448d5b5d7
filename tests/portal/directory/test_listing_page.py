"""Tests of the listing page: proofs, snippets, checks, waivers, support record, and the partner's reply."""

import json
import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from integrations.submissions.models import Integration
from integrations.submissions.services import requirements as answers, waivers
from integrations.submissions.services.transitions import perform_transition
from portal.audit.models import AuditEvent
from portal.core.errors import ActionRefused
from portal.directory import services
from portal.directory.install_snippets import build_constraint, build_snippet
from portal.directory.listing_page import get_publisher_checks
from portal.directory.models import Listing
from portal.directory.observed_versions import ObservedVersions
from portal.directory.partner_replies import save_reply
from portal.directory.search import format_platforms
from tests.conftest import advance_to_stage, create_integration
from verification.checks.facts import GITHUB, Fact
from verification.checks.models import CheckResult
from verification.checks.services import facts, observations
from verification.sources.published_versions import RegistryListing

pytestmark = pytest.mark.any_database


def store_check_result(row: Integration, key: str, outcome: str, at: Any) -> None:
    """Store a check result as the runner does."""
    CheckResult.objects.create(integration=row, key=key, version=1, outcome=outcome, summary="So.", at=at)


@pytest.fixture
def listed_provider(acme: Any, alice: Any, rita: Any, now: Any) -> Integration:
    """Return a provider in support whose registry, owner, and key were verified."""
    row = create_integration(acme, alice, "terraform-provider", now)
    row = advance_to_stage(row, "support", partner=alice, reviewer=rita, now=now)
    registry_listing = RegistryListing(
        "acme/rocket", f"https://github.com/{row.repository}", "partner", ("1.4.2",), "1.4.2", ("linux_amd64",)
    )
    observations.store_observation(row, "registry.listed", {"registry": registry_listing.as_dict()}, now)
    signers = [{"fingerprint": "AB" * 20, "since": "2026-02-03", "version": "1.0.0", "swapped": ""}]
    observations.store_observation(row, "keys.rotation", {"keys.signers": signers}, now)
    for key in ("repository.owner", "registry.listed", "keys.rotation"):
        store_check_result(row, key, "pass", now)
    services.refresh_metrics(Listing.objects.all(), now)
    return row


def read_page(client: Client, row: Integration) -> str:
    return client.get(f"/directory/{row.uuid}/").text


def test_publisher_is_shown_with_its_proofs(listed_provider: Integration, client: Client) -> None:
    page = read_page(client, listed_provider)
    for words in (
        "GitHub account",
        "The registry lists acme/rocket",
        "ABABABABABABABAB",
        'Since <time datetime="2026-02-03"',
    ):
        assert words in page


def test_private_repository_is_hidden(listed_provider: Integration, alice: Any, now: Any, client: Client) -> None:
    Integration.objects.update(repository_reader=alice)
    row = Integration.objects.get()
    link = f'"{listed_provider.repository_url}/issues"'
    public_page = read_page(client, row)
    facts.store_facts(row, [Fact("visibility", "private", GITHUB)], now)
    assert (link in public_page, link in read_page(client, row)) == (True, False)


def test_proof_has_the_date_after_the_last_failure(listed_provider: Integration, now: Any, client: Client) -> None:
    for days, outcome in ((1, "warn"), (2, "error"), (3, "pass")):  # a new release, an outage, another release
        store_check_result(listed_provider, "registry.listed", outcome, now + timedelta(days=days))
    since = get_publisher_checks(listed_provider)["registry.listed"].since
    seen_at = now + timedelta(days=3)
    assert (since, get_publisher_checks(listed_provider)["registry.listed"].confirmed_at) == (now, seen_at)
    assert f'confirmed <time datetime="{seen_at:%Y-%m-%d}' in read_page(client, listed_provider)
    for days, outcome in ((4, "fail"), (5, "pass")):
        store_check_result(listed_provider, "registry.listed", outcome, now + timedelta(days=days))
    assert get_publisher_checks(listed_provider)["registry.listed"].since == now + timedelta(days=5)


@pytest.mark.parametrize("outcome", ["fail", "not_run"])
def test_unverified_key_is_not_proof(listed_provider: Integration, now: Any, client: Client, outcome: str) -> None:
    store_check_result(listed_provider, "keys.rotation", outcome, now + timedelta(days=1))
    assert "Releases are signed by the key" not in read_page(client, listed_provider)
    assert "GitHub account" in read_page(client, listed_provider)


def test_check_error_does_not_reset_the_date_of_a_proof(listed_provider: Integration, now: Any) -> None:
    for days, outcome in ((1, "not_run"), (2, "pass")):
        store_check_result(listed_provider, "registry.listed", outcome, now + timedelta(days=days))
    assert get_publisher_checks(listed_provider)["registry.listed"].since == now


def test_registry_entry_of_another_repository_is_not_shown(
    listed_provider: Integration, now: Any, client: Client
) -> None:
    store_check_result(listed_provider, "registry.listed", "fail", now + timedelta(days=1))
    page_text = read_page(client, listed_provider)
    for words in ("acme/rocket from this repository", "<dt>Registry</dt>", "required_providers"):
        assert words not in page_text
    assert "GitHub account" in page_text


def test_page_shows_the_snippet_and_the_platforms(listed_provider: Integration, client: Client) -> None:
    page = read_page(client, listed_provider)
    assert "source  = &#34;acme/rocket&#34;\n      version = &#34;~&gt; 1.4&#34;" in page
    assert "Linux amd64" in page


def test_platforms_are_grouped_by_system() -> None:
    assert format_platforms(["linux_arm64", "darwin_arm64", "linux_amd64", "plan9"]) == [
        "Linux amd64, arm64",
        "macOS arm64",
        "plan9",
    ]


def test_verified_pages_of_the_registry_are_linked(
    listed_provider: Integration, client: Client, settings: Any, now: Any
) -> None:
    settings.REGISTRY_URL = "https://registry.example/"
    page = read_page(client, listed_provider)
    for words, address in (("Documentation", "latest/docs"), ("Registry", "latest")):
        whole = f"https://registry.example/providers/acme/rocket/{address}"
        assert re.search(rf'<dt>{words}</dt>\s*<dd>\s*<a href="{whole}" rel="noopener">', page), words
    odd = RegistryListing("acme/rocket/../../evil", "https://github.com/a/b", "partner", ("1.4.2",), "1.4.2")
    observations.store_observation(listed_provider, "registry.listed", {"registry": odd.as_dict()}, now)
    assert "<dt>Registry</dt>" not in read_page(client, listed_provider)


def test_documentation_url_of_the_partner_is_the_only_link(
    acme: Any, alice: Any, rita: Any, now: Any, client: Client
) -> None:
    row = advance_to_stage(
        create_integration(acme, alice, "consul", now), "support", partner=alice, reviewer=rita, now=now
    )
    answers.submit_answer(row, "CO-3", {"documentation": "https://acme.example/docs"}, actor=alice, now=now)
    page = read_page(client, row)
    assert page.count("<dt>Documentation</dt>") == 1
    assert '<a href="https://acme.example/docs" rel="nofollow noopener ugc">' in page


def test_structured_data_is_escaped_json(listed_provider: Integration, client: Client) -> None:
    Listing.objects.update(summary="</script><script>alert(1)</script>")
    page = read_page(client, listed_provider)
    match = re.search(r'<script type="application/ld\+json" nonce="[^"]*">(.*?)</script>', page, re.S)
    assert match
    data = json.loads(match[1])
    assert (data["@type"], data["softwareVersion"], data["publisher"]["name"]) == (
        "SoftwareApplication",
        "1.4.2",
        "Acme",
    )
    assert data["description"] == "</script><script>alert(1)</script>"


def test_delisted_page_stays_with_a_notice_and_is_not_in_the_directory(
    listed_provider: Integration, alice: Any, now: Any, client: Client
) -> None:
    perform_transition(listed_provider, "archive", actor=alice, note="Replaced.", now=now)
    answer = client.get(f"/directory/{listed_provider.uuid}/")
    assert (answer.status_code, answer["X-Robots-Tag"], answer["Cache-Control"]) == (200, "noindex", "no-cache")
    assert "No longer supported" in answer.text
    assert ("First listed" in answer.text, "Listed since" in answer.text) == (True, False)
    assert "required_providers" not in answer.text
    assert "ld+json" not in answer.text


def test_checks_and_waivers_are_shown_with_reason_and_expiration(
    listed_provider: Integration, rita: Any, now: Any, client: Client
) -> None:
    requirement = next(
        r for r in listed_provider.edition.list_requirements() if r.responsible_party == "portal" and not r.optional
    )
    fail: dict[str, Any] = {"outcome": "fail", "summary": "Secret words.", "detail": [], "retry_at": None}
    answers.record_check_outcome(listed_provider, requirement.id, now=now, **fail)
    page = read_page(client, listed_provider)
    assert "1 not passed" in page
    warning = fail | {"outcome": "warn"}
    answers.record_check_outcome(listed_provider, requirement.id, now=now, **warning)
    page = " ".join(read_page(client, listed_provider).split())
    assert ("passed, 1 warning." in page, "not passed" in page) == (True, False)
    answers.record_check_outcome(listed_provider, requirement.id, now=now, **fail)
    assert "Secret words." not in page
    until = now + timedelta(days=3650)
    waivers.waive_requirement(
        listed_provider, requirement.id, reason="The next version renames it.", expires_at=until, actor=rita, now=now
    )
    page = read_page(client, listed_provider)
    assert "1 waived" in page
    assert "The next version renames it." in page
    assert f'Expires <time datetime="{until:%Y-%m-%d}' in page


def test_too_small_sample_is_explained_and_grayed_out(listed_provider: Integration, client: Client) -> None:
    Listing.objects.update(on_time_share=50.0, settled_count=4)
    page = read_page(client, listed_provider)
    assert "record-faint" in page
    assert "Not enough data: 4 SLA targets in the last 90 days." in page
    Listing.objects.update(settled_count=5)
    assert "record-faint" not in read_page(client, listed_provider)


def test_reply_appears_next_to_the_record_and_keeps_its_history(
    listed_provider: Integration, alice: Any, rita: Any, sign_in: Any, client: Client
) -> None:
    address = f"/directory/{listed_provider.uuid}/reply/"
    page = f"/integrations/{listed_provider.uuid}/"
    assert [address in sign_in(person).get(page).text for person in (alice, rita)] == [True, False]
    assert sign_in(alice).post(address, {"text": "One outage of ours.\nFixed."}).status_code == 302
    assert "One outage of ours.<br>Fixed." in read_page(client, listed_provider)
    assert sign_in(alice).post(address, {"text": ""}).status_code == 302
    assert "One outage of ours." not in read_page(client, listed_provider)
    events = AuditEvent.objects.filter(event_type="integration.support_replied").order_by("seq")
    assert [event.note for event in events] == ["One outage of ours.\nFixed.", ""]
    assert "One outage of ours." in sign_in(alice).get(address).text


@pytest.mark.parametrize(
    "text",
    [
        "See https://evil.example/x",
        "write to me@evil.example",
        "//evil.example",
        "x" * 601,
        "evil.example has it",
        "www.evil.example",
        "\n".join("abcdefg"),
    ],
)
def test_invalid_reply_is_shown_again_with_an_error(
    listed_provider: Integration, alice: Any, sign_in: Any, text: str
) -> None:
    answer = sign_in(alice).post(f"/directory/{listed_provider.uuid}/reply/", {"text": text})
    assert answer.status_code == 422
    assert not AuditEvent.objects.filter(event_type="integration.support_replied").exists()


def test_only_the_partner_replies_and_an_unchanged_reply_adds_nothing(
    listed_provider: Integration, charlie: Any, rita: Any, bob: Any, now: Any
) -> None:
    for stranger in (charlie, rita):
        with pytest.raises(ActionRefused):
            save_reply(listed_provider, "Hello.", actor=stranger, now=now)
    assert save_reply(listed_provider, "Hello.", actor=bob, now=now) is not None
    assert save_reply(listed_provider, "Hello.", actor=bob, now=now) is None


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("1.4.2", "~> 1.4"),
        ("v2.0.0", "~> 2.0"),
        ("0.9.1", "~> 0.9.1"),
        ("1.0.0-beta1", "= 1.0.0-beta1"),
        ("", ""),
        ("x", ""),
    ],
)
def test_constraint_allows_compatible_versions(version: str, expected: str) -> None:
    assert build_constraint(version) == expected


@pytest.mark.parametrize(
    ("program", "category", "repository", "words"),
    [
        ("terraform-provider", "", "acme/terraform-provider-rocket", ['source  = "acme/rocket"', 'version = "~> 1.4"']),
        ("terraform-run-task", "", "", ['resource "tfe_organization_run_task" "rocket_scan"']),
        (
            "consul-nia",
            "",
            "acme/terraform-panos-rocket-nia",
            ['module = "acme/rocket-nia/panos"', 'version = "~> 1.4"'],
        ),
        ("packer", "", "acme/packer-plugin-rocket", ['source  = "github.com/acme/rocket"', "required_plugins"]),
        ("nomad", "container-runtime", "acme/nomad-driver-rocket", ['plugin "nomad-driver-rocket"']),
        ("nomad", "storage", "acme/nomad-rocket", []),
        ("vault", "", "acme/vault-plugin-auth-rocket", ["vault plugin register", "vault auth enable"]),
        ("vault", "", "acme/vault-plugin-secrets-rocket", ["$SHA256 secret vault-plugin", "vault secrets enable"]),
        ("consul", "", "acme/rocket", []),
        ("consul-nia", "", "acme/terraform-panos", []),
    ],
)
def test_each_program_has_its_own_snippet(program: str, category: str, repository: str, words: list[str]) -> None:
    row = Integration(name="Rocket scan", program_key=program, category=category, repository=repository)
    snippet = build_snippet(row, ObservedVersions("1.4.2", ("1.4.2",)))
    assert bool(snippet) == bool(words)
    assert [word for word in words if snippet and word not in snippet.text] == []
