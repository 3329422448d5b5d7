"""A Terraform provider, in both editions: everything published first, then verified and listed."""

from typing import Any

import pytest

from tests.fakes.github.server import Repo
from tests.fakes.registry import Provider
from tests.journeys.walk import Walk


@pytest.mark.parametrize(("edition", "offering"), [("2021-10", "Open Source"), ("2026-06", "Community Edition")])
def test_provider_goes_all_the_way(
    walk: Walk, github: Any, registry: Any, settings: Any, edition: str, offering: str
) -> None:
    settings.PROGRAM_EDITIONS = {"terraform-provider": edition}
    github.seed(Repo("acme/terraform-provider-rocket", "Rockets as code.", homepage="https://acme.example/rocket"))
    registry.publish(Provider("acme/rocket"))
    walk.begin(
        "Do you want users to manage resources on your platform",
        repository="acme/terraform-provider-rocket",
        name="Rocket",
        category="Networking",
        offering=offering,
    )
    walk.to("review").round_of_changes("Name the year.", "It is in the file now.").to("support")
    row = walk.row
    assert (row.edition_date, row.listing_status, row.tier) == (edition, "listed", row.edition.release_tier.key)
    walk.partner.go("/directory/").sees("Rocket").press("Rocket").sees("Program reviewers approved the listing.")
