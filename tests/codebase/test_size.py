"""Tests of the size of files, functions, and lines."""

import ast

from tests.codebase.project_files import list_files, list_template_files, relative_name

MAX_LINE_LENGTH = 120  # of a line; ruff checks it in Python
MAX_LINES = 300
MAX_FUNCTION_LINES = 40


def list_modules():
    return [
        path
        for path in list_files("*.py")
        if "/migrations/" not in relative_name(path) and "tests/" not in relative_name(path)
    ]


def measure_functions(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno is not None
            yield node.name, node.end_lineno - node.lineno + 1


def test_modules_are_short():
    long = {relative_name(path) for path in list_modules() if len(path.read_text().splitlines()) > MAX_LINES}
    assert long == set()


def test_test_modules_are_short():
    tests = (path for path in list_files("*.py") if "tests/" in relative_name(path))
    assert {relative_name(path) for path in tests if len(path.read_text().splitlines()) > MAX_LINES} == set()


def test_functions_are_short():
    long = {
        f"{relative_name(path)}::{function}": lines
        for path in list_modules()
        for function, lines in measure_functions(path)
        if lines > MAX_FUNCTION_LINES
    }
    assert long == {}


def test_template_lines_are_short():
    long_lines = {
        f"{relative_name(path)}:{number}": len(line)
        for path in list_template_files()
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if len(line) > MAX_LINE_LENGTH
    }
    assert long_lines == {}


def test_modules_have_docstrings():
    sources = {relative_name(path): path.read_text() for path in list_modules()}
    assert [path for path, text in sources.items() if text.strip() and not ast.get_docstring(ast.parse(text))] == []
