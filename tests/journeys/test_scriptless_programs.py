"""Whole programs without scripts: two people whose browsers run none take an integration to its listing."""

from typing import NamedTuple

import pytest

from tests.fakes.github.server import GitHub, Repo
from tests.journeys.walk import Walk


class Program(NamedTuple):
    """What the partner answers, and what the reviewer asks for."""

    question: str
    name: str
    category: str
    offering: str
    finding: str
    repository: str = ""
    language: str = "Go"


PROGRAMS = {
    "vault": Program(
        "Do you want your product to store its secrets in Vault",
        "Launch codes",
        "Secrets Engines",
        "Enterprise",
        "Say which versions of Vault.",
        "acme/vault-plugin-secrets-rocket",
    ),
    "consul": Program(
        "Do you want your product to work with Consul directly",
        "Rocket mesh",
        "Data Plane",
        "Enterprise",
        "Show the health checks.",
    ),
    "consul-nia": Program(
        "Do you want Consul service changes to update",
        "Rocket pools",
        "Network Infrastructure Automation",
        "Enterprise",
        "Add a second sample module.",
        "acme/terraform-rocket-pool-nia",
        "HCL",
    ),
    "packer": Program(
        "Do you want Packer to build, configure, or publish",
        "Rocket images",
        "Builders",
        "Open Source",
        "Add an example template.",
        "acme/packer-plugin-rocket",
    ),
    "terraform-run-task": Program(
        "Do you want your service to check Terraform runs",
        "Rocket preflight",
        "Audit",
        "Terraform Cloud",
        "Show a failing run too.",
    ),
}
# the upcoming edition of the run task program
PROGRAMS["terraform-run-task, 2026-06"] = PROGRAMS["terraform-run-task"]._replace(offering="HCP Terraform")


@pytest.mark.parametrize("key", PROGRAMS)
def test_integration_goes_all_the_way(
    scriptless_walk: Walk, github: GitHub, key: str, request: pytest.FixtureRequest
) -> None:
    walk, program = scriptless_walk, PROGRAMS[key]
    if "2026" in key:
        request.getfixturevalue("edition_2026")
    github.seed(*([Repo(program.repository, "Made by Acme.", language=program.language)] if program.repository else []))
    walk.begin(
        program.question,
        repository=program.repository,
        name=program.name,
        category=program.category,
        offering=program.offering,
    )
    walk.to("review").round_of_changes(program.finding, "It is on page two.").to("support")
    assert (walk.row.listing_status, walk.row.tier) == ("listed", walk.row.edition.release_tier.key)
    if key.startswith("terraform-run-task"):
        walk.partner.go(f"/directory/{walk.row.uuid}/").sees("First line.", "Second line.")
