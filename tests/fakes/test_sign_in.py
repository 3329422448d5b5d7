"""Tests of signing in through the GitHub fake."""

from urllib.parse import parse_qsl, urlsplit

import pytest
import requests
from django.urls import reverse

pytestmark = [pytest.mark.github, pytest.mark.django_db]
ALICE = {"login": "alice", "name": "Alice Archer", "email": "alice@acme.example"}


def chosen_at(github, address, login):
    """Return where the fake redirects a person after they chose an account."""
    form_data = dict(parse_qsl(urlsplit(address).query)) | {"login": login}
    with requests.post(f"{github.url}/login/oauth/callback", form_data, allow_redirects=False, timeout=10) as response:
        back = urlsplit(response.headers["Location"])
    return f"{back.path}?{back.query}"


def test_person_signs_in_with_github_account(client, alice, github_sign_in):
    github_sign_in.seed(people=(ALICE,))
    leaves = client.post(reverse("github_login"))
    assert leaves.url.startswith(f"{github_sign_in.url}/login/oauth/authorize?")
    client.get(chosen_at(github_sign_in, leaves.url, "alice"))
    assert client.session.get("_auth_user_id") == str(alice.pk)
