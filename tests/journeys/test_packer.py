"""A Packer plugin: Go and MPL-2.0, nine items."""

from typing import Any

from tests.fakes.github.server import Repo
from tests.journeys.walk import Walk


def test_builder_goes_all_the_way(walk: Walk, github: Any) -> None:
    github.seed(Repo("acme/packer-plugin-rocket", "Builds images for rockets."))
    walk.begin(
        "Do you want Packer to build, configure, or publish",
        repository="acme/packer-plugin-rocket",
        name="Rocket images",
        category="Builders",
        offering="Open Source",
    )
    walk.to("review").round_of_changes("Add an example template.", "It is in example/.").to("support")
    assert (walk.row.listing_status, walk.row.tier) == ("listed", walk.row.edition.release_tier.key)
