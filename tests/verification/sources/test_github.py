"""Tests of the GitHub client."""

import pytest

from tests.fakes.github.server import Repo
from verification.sources import factory
from verification.sources.errors import SourceNotFoundError, SourceUnavailableError, UnsupportedBySourceError
from verification.sources.github import requester
from verification.sources.github.client import GitHubClient
from verification.sources.github.responses import parse_workflow_states
from verification.sources.models import GitHubRateLimit

pytestmark = [pytest.mark.any_database, pytest.mark.github]
NAME = "acme/terraform-provider-rocket"


@pytest.fixture
def seeded_github(github):
    github.seed(Repo(NAME, "Launches rockets.", homepage="https://acme.example", topics=("space",)))
    return github


@pytest.fixture
def client(seeded_github):
    client = GitHubClient()
    yield client
    client.close()


def test_repository_fields_are_read(client):
    repository = client.get_repository(NAME)
    assert (repository.full_name, repository.name, repository.description) == (
        NAME,
        "terraform-provider-rocket",
        "Launches rockets.",
    )
    assert (repository.license_spdx, repository.language, repository.homepage) == (
        "MPL-2.0",
        "Go",
        "https://acme.example",
    )
    assert (repository.archived, repository.default_branch, repository.topics) == (False, "main", ("space",))
    assert repository.id > 0
    assert repository.owner_id > 0


@pytest.mark.parametrize(("spdx", "read"), [(None, ""), ("NOASSERTION", "NOASSERTION"), ("MIT", "MIT")])
def test_license_is_the_spdx_id_of_github(seeded_github, client, spdx, read):
    seeded_github.set_license(NAME, spdx)
    assert client.get_repository(NAME).license_spdx == read


def test_releases_are_read_with_their_assets(seeded_github, client):
    number = seeded_github.create_release(NAME, "v1.1.0")
    seeded_github.upload_asset(NAME, number, "v1.1.0", "rocket_1.1.0_SHA256SUMS", b"sums")
    releases_by_tag = {release.tag: release for release in client.list_releases(NAME)}
    assert set(releases_by_tag) == {"v1.0.0", "v1.1.0"}
    assert [(a.name, a.size) for a in releases_by_tag["v1.1.0"].assets] == [("rocket_1.1.0_SHA256SUMS", 4)]
    assert releases_by_tag["v1.0.0"].published_at is not None


def test_releases_are_listed_up_to_a_page_with_a_stable_version(seeded_github, client):
    for number in range(31):
        seeded_github.create_release(NAME, f"v1.1.0-nightly.{number}")
    assert [release.tag for release in client.list_releases(NAME)][-2:] == ["v1.1.0-nightly.0", "v1.0.0"]
    client.list_releases(NAME)
    assert seeded_github.requests.count(f"GET /repos/{NAME}/releases") == 2


def test_release_that_is_not_listed_is_read_by_its_tag(seeded_github, client):
    for number in range(30):
        seeded_github.create_release(NAME, f"v2.0.{number}")
    assert "v1.0.0" not in [release.tag for release in client.list_releases(NAME)]
    assert client.get_release(NAME, "v1.0.0").tag == "v1.0.0"
    with pytest.raises(SourceNotFoundError, match=f"the release v9.9.9 of {NAME}"):
        client.get_release(NAME, "v9.9.9")


def test_repeated_request_is_sent_once(seeded_github, client):
    assert client.get_repository(NAME) == client.get_repository(NAME)
    assert seeded_github.requests == [f"GET /repos/{NAME}"]


def test_states_of_workflows_are_listed_by_path():
    workflows = [{"id": 1, "path": ".github/workflows/test.yml", "state": "disabled_inactivity"}]
    assert parse_workflow_states({"total_count": 1, "workflows": workflows}) == {
        ".github/workflows/test.yml": "disabled_inactivity"
    }


