"""Tests of what the distribution portal-preflight contains and requires."""

import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.codebase.project_files import ROOT
from tests.verification.preflight.distribution import (
    METADATA,
    PROJECT,
    build_wheel,
    list_imports,
    list_required_packages,
    list_strings,
    read_files,
    read_modules,
)

PORTAL = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
SOURCE_MODULE_PATTERN = re.compile(r"(portal|integrations|verification)(\.[a-z_]+)+")
SDIST_SCRIPT = "import sys, backend; print(backend.build_sdist(sys.argv[1]))"


def test_wheel_has_one_package_and_one_command(preflight_wheel):
    files = read_files(preflight_wheel)
    metadata = f"portal_preflight-{METADATA['version']}.dist-info"
    assert sorted({name.partition("/")[0] for name in files}) == ["portal_preflight", metadata]
    commands = files[f"{metadata}/entry_points.txt"].decode().split()
    assert commands == ["[console_scripts]", "portal-preflight=portal_preflight.verification.preflight.cli:main"]
    assert {f"{metadata}/licenses/LICENSE", f"{metadata}/licenses/NOTICE"} <= set(files)


def test_modules_of_the_wheel_differ_from_their_sources_only_in_imports(preflight_wheel):
    """Only imports differ, and no module stays behind that the portal has for its database or pages."""
    for name, content in read_files(preflight_wheel).items():
        source = ROOT / name.removeprefix("portal_preflight/")
        if not source.is_file() or (name.endswith("__init__.py") and not content):
            continue
        pairs = zip(source.read_bytes().splitlines(), content.splitlines(), strict=True)
        changes = [(before, after) for before, after in pairs if before != after]
        assert [(before, after) for before, after in changes if not before.lstrip().startswith(b"from ")] == []
    packages = {name.split("/")[2] for name in read_files(preflight_wheel) if name.count("/") > 2}
    assert packages & {"models", "views", "migrations", "management", "templates"} == set()


def test_modules_refer_to_no_package_of_the_repository(preflight_wheel):
    trees = read_modules(preflight_wheel)
    names = {name for tree in trees.values() for name in (*list_imports(tree), *list_strings(tree))}
    assert {name for name in names if SOURCE_MODULE_PATTERN.fullmatch(name) or name.startswith("django.")} == set()


def test_dependencies_are_the_packages_that_the_modules_import(preflight_wheel):
    """Each comes with the portal's own range, and nothing is listed that no module imports."""
    imports = {name.partition(".")[0] for tree in read_modules(preflight_wheel).values() for name in list_imports(tree)}
    third_party = imports - set(sys.stdlib_module_names) - {"portal_preflight"}
    distributions = packages_distributions()
    imported_packages = {
        canonicalize_name(distribution) for module in third_party for distribution in distributions[module]
    }
    declared_packages = {canonicalize_name(Requirement(line).name) for line in METADATA["dependencies"]}
    assert declared_packages - imported_packages == set()
    assert imported_packages - list_required_packages(METADATA["dependencies"]) == set()
    assert set(METADATA["dependencies"]) - set(PORTAL["dependencies"]) == set()
    assert [METADATA[key] for key in ("version", "license", "requires-python")] == [
        PORTAL[key] for key in ("version", "license", "requires-python")
    ]


def test_source_archive_builds_the_same_wheel(preflight_wheel, tmp_path):
    command = [sys.executable, "-c", SDIST_SCRIPT, tmp_path]
    process = subprocess.run(command, env={"PYTHONPATH": str(PROJECT)}, capture_output=True, text=True)
    assert process.returncode == 0, process.stderr
    subprocess.run([sys.executable, "-m", "tarfile", "-e", process.stdout.strip()], cwd=tmp_path, check=True)
    (project,) = tmp_path.glob("portal_preflight-*/")
    assert read_files(build_wheel(project, tmp_path / "wheel")) == read_files(preflight_wheel)
