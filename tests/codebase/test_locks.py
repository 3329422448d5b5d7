"""Tests that the lock files match the installed packages, with hashes and without addresses."""

import re
import tomllib

from tests.codebase.project_files import ROOT

PIN_PATTERN = re.compile(r"^([a-z0-9.-]+)==([^ ;\\]+)", re.MULTILINE)
RUNTIME_LOCK = (ROOT / "requirements.lock").read_text()
EMBEDDED_LOCK = (ROOT / "requirements-embedded.lock").read_text()
DEVELOPMENT_LOCK = (ROOT / "requirements-dev.lock").read_text()
INSTALLER_LOCK = (ROOT / "requirements-uv.lock").read_text()
LOCKS = (RUNTIME_LOCK, EMBEDDED_LOCK, DEVELOPMENT_LOCK, INSTALLER_LOCK)


def parse_pins(lock):
    """Return (package, version); several per package if versions differ by Python."""
    return PIN_PATTERN.findall(lock)


def list_packages(lock):
    return {package for package, _ in parse_pins(lock)}


def list_required_names(requirements):
    """Return the names in requirement lines, spelled as in the lock files."""
    return {re.split(r"[^A-Za-z0-9._-]", line)[0].lower().replace("_", "-").replace(".", "-") for line in requirements}


def test_locks_contain_no_urls():
    assert not [line for line in "".join(LOCKS).splitlines() if "://" in line or "@" in line]


def test_every_pin_has_a_hash():
    for lock in LOCKS:
        blocks = re.split(r"\n(?=[a-z])", lock.strip())
        assert len(blocks) == len(parse_pins(lock))
        assert [block for block in blocks if "--hash=sha256:" not in block] == []


def test_tested_and_deployed_versions_are_equal():
    assert set(parse_pins(RUNTIME_LOCK)) - set(parse_pins(EMBEDDED_LOCK)) == set()
    assert set(parse_pins(EMBEDDED_LOCK)) - set(parse_pins(DEVELOPMENT_LOCK)) == set()


def test_locks_contain_all_requirements_of_the_project():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert list_required_names(project["project"]["dependencies"]) - list_packages(RUNTIME_LOCK) == set()
    assert (
        list_required_names(project["project"]["optional-dependencies"]["embedded"]) - list_packages(EMBEDDED_LOCK)
        == set()
    )
    assert list_required_names(project["dependency-groups"]["dev"]) - list_packages(DEVELOPMENT_LOCK) == set()
    assert list_required_names(project["dependency-groups"]["install"]) == list_packages(INSTALLER_LOCK)
