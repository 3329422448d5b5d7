"""Does the project speak of itself alone, and in its own words?"""

import ast
import re

from tests.house.source import files, name

BINARY = {".png", ".jpg", ".gif", ".ico", ".woff2", ".gz", ".zip", ".webp"}
MACHINE = re.compile(r"(?<![\w./:-])/(?:root|work|Users)/\w|/home/\w+/")
PLACES = re.compile(r"https?://(?:[\w.-]+\.)?(?:pypi\.org|pythonhosted\.org|registry\.npmjs\.org|npmjs\.com)")
FORBIDDEN = re.compile(r"\b(invalid|illegal|error 500)\b", re.IGNORECASE)
NOUN = re.compile(r"\b(?:a|the|this|its|your|open-source) license\b")  # the noun is "licence" here


def texts():
    mine = ("tests/house/", "LICENSE")
    for path in files():
        if path.suffix not in BINARY and not name(path).startswith(mine) and "/node_modules/" not in name(path):
            yield name(path), path.read_text(errors="replace")


def is_doc(node):
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def strings(source):
    """The strings of a module that a person may get to read: no docstrings, no single words."""
    nodes = list(ast.walk(ast.parse(source)))
    docs = {id(node.value) for node in nodes if is_doc(node)}
    texts = [node for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return [node.value for node in texts if " " in node.value and id(node) not in docs]


def test_no_file_names_a_place_of_one_machine():
    assert [path for path, text in texts() if MACHINE.search(text)] == []


def test_no_file_names_a_package_registry():
    assert [path for path, text in texts() if PLACES.search(text)] == []


def test_sentences_blame_nobody():
    found = {
        f"{path}: {string}"
        for path, text in texts()
        if path.endswith(".py") and not path.startswith("tests/")
        for string in strings(text)
        if FORBIDDEN.search(string)
    }
    assert found == set()


def test_the_noun_is_licence():
    ours = ("templates/", "docs/", "README", "integrations/", "portal/", "verification/")
    theirs = "verification/licences/texts/"  # other people's words, kept as they are
    found = [path for path, text in texts() if path.startswith(ours) and NOUN.search(text)]
    assert [path for path in found if not path.startswith(theirs)] == []
