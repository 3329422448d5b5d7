"""A Vault plugin: the agreement is signed in the review."""

from typing import Any

from tests.fakes.github.server import Repo
from tests.journeys.walk import Walk


def test_secrets_engine_goes_all_the_way(walk: Walk, github: Any) -> None:
    github.seed(Repo("acme/vault-plugin-secrets-rocket", "Leases launch codes."))
    walk.begin(
        "Do you want your product to store its secrets in Vault",
        repository="acme/vault-plugin-secrets-rocket",
        name="Launch codes",
        category="Secrets Engines",
        offering="Enterprise",
    )
    walk.to("review").round_of_changes("Say which versions of Vault.", "From 1.15 on.").to("support")
    assert (walk.row.listing_status, walk.row.tier) == ("listed", walk.row.edition.release_tier.key)
