"""Tests of the addresses in a partner's reply to its support record."""

import pytest

from integrations.partners.models import Partner
from integrations.submissions.models import Integration
from portal.directory.partner_replies import find_foreign_addresses

ROW = Integration(repository="acme/rocket", partner=Partner(website="https://acme.example"))


@pytest.mark.parametrize(
    "address",
    [
        "https://github.com/acme/rocket#readme",
        "https://github.com/acme/rocket/compare/v1...v2",
        "status.acme.example",
        "ops@acme.example",
        "main.tf, e.g.",
    ],
)
def test_reply_can_link_to_own_pages(address: str) -> None:
    assert find_foreign_addresses(f"See {address}.", ROW) == []


@pytest.mark.parametrize(
    "address",
    [
        "https://github.com/other/x",
        "https://github.com/acme/rocket/%2E%2E/../other/x",
        "https://acme.example@evil.example/",
        "https://evil.example?@acme.example/",
        "https://evil.example\\@acme.example",
        "https://notacme.example",
        "evil.ie",
        "get.evil.sh/install",
    ],
)
def test_reply_cannot_link_to_other_pages(address: str) -> None:
    assert find_foreign_addresses(f"See {address}.", ROW) == [address]
