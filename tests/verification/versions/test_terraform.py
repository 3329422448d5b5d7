"""The real Terraform is the judge of every constraint and version, where it is installed."""

import pytest

from tests.verification.releases import terraform
from tests.verification.releases.world import World
from tests.verification.versions.test_versions import NONE, PASS
from verification.versions import BadVersion, constraint, parse

pytestmark = pytest.mark.skipif(not terraform.available(), reason="Terraform is not installed")
OFFERED = ("0.4.9", "1.0.0", "1.2.0", "1.2.3-beta1", "1.2.3", "1.2.3+build", "1.2.4", "1.3.0-alpha", "2.0.0")
MORE = ("01.2.3", "1.2.3-", "~> 1.2-beta", ">= 1-beta", "= 1.2.3+build", "!= 1.2.3+build")
READ = ("1", "1.2", "01.2.3", "1.2.3-", "1.2.3-a..b", "1.2-beta", "1.2.3+")
NOT_READ = ("v1.2.3", "1.2.3.4", "1.2.x", "*", "", "-1", "1..2", " 1.2.3", "1.2.3 ", "1.2.3-a_b", "1.2.3-é")
UNMATCHED = "no available releases match"


@pytest.fixture(scope="module")
def world():
    world = World(None)
    yield world
    world.stop()


def offer(world, name, version):
    world.routes[f"/v1/providers/acme/{name}/versions"] = {"versions": [{"version": version, "protocols": ["5.0"]}]}


def test_constraints_let_pass_what_terraform_lets_pass(world, tmp_path):
    pairs = {f"c{c}v{v}": (text, version) for c, text in enumerate((*PASS, *MORE)) for v, version in enumerate(OFFERED)}
    for name, (_, version) in pairs.items():
        offer(world, name, version)
    said = terraform.init(tmp_path / "all", world.url, {name: text for name, (text, _) in pairs.items()})
    assert any(UNMATCHED in sentence for sentence in said.values())
    theirs = {pairs[name]: UNMATCHED not in said.get(name, "") for name in pairs}
    ours = {(text, version): constraint(text).lets_pass(parse(version)) for text, version in pairs.values()}
    assert ours == theirs


@pytest.mark.parametrize("text", NONE)
def test_what_is_no_constraint_is_none_for_terraform(world, tmp_path, text):
    offer(world, "one", "0.0.0-none")
    assert UNMATCHED not in terraform.init(tmp_path / "one", world.url, {"one": text}).get("one", "")


def test_versions_are_read_as_terraform_reads_them(world, tmp_path):
    for at, text in enumerate((*READ, *NOT_READ)):
        offer(world, f"v{at}", text)
    said = terraform.init(tmp_path / "all", world.url, {f"v{at}": ">= 100.0.0" for at in range(len(READ + NOT_READ))})
    theirs = [text for at, text in enumerate((*READ, *NOT_READ)) if UNMATCHED in said.get(f"v{at}", "")]
    assert theirs == list(READ)
    assert [text for text in (*READ, *NOT_READ) if is_version(text)] == theirs


def test_number_that_is_too_large_is_refused_before_terraform_falls_over_it(world, tmp_path):
    text = "9" * 20 + ".0.0"
    offer(world, "large", text)
    assert not is_version(text)
    assert terraform.init(tmp_path / "large", world.url, {"large": "> 1"})["large"].startswith("panic: ")


def is_version(text):
    try:
        parse(text)
    except BadVersion:
        return False
    return True
