"""Tests of the size of files, functions, and lines."""

import ast

from tests.house.source import files, name, template_files

MAX_CHARACTERS = 120  # of a line; ruff checks it in Python
MAX_LINES = 300
MAX_FUNCTION_LINES = 40


def list_modules():
    return [path for path in files("*.py") if "/migrations/" not in name(path) and "tests/" not in name(path)]


def functions(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno is not None
            yield node.name, node.end_lineno - node.lineno + 1


def test_files_are_short():
    long = {name(path) for path in list_modules() if len(path.read_text().splitlines()) > MAX_LINES}
    assert long == set()


def test_test_files_are_short():
    tests = (path for path in files("*.py") if "tests/" in name(path))
    assert {name(path) for path in tests if len(path.read_text().splitlines()) > MAX_LINES} == set()


def test_functions_are_short():
    long = {
        f"{name(path)}::{function}": lines
        for path in list_modules()
        for function, lines in functions(path)
        if lines > MAX_FUNCTION_LINES
    }
    assert long == {}


def test_template_lines_are_short():
    long_lines = {
        f"{name(path)}:{number}": len(line)
        for path in template_files()
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if len(line) > MAX_CHARACTERS
    }
    assert long_lines == {}


def test_modules_have_docstrings():
    sources = {name(path): path.read_text() for path in list_modules()}
    assert [path for path, text in sources.items() if text.strip() and not ast.get_docstring(ast.parse(text))] == []
