"""Tests of versions against the real Terraform that a comparison of verdicts cannot hold."""

import pytest

from tests.verification.releases import terraform
from tests.verification.releases.world import World
from verification.versions import BadVersion, parse


@pytest.mark.skipif(not terraform.available(), reason="Terraform is not installed")
def test_number_that_is_too_large_is_refused_before_terraform_falls_over_it(tmp_path):
    world, text = World(None), "9" * 20 + ".0.0"
    world.routes["/v1/providers/acme/large/versions"] = {"versions": [{"version": text, "protocols": ["5.0"]}]}
    with pytest.raises(BadVersion, match="too large"):
        parse(text)
    assert terraform.init(tmp_path / "large", world.url, {"large": "> 1"})["large"].startswith("panic: ")
    world.stop()
