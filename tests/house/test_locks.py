"""Tests that the lock files match the installed packages, with hashes and without addresses."""

import re
import tomllib

from tests.house.source import ROOT

PIN_PATTERN = re.compile(r"^([a-z0-9.-]+)==([^ ;\\]+)", re.MULTILINE)
RUNTIME = (ROOT / "requirements.lock").read_text()
EMBEDDED_LOCK = (ROOT / "requirements-embedded.lock").read_text()
DEVELOPMENT = (ROOT / "requirements-dev.lock").read_text()
INSTALLER = (ROOT / "requirements-uv.lock").read_text()
LOCKS = (RUNTIME, EMBEDDED_LOCK, DEVELOPMENT, INSTALLER)


def pins(lock):
    """Return (package, version); several per package if versions differ by Python."""
    return PIN_PATTERN.findall(lock)


def packages(lock):
    return {package for package, _ in pins(lock)}


def list_required_names(requirements):
    """Return the names in requirement lines, spelled as in the lock files."""
    return {re.split(r"[^A-Za-z0-9._-]", line)[0].lower().replace("_", "-").replace(".", "-") for line in requirements}


def test_locks_contain_no_urls():
    assert not [line for line in "".join(LOCKS).splitlines() if "://" in line or "@" in line]


def test_every_pin_has_a_hash():
    for lock in LOCKS:
        blocks = re.split(r"\n(?=[a-z])", lock.strip())
        assert len(blocks) == len(pins(lock))
        assert [block for block in blocks if "--hash=sha256:" not in block] == []


def test_tested_and_deployed_versions_are_equal():
    assert set(pins(RUNTIME)) - set(pins(EMBEDDED_LOCK)) == set()
    assert set(pins(EMBEDDED_LOCK)) - set(pins(DEVELOPMENT)) == set()


def test_locks_contain_all_requirements_of_the_project():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert list_required_names(project["project"]["dependencies"]) - packages(RUNTIME) == set()
    assert (
        list_required_names(project["project"]["optional-dependencies"]["embedded"]) - packages(EMBEDDED_LOCK) == set()
    )
    assert list_required_names(project["dependency-groups"]["dev"]) - packages(DEVELOPMENT) == set()
    assert list_required_names(project["dependency-groups"]["install"]) == packages(INSTALLER)
