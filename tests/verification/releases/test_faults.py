"""Tests that Terraform, where it is installed, says to each faulty release what the portal says."""

import pytest

from tests.conform.releases import compare
from tests.verification.releases import faults, terraform
from verification.releases import install_simulation

pytestmark = pytest.mark.skipif(not terraform.available(), reason="Terraform is not installed")
TOGETHER = {"install": faults.INSTALL, "query": faults.QUERY, "versions": faults.VERSIONS}


@pytest.mark.parametrize("table", TOGETHER)
def test_terraform_says_what_we_say(world, monkeypatch, table):
    monkeypatch.setattr(
        install_simulation, "RESPONSE_TIMEOUT_SECONDS", 1.0
    )  # as long as Terraform is told to wait here
    assert list(compare(world, TOGETHER[table])) == []


@pytest.mark.parametrize("name", faults.CRASH)
def test_terraform_falls_over_what_we_say(world, name):
    assert list(compare(world, {name: faults.CRASH[name]})) == []


def test_tables_are_long_enough():
    assert sum(map(len, (*TOGETHER.values(), faults.CRASH))) >= 140
