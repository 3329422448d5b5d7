"""The OpenAPI document compared with what openapi-python-client and schemathesis make of it."""

import ast
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.conform.base import Disagreement, RunOptions, Suite, SuiteReport

REFERENCE = "openapi-python-client and schemathesis, both reading the API document"
METHODS = ("get", "put", "post", "patch", "delete")


def run(options: RunOptions) -> SuiteReport:
    """Compare the operations of the document with those that each tool offers."""
    from portal.api.v1.app import build_document
    from tests.portal.api.test_generated_client import generate_client

    document = build_document()
    operations = dict(list_operations(document))
    readable_operations = find_readable_operations(document)
    with tempfile.TemporaryDirectory() as folder:
        functions = set(list_functions(generate_client(Path(folder))))
    disagreements = [
        Disagreement(f"{method} {path}", "documented", "not read by schemathesis")
        for method, path in operations
        if (method, path) not in readable_operations
    ]
    disagreements += [
        Disagreement(name, "documented", "no function in the client")
        for name in operations.values()
        if name not in functions
    ]
    figures = (("Operations", str(len(operations))),)
    return SuiteReport(REFERENCE, 2 * len(operations), tuple(disagreements), figures=figures)


def list_operations(document: dict[str, Any]) -> Iterator[tuple[tuple[str, str], str]]:
    for path, item in document["paths"].items():
        for method in METHODS:
            if method in item:
                yield (method, path), item[method]["operationId"]


def find_readable_operations(document: dict[str, Any]) -> set[tuple[str, str]]:
    """Return the operations that schemathesis reads."""
    import schemathesis
    from schemathesis.core.result import Ok

    results = schemathesis.openapi.from_dict(document).get_all_operations()
    return {(each.ok().method.lower(), each.ok().path) for each in results if isinstance(each, Ok)}


def list_functions(package: Path) -> Iterator[str]:
    """Yield the operations that the generated client can call: its modules with a `sync_detailed` function."""
    for path in (package / "api").rglob("*.py"):
        tree = ast.parse(path.read_text())
        if any(isinstance(node, ast.FunctionDef) and node.name == "sync_detailed" for node in tree.body):
            yield path.stem


SUITE = Suite("api", "API document", run)
