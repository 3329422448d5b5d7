"""Tests of signing in through the GitHub fake."""

from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
import requests
from django.urls import reverse

from portal.accounts.models import User
from tests.fakes.github.server import GitHub

pytestmark = [pytest.mark.github, pytest.mark.django_db]
ALICE = {"login": "alice", "name": "Alice Archer", "email": "alice@acme.example"}


def choose_account(github: GitHub, address: str, login: str) -> str:
    """Choose an account at the fake, and return the path to which it redirects."""
    form_data = dict(parse_qsl(urlsplit(address).query)) | {"login": login}
    with requests.post(f"{github.url}/login/oauth/callback", form_data, allow_redirects=False, timeout=10) as response:
        callback = urlsplit(response.headers["Location"])
    return f"{callback.path}?{callback.query}"


def test_person_signs_in_with_github_account(client: Any, alice: User, github_sign_in: GitHub) -> None:
    github_sign_in.seed(people=(ALICE,))
    redirect = client.post(reverse("github_login"))
    assert redirect.url.startswith(f"{github_sign_in.url}/login/oauth/authorize?")
    client.get(choose_account(github_sign_in, redirect.url, "alice"))
    assert client.session.get("_auth_user_id") == str(alice.pk)
