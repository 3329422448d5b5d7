"""A module for Consul-Terraform-Sync: its provider is verified before."""

from typing import Any

from tests.fakes.github.server import Repo
from tests.journeys.walk import Walk


def test_module_goes_all_the_way(walk: Walk, github: Any) -> None:
    github.seed(Repo("acme/terraform-rocket-pool-nia", "Pools follow services.", language="HCL"))
    walk.begin(
        "Do you want Consul service changes to update",
        repository="acme/terraform-rocket-pool-nia",
        name="Rocket pools",
        category="Network Infrastructure Automation",
        offering="Enterprise",
    )
    walk.to("review").round_of_changes("Add a second sample module.", "It is in modules/two.").to("support")
    assert (walk.row.listing_status, walk.row.tier) == ("listed", walk.row.edition.release_tier.key)
