"""Tests of paths and hosts that the project must not contain."""

import re

from tests.house.source import files, name

BINARY = {".png", ".jpg", ".gif", ".ico", ".woff2", ".gz", ".zip", ".webp"}
MACHINE = re.compile(r"(?<![\w./:-])/(?:root|work|Users)/\w|/home/\w+/")
PLACES = re.compile(r"https?://(?:[\w.-]+\.)?(?:pypi\.org|pythonhosted\.org|registry\.npmjs\.org|npmjs\.com)")


def texts():
    mine = ("tests/house/", "LICENSE")
    for path in files():
        if path.suffix not in BINARY and not name(path).startswith(mine) and "/node_modules/" not in name(path):
            yield name(path), path.read_text(errors="replace")


def test_no_file_contains_a_path_of_one_machine():
    assert [path for path, text in texts() if MACHINE.search(text)] == []


def test_no_file_names_a_package_registry():
    assert [path for path, text in texts() if PLACES.search(text)] == []
