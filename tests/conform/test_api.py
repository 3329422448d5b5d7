"""Comparison of the API document with the tools that read it."""

from typing import Any

import pytest

from tests.conform.api import find_readable_operations

pytestmark = pytest.mark.any_database


def test_operation_that_schemathesis_cannot_read_is_left_out() -> None:
    operation: dict[str, Any] = {"responses": {"200": {"description": "OK"}}}
    unreadable_operation = operation | {"parameters": [{"$ref": "#/components/parameters/missing"}]}
    document = {
        "openapi": "3.0.3",
        "info": {"title": "Example", "version": "1"},
        "paths": {"/readable": {"get": operation}, "/unreadable": {"get": unreadable_operation}},
    }
    assert find_readable_operations(document) == {("get", "/readable")}
