import pytest

from portal.core import repository_urls
from tests.fakes.github.server import KEEPER, Repo
from verification.checks.services.prefill import PREFILLED_FIELDS, prefill
from verification.sources import factory
from verification.sources.errors import SourceNotFoundError
from verification.sources.github.api import GitHubApi, build_token_auth

NAME = "acme/terraform-provider-rocket-launcher"
pytestmark = [pytest.mark.any_database, pytest.mark.django_db]  # which counts GitHub's rate limit


@pytest.mark.github
def test_prefill_takes_what_github_knows(github):
    github.seed(Repo(NAME, "Launches rockets.", releases=("v1.0.0", "v1.1.0")))
    values = prefill(f"https://github.com/{NAME}")
    assert (values["repository"], values["name"], values["license"]) == (NAME, "Rocket launcher", "MPL-2.0")
    assert (values["latest_release"], values["homepage"]) == ("v1.1.0", "")
    assert values["from_github"] == ["name", "description", "license", "latest_release"]
    assert (values["error"], values["problem"]) == ("", "")
    assert values["repository_id"] > 0


@pytest.mark.github
def test_prefill_without_such_a_repository_says_so(github):
    values = prefill(NAME)
    assert values["problem"].startswith(f"We can't find the public repository {NAME}.")
    assert (values["repository"], values["from_github"]) == (NAME, [])


@pytest.mark.github
def test_prefill_with_unreadable_releases_keeps_the_rest(github):
    github.seed(Repo(NAME))
    github.fail("/releases$", 502)
    values = prefill(NAME)
    assert (values["name"], values["latest_release"], values["problem"]) == ("Rocket launcher", "", "")


def test_prefill_without_github_leaves_the_form_usable(settings):
    settings.GITHUB_API_URL = "http://127.0.0.1:1"
    values = prefill(NAME)
    assert values["problem"].endswith("You can enter the details yourself.")
    assert {key: values[key] for key in PREFILLED_FIELDS} == dict.fromkeys(PREFILLED_FIELDS, "")


def test_prefill_of_another_host_says_what_to_paste():
    values = prefill("https://gitlab.com/acme/rocket")
    assert values["error"] == "Enter a repository on github.com, such as https://github.com/owner/name."


def test_lower_floor_reads_through_the_same_eyes():
    assert repository_urls.fetch_repository("") == prefill("")


PRIVATE = Repo("acme/secret-rocket", "Launches secret rockets.", private=True, releases=())


@pytest.mark.github
def test_prefill_of_a_private_repository_answers_as_of_none(github, settings):
    """The portal's credential can read it, but the person who entered the address may not."""
    github.seed(PRIVATE)
    github.proxy.state.tokens.add(KEEPER)
    settings.GITHUB_TOKEN = KEEPER
    assert (
        GitHubApi(settings.GITHUB_API_URL, build_token_auth(KEEPER)).get(f"/repos/{PRIVATE.full_name}", "it")["private"]
        is True
    )
    private, missing = prefill(PRIVATE.full_name), prefill("acme/no-such-rocket")
    assert private == {
        key: value.replace("no-such-rocket", "secret-rocket") if isinstance(value, str) else value
        for key, value in missing.items()
    }


READS = {
    "repository": lambda client, name: client.repository(name),
    "releases": lambda client, name: client.releases(name),
    "code": lambda client, name: client.code(name, "main"),
    "branch": lambda client, name: client.has_branch(name, "main"),
    "pull": lambda client, name: client.pull(name, 1),
}


@pytest.mark.github
@pytest.mark.parametrize("read", READS.values(), ids=READS.keys())
def test_no_reading_of_a_private_repository_for_checks(github, settings, read):
    """Checks and drafts get the same answer for a private repository as for one that doesn't exist."""
    github.seed(PRIVATE)
    github.proxy.state.tokens.add(KEEPER)
    settings.GITHUB_TOKEN = KEEPER
    answers = []
    for name in (PRIVATE.full_name, "acme/no-such-rocket"):
        with pytest.raises(SourceNotFoundError) as refusal:
            read(factory.build_github_client(), name)
        answers.append(str(refusal.value).replace(name, "NAME"))
    assert answers == ["GitHub doesn't show the repository NAME. It doesn't exist or isn't public."] * 2
