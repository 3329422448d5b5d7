"""Tests of the values that a new submission takes from its repository."""

import pytest

from portal.core import repository_urls
from tests.fakes.github.server import OWNER_TOKEN, Repo
from verification.checks.services.prefill import prefill
from verification.sources import factory
from verification.sources.errors import SourceNotFoundError
from verification.sources.github.api import GitHubApi, build_token_auth

NAME = "acme/terraform-provider-rocket-launcher"
pytestmark = [pytest.mark.any_database, pytest.mark.django_db]  # for the counter of GitHub's rate limit


@pytest.mark.github
def test_prefill_reads_the_repository_from_github(github):
    github.seed(Repo(NAME, "Launches rockets.", releases=("v1.0.0", "v1.1.0")))
    values = prefill(f"https://github.com/{NAME}")
    assert (values["repository"], values["name"], values["license"]) == (NAME, "Rocket launcher", "MPL-2.0")
    assert (values["latest_release"], values["homepage"]) == ("v1.1.0", "")
    assert values["description"] == "Launches rockets."
    assert values["note"] == ""
    assert values["repository_id"] > 0


@pytest.mark.github
def test_prefill_takes_the_newest_release_by_version(github):
    github.seed(Repo(NAME, releases=("v1.1.0", "v1.0.1", "nightly")))
    # The registry ignores this mark, too.
    github.create_release(NAME, "v1.2.0", prerelease=True)
    assert prefill(NAME)["latest_release"] == "v1.2.0"


@pytest.mark.github
def test_prefill_of_a_missing_repository_has_a_note(github):
    values = prefill(NAME)
    assert values.pop("note").startswith(f"We can't find the public repository {NAME}.")
    assert values == {"repository_id": None, "repository_owner_id": None}


@pytest.mark.github
def test_prefill_without_releases_keeps_the_other_values(github):
    github.seed(Repo(NAME))
    github.fail("/releases$", 502)
    values = prefill(NAME)
    assert (values["name"], values["latest_release"], values["note"]) == ("Rocket launcher", "", "")


def test_prefill_without_github_has_a_note(settings):
    settings.GITHUB_API_URL = "http://127.0.0.1:1"
    values = prefill(NAME)
    assert values.pop("note").endswith("You can enter the details yourself.")
    assert values == {"repository_id": None, "repository_owner_id": None}


def test_prefill_of_another_host_has_a_note():
    values = prefill("https://gitlab.com/acme/rocket")
    assert values["note"] == "Enter a repository on github.com, such as https://github.com/owner/name."


def test_core_fetches_a_repository_with_prefill():
    assert repository_urls.fetch_repository("") == prefill("")


PRIVATE = Repo("acme/secret-rocket", "Launches secret rockets.", private=True, releases=())


@pytest.mark.github
def test_prefill_of_a_private_repository_equals_that_of_a_missing_one(github, settings):
    """The portal's credential can read the repository, but the user might not have access."""
    github.seed(PRIVATE)
    github.proxy.state.tokens.add(OWNER_TOKEN)
    settings.GITHUB_TOKEN = OWNER_TOKEN
    api = GitHubApi(settings.GITHUB_API_URL, build_token_auth(OWNER_TOKEN))
    assert api.get(f"/repos/{PRIVATE.full_name}", "it")["private"] is True
    private = prefill(PRIVATE.full_name)
    missing = prefill("acme/no-such-rocket")
    assert private == {
        key: value.replace("no-such-rocket", "secret-rocket") if isinstance(value, str) else value
        for key, value in missing.items()
    }


READERS = {
    "repository": lambda client, name: client.get_repository(name),
    "releases": lambda client, name: client.list_releases(name),
    "code": lambda client, name: client.get_snapshot(name, "main"),
    "branch": lambda client, name: client.has_branch(name, "main"),
    "pull": lambda client, name: client.get_pull_request(name, 1),
}


@pytest.mark.github
@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_checks_cannot_read_a_private_repository(github, settings, read):
    """Checks and drafts get the same answer for a private repository as for one that doesn't exist."""
    github.seed(PRIVATE)
    github.proxy.state.tokens.add(OWNER_TOKEN)
    settings.GITHUB_TOKEN = OWNER_TOKEN
    messages = []
    for name in (PRIVATE.full_name, "acme/no-such-rocket"):
        with pytest.raises(SourceNotFoundError) as error:
            read(factory.build_github_client(), name)
        messages.append(str(error.value).replace(name, "NAME"))
    assert messages == ["GitHub doesn't show the repository NAME. It doesn't exist or isn't public."] * 2
