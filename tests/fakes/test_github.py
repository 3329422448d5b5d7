"""Tests of the GitHub fake itself: what the emulator lacks and the proxy adds."""

from urllib.parse import parse_qs, urlsplit

import pytest
import requests

from tests.fakes.github.server import TOKEN, Repo

pytestmark = pytest.mark.github
NAME = "acme/terraform-provider-rocket"


def get(github, path, **headers):
    with requests.get(github.url + path, headers=headers, timeout=10) as response:
        assert response.content is not None
        return response


def test_license_has_its_own_endpoint(github):
    github.seed(Repo(NAME, license="MIT"))
    assert get(github, f"/repos/{NAME}/license").json()["license"]["spdx_id"] == "MIT"
    github.set_license(NAME, None)
    assert get(github, f"/repos/{NAME}/license").status_code == 404


def test_unchanged_response_has_status_304(github):
    github.seed(Repo(NAME))
    first = get(github, f"/repos/{NAME}")
    again = get(github, f"/repos/{NAME}", **{"If-None-Match": first.headers["ETag"]})
    github.set_license(NAME, "MIT")
    changed_response = get(github, f"/repos/{NAME}", **{"If-None-Match": first.headers["ETag"]})
    assert [first.status_code, again.status_code, changed_response.status_code] == [200, 304, 200]


def test_asset_can_be_downloaded(github):
    github.seed(Repo(NAME))
    number = github.create_release(NAME, "v1.1.0")
    asset = github.upload_asset(NAME, number, "v1.1.0", "rocket.zip", b"PK\x03\x04")
    by_number = get(github, f"/repos/{NAME}/releases/assets/{asset}", Accept="application/octet-stream")
    by_name = get(github, f"/{NAME}/releases/download/v1.1.0/rocket.zip")
    assert by_number.content == by_name.content == b"PK\x03\x04"


@pytest.mark.parametrize(("token", "status"), [(TOKEN, 200), ("revoked", 401)])
def test_only_known_tokens_are_accepted(github, token, status):
    assert get(github, "/user", Authorization=f"Bearer {token}").status_code == status


def test_fault_occurs_as_often_as_requested(github):
    github.seed(Repo(NAME))
    github.fail("/repos/", 502, times=1)
    assert [get(github, f"/repos/{NAME}").status_code for _ in range(2)] == [502, 200]


def test_repository_is_missing_before_it_is_seeded(github):
    assert get(github, f"/repos/{NAME}").status_code == 404


def test_person_signs_in_with_github(github):
    github.seed(people=({"login": "alice", "name": "Alice Archer", "email": "alice@acme.example"},))
    back = "http://127.0.0.1:8000/accounts/github/login/callback/"
    page = get(github, f"/login/oauth/authorize?client_id=portal&redirect_uri={back}&state=s&scope=user:email")
    assert "alice" in page.text
    sign_in_data = {"login": "alice", "redirect_uri": back, "state": "s", "client_id": "portal", "scope": "user:email"}
    with requests.post(
        f"{github.url}/login/oauth/callback", sign_in_data, allow_redirects=False, timeout=10
    ) as response:
        answer = parse_qs(urlsplit(response.headers["Location"]).query)
    token_request = {"code": answer["code"][0], "client_id": "portal", "client_secret": "s"}
    headers = {"Accept": "application/json"}
    with requests.post(
        f"{github.url}/login/oauth/access_token", token_request, headers=headers, timeout=10
    ) as token_response:
        token = token_response.json()["access_token"]
    data = get(github, "/api/v3/user", Authorization=f"token {token}").json()
    emails = get(github, "/api/v3/user/emails", Authorization=f"token {token}").json()
    assert (answer["state"], data["login"]) == (["s"], "alice")
    assert [(m["email"], m["verified"], m["primary"]) for m in emails] == [("alice@acme.example", True, True)]
