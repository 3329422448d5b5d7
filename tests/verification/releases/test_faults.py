"""The real Terraform is the judge: whatever it says to a release, we said before. Not run where it is not installed."""

import pytest

from tests.verification.releases import faults, terraform
from verification.releases import installing

pytestmark = pytest.mark.skipif(not terraform.available(), reason="Terraform is not installed")
TOGETHER = {"install": faults.INSTALL, "query": faults.QUERY, "versions": faults.VERSIONS}


def fits(ours, theirs):
    """Accepted by both, or refused by both with the same words."""
    return ours.accepts is not None and ours.accepts == (theirs == "") and ours.message in theirs


@pytest.mark.parametrize("table", TOGETHER)
def test_terraform_says_what_we_say(world, verified, tmp_path, monkeypatch, table):
    monkeypatch.setattr(installing, "PATIENCE", 1.0)  # as long as Terraform is told to wait here
    ours = {name: verified(make(name)).terraform for name, make in TOGETHER[table].items()}
    theirs = terraform.init(tmp_path / "all", world.url, dict.fromkeys(ours, "1.0.0"))
    differ = {name: (ours[name], theirs.get(name, "")) for name in ours if not fits(ours[name], theirs.get(name, ""))}
    assert differ == {}


@pytest.mark.parametrize("name", faults.CRASH)
def test_terraform_falls_over_what_we_say(world, verified, tmp_path, name):
    ours = verified(faults.CRASH[name](name)).terraform
    theirs = terraform.init(tmp_path / "one", world.url, {name: "1.0.0"}).get(name, "")
    assert fits(ours, theirs), (ours, theirs)


def test_tables_are_long_enough():
    assert sum(map(len, (*TOGETHER.values(), faults.CRASH))) >= 140
