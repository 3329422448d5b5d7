"""A Consul integration: review and certification are one step."""

from typing import Any

from tests.journeys.walk import Walk


def test_platform_goes_all_the_way(walk: Walk, github: Any) -> None:
    github.seed()
    walk.begin(
        "Do you want your product to work with Consul directly",
        repository="",
        name="Rocket mesh",
        category="Data Plane",
        offering="Enterprise",
    )
    walk.to("review").round_of_changes("Show the health checks.", "They are on page two.").to("support")
    assert (walk.row.listing_status, walk.row.tier) == ("listed", walk.row.edition.release_tier.key)
