"""Tests that docs/reference/security.md names existing tests."""

import ast
import re

from tests.codebase.project_files import ROOT

PAGE = ROOT / "docs" / "reference" / "security.md"
TEST_PATTERN = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


def list_guarantees() -> list[str]:
    lines = PAGE.read_text().splitlines()
    return [line for line in lines if line.startswith("| ") and not line.startswith(("| --- |", "| Guarantee |"))]


def list_defined_tests(path: str) -> set[str]:
    file = ROOT / path
    tree = ast.parse(file.read_text()) if file.exists() else ast.Module([], [])
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def test_every_guarantee_names_a_test():
    assert [row for row in list_guarantees() if not TEST_PATTERN.search(row)] == []
    assert list_guarantees() != []


def test_every_named_test_exists():
    matches = TEST_PATTERN.findall(PAGE.read_text())
    assert [f"{path}::{test}" for path, test in matches if test not in list_defined_tests(path)] == []
    assert set(re.findall(r"`(tests/[^`]+::[^`]+)`", PAGE.read_text())) == {"::".join(pair) for pair in matches}
