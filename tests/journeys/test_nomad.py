"""A Nomad integration, from “which program is mine?” to support, with one round of requested changes."""

from typing import Any

from tests.fakes.github.server import Repo
from tests.journeys.walk import Walk


def test_a_task_driver_goes_all_the_way(walk: Walk, github: Any) -> None:
    github.seed(Repo("acme/nomad-driver-rocket", "Runs workloads on rockets.", homepage="https://acme.example/rocket"))
    walk.begin(
        "Should Nomad run, place, watch or scale workloads",
        repository="acme/nomad-driver-rocket",
        name="Rocket driver",
        category="Container Runtime",
        offering="Open Source",
    )
    walk.to("review").round_of_changes("Say how to run the tests.", "It is in the README now.")
    walk.to("support")
    row = walk.row
    assert (row.standing, row.tier, row.turn_holder) == ("verified", row.edition.release_tier.key, "machine")
    walk.partner.go(walk.page).sees("the portal keeps watch").shot("nomad-support")
