"""Tests of the claims of statements that are shown, which can be forged."""

import json

import pytest
from django.test import Client

from portal.directory.badges import signing_keys
from portal.directory.badges.statements import build_claims, sign_claims
from tests.portal.directory.badges.sample_status import SINCE, build_status


@pytest.mark.parametrize("name", ["Rocket\ud800", "Rocket\x1b[2J", "Rocket\u202e"])
def test_claims_are_shown_without_invisible_characters(client: Client, db: None, name: str) -> None:
    claims = build_claims(build_status(), "https://portal.example", SINCE)
    statement = sign_claims(claims, signing_keys.derive_signing_key("other"))
    payload = json.dumps(claims | {"integration": name}).encode()
    statement["payload"] = signing_keys.encode_base64url(payload)
    page = client.post("/verify/", {"statement": json.dumps(statement)})
    assert page.status_code == 200
    assert ("Integration", name.replace(name[6], "\ufffd")) in page.context["rows"]
