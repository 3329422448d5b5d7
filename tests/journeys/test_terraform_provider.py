"""A Terraform provider, in both editions: everything published first, then verified and listed."""

from typing import Any

import pytest

from tests.fakes.github.server import Repo
from tests.fakes.registry import Provider
from tests.journeys.walk import Walk


@pytest.fixture
def published_provider(github: Any, registry: Any) -> None:
    github.seed(Repo("acme/terraform-provider-rocket", "Rockets as code.", homepage="https://acme.example/rocket"))
    registry.publish(Provider("acme/rocket"))


def take_to_support(walk: Walk, offering: str) -> None:
    """The whole way of the provider, and its listing at the end of it."""
    walk.begin(
        "Do you want users to manage resources on your platform",
        repository="acme/terraform-provider-rocket",
        name="Rocket",
        category="Networking",
        offering=offering,
    )
    walk.to("review").round_of_changes("Name the year.", "It is in the file now.").to("support")
    row = walk.row
    assert (row.listing_status, row.tier) == ("listed", row.edition.release_tier.key)
    walk.partner.go("/directory/").sees("Rocket").press("Rocket").sees("Program reviewers approved the listing.")


def test_provider_goes_all_the_way(edition_2026: None, walk: Walk, published_provider: None) -> None:
    take_to_support(walk, "Community Edition")
    assert walk.row.edition_date == "2026-06"


def test_provider_goes_all_the_way_in_the_first_edition(scriptless_walk: Walk, published_provider: None) -> None:
    take_to_support(scriptless_walk, "Open Source")
    assert scriptless_walk.row.edition_date == "2021-10"
