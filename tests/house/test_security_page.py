"""Tests that docs/reference/security.md names existing tests."""

import ast
import re

from tests.house.source import ROOT

PAGE = ROOT / "docs" / "reference" / "security.md"
TEST = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


def rows() -> list[str]:
    lines = PAGE.read_text().splitlines()
    return [line for line in lines if line.startswith("| ") and not line.startswith(("| --- |", "| Guarantee |"))]


def defined_tests(path: str) -> set[str]:
    file = ROOT / path
    tree = ast.parse(file.read_text()) if file.exists() else ast.Module([], [])
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def test_every_guarantee_names_a_test():
    assert [row for row in rows() if not TEST.search(row)] == []
    assert rows() != []


def test_every_named_test_exists():
    matches = TEST.findall(PAGE.read_text())
    assert [f"{path}::{test}" for path, test in matches if test not in defined_tests(path)] == []
    assert set(re.findall(r"`(tests/[^`]+::[^`]+)`", PAGE.read_text())) == {"::".join(pair) for pair in matches}
