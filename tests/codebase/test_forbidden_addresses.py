"""Tests of paths and hosts that the project must not contain."""

import re

from tests.codebase.project_files import list_files, relative_name

BINARY_SUFFIXES = {".png", ".jpg", ".gif", ".ico", ".woff2", ".gz", ".zip", ".webp"}
MACHINE_PATH_PATTERN = re.compile(r"(?<![\w./:-])/(?:root|work|Users)/\w|/home/\w+/")
PACKAGE_REGISTRY_PATTERN = re.compile(
    r"https?://(?:[\w.-]+\.)?(?:pypi\.org|pythonhosted\.org|registry\.npmjs\.org|npmjs\.com)"
)


def list_texts():
    excluded = ("tests/codebase/", "LICENSE")
    for path in list_files():
        if (
            path.suffix not in BINARY_SUFFIXES
            and not relative_name(path).startswith(excluded)
            and "/node_modules/" not in relative_name(path)
        ):
            yield relative_name(path), path.read_text(errors="replace")


def test_no_file_contains_a_path_of_one_machine():
    assert [path for path, text in list_texts() if MACHINE_PATH_PATTERN.search(text)] == []


def test_no_file_names_a_package_registry():
    assert [path for path, text in list_texts() if PACKAGE_REGISTRY_PATTERN.search(text)] == []
