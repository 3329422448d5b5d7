"""Tests that Terraform, where it is installed, agrees with the portal about each faulty release."""

import pytest

from tests.conform.releases import compare
from tests.verification.releases import faults, terraform
from verification.releases import install_simulation

pytestmark = terraform.needs_terraform
TABLES = {"install": faults.INSTALL, "query": faults.QUERY, "versions": faults.VERSIONS}


@pytest.mark.parametrize("table", TABLES)
def test_terraform_agrees_about_each_fault(registry, monkeypatch, table):
    monkeypatch.setattr(install_simulation, "RESPONSE_TIMEOUT_SECONDS", 1.0)  # the timeout of terraform.run_init
    assert list(compare(registry, TABLES[table])) == []


@pytest.mark.parametrize("name", faults.CRASH)
def test_terraform_crashes_with_the_expected_panic(registry, name):
    assert list(compare(registry, {name: faults.CRASH[name]})) == []


def test_tables_have_at_least_140_faults():
    assert sum(map(len, (*TABLES.values(), faults.CRASH))) >= 140
