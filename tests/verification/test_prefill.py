import pytest

from integrations import repositories
from tests.fakes.github.server import Repo
from verification.prefill import FILLED, prefill

NAME = "acme/terraform-provider-rocket-launcher"
pytestmark = pytest.mark.django_db  # what GitHub allows is counted there


@pytest.mark.github
def test_prefill_takes_what_github_knows(github):
    github.seed(Repo(NAME, "Launches rockets.", releases=("v1.0.0", "v1.1.0")))
    values = prefill(f"https://github.com/{NAME}")
    assert (values["repository"], values["name"], values["licence"]) == (NAME, "Rocket launcher", "MPL-2.0")
    assert (values["latest_release"], values["homepage"]) == ("v1.1.0", "")
    assert values["from_github"] == ["name", "description", "licence", "latest_release"]
    assert (values["error"], values["problem"]) == ("", "")
    assert values["repository_id"] > 0


@pytest.mark.github
def test_prefill_without_such_a_repository_says_so(github):
    values = prefill(NAME)
    assert values["problem"].startswith(f"GitHub shows no public repository {NAME}.")
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
    assert values["problem"].endswith("Fill in the fields by hand; nothing is lost.")
    assert {key: values[key] for key in FILLED} == dict.fromkeys(FILLED, "")


def test_prefill_of_another_host_says_what_to_paste():
    values = prefill("https://gitlab.com/acme/rocket")
    assert values["error"] == "Only repositories on github.com can be read: https://github.com/owner/name."


def test_lower_floor_reads_through_the_same_eyes():
    assert repositories.look_up("") == prefill("")