def test_branch_must_match_the_whole_name(seeded_github, client):
    head = seeded_github.request("GET", f"/repos/{NAME}/commits/main")["sha"]
    seeded_github.request("POST", f"/repos/{NAME}/git/refs", {"ref": "refs/heads/v1.0.0-next", "sha": head})
    names = ("main", "v1.0.0", "v1.0.0-next", "v1.0.0-nex")
    assert [client.has_branch(NAME, name) for name in names] == [True, False, True, False]


@pytest.mark.django_db
def test_unchanged_list_of_branches_does_not_count_toward_the_limit(seeded_github):
    """An empty list has an ETag, so the second request doesn't count toward GitHub's limit."""
    request_counts = []
    for _ in range(2):
        assert not factory.build_github_client().has_branch(NAME, "v1.0.0")
        request_counts.append(GitHubRateLimit.objects.get().request_count)
    assert request_counts == [2, 2]  # the repository itself and the list, both unchanged the second time


def test_missing_repository_is_not_found(client):
    with pytest.raises(SourceNotFoundError, match="It doesn't exist or isn't public"):
        client.get_repository("acme/terraform-provider-none")


def test_private_repository_is_not_found(github):
    github.seed(Repo("acme/secret", private=True, releases=()))
    with pytest.raises(SourceNotFoundError):
        GitHubClient().get_repository("acme/secret")


def test_renamed_repository_is_followed(seeded_github, client):
    seeded_github.rename("acme/old-rocket", NAME)
    assert client.get_repository("acme/old-rocket").full_name == NAME


def test_large_file_is_refused_but_not_an_outage(github):
    github.seed(Repo(NAME, files=(("README.md", "x" * (512 * 1024 + 1)),)))
    code = GitHubClient().get_snapshot(NAME, "main")
    with pytest.raises(UnsupportedBySourceError, match=f"README.md of {NAME} is larger than 512 KiB."):
        code.read_text("README.md")


@pytest.mark.parametrize("kind", [500, 502, 503, "cut", "garbage", "rate_limit"])
def test_outage_is_unavailable(seeded_github, client, kind):
    seeded_github.fail("/repos/", kind)
    with pytest.raises(SourceUnavailableError, match=r"Can't (?:read|parse)"):
        client.get_repository(NAME)


def test_missing_tag_is_not_found(seeded_github, client):
    """GitHub returns 422 for a commit, branch, or tag that doesn't exist, and for other invalid requests."""
    seeded_github.fail(f"/repos/{NAME}/commits/", 422)
    with pytest.raises(SourceNotFoundError, match=f"the code of {NAME} at v9.9.9"):
        client.get_snapshot(NAME, "v9.9.9")
    seeded_github.fail(f"/repos/{NAME}/releases", 422)
    with pytest.raises(SourceUnavailableError):
        client.list_releases(NAME)


def test_server_that_never_answers_is_unavailable(seeded_github, monkeypatch):
    monkeypatch.setattr(requester, "TIMEOUT_SECONDS", 1)
    seeded_github.fail("/repos/", "stall")
    with pytest.raises(SourceUnavailableError):
        GitHubClient().get_repository(NAME)


def test_rejected_token_is_unavailable(seeded_github):
    with pytest.raises(SourceUnavailableError, match="token"):
        GitHubClient(token="revoked").get_repository(NAME)


def test_unreachable_server_is_unavailable(settings):
    settings.GITHUB_API_URL = "http://127.0.0.1:1"
    with pytest.raises(SourceUnavailableError):
        GitHubClient().get_repository(NAME)


@pytest.mark.parametrize(
    "extra",
    [
        {"id": "4711"},
        {"id": 2**63},
        {"id": True},
        {"owner": None},
        {"license": "MIT"},
        {"description": 5},
        {"topics": 1},
    ],
)
def test_response_of_unexpected_shape_is_unavailable(seeded_github, client, extra):
    seeded_github.set_extra(NAME, **extra)
    with pytest.raises(SourceUnavailableError, match="Can't parse"):
        client.get_repository(NAME)


def test_control_characters_are_removed(seeded_github, client):
    seeded_github.set_extra(NAME, description="a\x00b")
    assert client.get_repository(NAME).description == "ab"
