"""A run task: a meeting with three items, a two-line summary, a support dossier."""

from typing import Any

from tests.journeys.walk import Walk


def test_run_task_goes_all_the_way(walk: Walk, github: Any) -> None:
    github.seed()
    walk.begin(
        "Do you want your service to check Terraform runs",
        repository="",
        name="Rocket preflight",
        category="Audit",
        offering="HCP Terraform",
    )
    walk.to("review").round_of_changes("Show a failing run too.", "It is in the recording.").to("support")
    assert (walk.row.listing_status, walk.row.tier) == ("listed", walk.row.edition.release_tier.key)
    walk.partner.go(f"/directory/{walk.row.uuid}/").sees("First line.", "Second line.")
