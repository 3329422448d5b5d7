from dataclasses import replace

import pytest

from tests.verification.told import SUBJECT, Told, listing
from verification.base import CHECKS, Outcome, Unavailable

LISTED = CHECKS["registry.listed"].run


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (listing(), Outcome.PASS),
        (listing("https://github.com/Acme/Terraform-Provider-Rocket"), Outcome.PASS),
        (listing("https://github.com/globex/terraform-provider-rocket"), Outcome.FAIL),
        (listing("https://git.example/acme/terraform-provider-rocket"), Outcome.FAIL),
        (None, Outcome.FAIL),
    ],
)
def test_listed(said, expected):
    assert LISTED(SUBJECT, Told(listing_said=said)).outcome == expected


def test_listed_without_a_repository_asks_nobody():
    told = Told()
    assert LISTED(replace(SUBJECT, namespace="", provider=""), told).outcome == Outcome.FAIL
    assert told.asked == []


def test_listed_leaves_an_outage_to_the_runner():
    with pytest.raises(Unavailable):
        LISTED(SUBJECT, Told(listing_said=Unavailable("Down.")))
