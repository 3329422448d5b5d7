"""Tests of the installed preflight package."""

import contextlib
import re
import subprocess
import sys
import tomllib
from fnmatch import fnmatch
from importlib import import_module
from importlib.metadata import PackageNotFoundError, requires

from tests.house.source import ROOT, files, name

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
SETUPTOOLS = PYPROJECT["tool"]["setuptools"]
# docs/how-to/run-preflight.md names these for a machine that runs preflight and nothing else; the rest comes with them
REQUIRED_PACKAGES = {"django", "faker", "licenseclassifier", "pydantic", "PyGithub", "pysequoia", "PyYAML", "wordfreq"}
LOADED_MODULES_SCRIPT = """
import sys
from importlib.metadata import packages_distributions
from verification.licenses.dictionaries import function_words
from verification.preflight.cli import main
function_words("LATIN")
homes = packages_distributions()
print(*sorted({home for module in {m.split(".")[0] for m in sys.modules} for home in homes.get(module, ())}))
"""


def test_command_is_what_the_project_names():
    module, _, function = PYPROJECT["project"]["scripts"]["portal-preflight"].partition(":")
    assert callable(getattr(import_module(module), function))


def test_every_file_that_the_code_reads_is_packed():
    """What is no Python in the packages of preflight fits a pattern of the package's data."""
    data = {
        f"{package.replace('.', '/')}/{pattern}"
        for package, patterns in SETUPTOOLS["package-data"].items()
        for pattern in patterns
    }
    read = [name(path) for path in files("verification", "integrations") if path.suffix not in {".py", ".md"}]
    assert [path for path in read if not any(fnmatch(path, pattern) for pattern in data)] == []


def test_documented_packages_are_enough(tmp_path):
    """Preflight loads only the packages that docs/how-to/run-preflight.md names, and what those require."""
    process = subprocess.run(
        [sys.executable, "-c", LOADED_MODULES_SCRIPT],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert process.returncode == 0, process.stderr
    loaded_packages = {plain(package) for package in process.stdout.split()}
    assert loaded_packages >= set(map(plain, REQUIRED_PACKAGES))
    assert loaded_packages - with_their_own(REQUIRED_PACKAGES) == set()
    page = (ROOT / "docs" / "how-to" / "run-preflight.md").read_text()
    assert [package for package in REQUIRED_PACKAGES if package not in page] == []


def with_their_own(packages):
    """The packages and all that they ask for, extras included."""
    known_packages, open_ = set(), [plain(package) for package in packages]
    while open_:
        package = open_.pop()
        if package not in known_packages:
            known_packages.add(package)
            with contextlib.suppress(PackageNotFoundError):
                open_ += [plain(re.match(r"[\w.-]+", requirement)[0]) for requirement in requires(package) or ()]
    return known_packages


def plain(package):
    return re.sub(r"[-_.]+", "-", package).lower()
