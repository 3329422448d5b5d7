"""Fixtures of the tests of GitHub access."""

from collections.abc import Callable
from typing import Any

import pytest

from portal.accounts.models import User
from portal.github_access.models import GitHubGrant
from tests.fakes.github.server import GitHub, Repo
from tests.fakes.test_sign_in import choose_account

SECRET = Repo("acme/terraform-provider-secret", "Not public yet.", private=True)
PUBLIC = Repo("acme/terraform-provider-rocket", "Launches rockets.")
PEOPLE = ({"login": "alice-gh", "name": "Alice Archer", "email": "alice@private.example"},)
Connect = Callable[..., GitHubGrant]


@pytest.fixture
def github_app(github_sign_in: GitHub) -> GitHub:
    """Return a fake GitHub with the App installed for a private and a public repository of alice-gh."""
    github_sign_in.seed(SECRET, PUBLIC, people=PEOPLE)
    github_sign_in.user_access.readable["alice-gh"] = [SECRET.full_name, PUBLIC.full_name]
    return github_sign_in


@pytest.fixture
def connect(github_app: GitHub, sign_in: Callable[[User], Any]) -> Connect:
    """Return a function that connects GitHub on a user's page and returns the grant."""

    def press(user: User, *, next_url: str = "") -> GitHubGrant:
        client = sign_in(user)
        leaves = client.post("/profile/github/connect/", {"next": next_url})
        client.get(choose_account(github_app, leaves.url, "alice-gh"))
        return GitHubGrant.objects.get(user=user)

    return press
