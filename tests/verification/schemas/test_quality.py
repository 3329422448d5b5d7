"""Tests of the checks of descriptions and deprecations in schemas."""

import pytest

from verification.schemas.engine.quality import check_deprecation, check_descriptions
from verification.schemas.engine.types import Node, ParsedSchema, Resource


def build_schema(*nodes: Node) -> ParsedSchema:
    return ParsedSchema("acme/acme", Resource("provider", ()), {"acme_a": Resource("acme_a", nodes)})


@pytest.mark.parametrize(
    ("description", "message", "is_silent"),
    [
        ("", "", True),
        ("The name of the server.", "", True),
        ("Whether to use TLS.", "", True),
        ("The name of the server.", "Use title.", False),
        ("Deprecated: the name of the server.", "", False),
        ("Please use title instead.", "", False),
        ("Will be removed in 3.0.", "", False),
    ],
)
def test_deprecation_must_be_explained(description: str, message: str, is_silent: bool) -> None:
    node = Node("name", "string", deprecated=True, deprecation=message, description=description)
    assert list(check_deprecation(build_schema(node))) == [("resource acme_a: name", not is_silent)]


def test_timeouts_need_no_description() -> None:
    inside = (Node("create", "string", optional=True),)
    locations = check_descriptions(build_schema(Node("timeouts", "object", syntax="block", children=inside)))
    assert list(locations) == [("resource acme_a", False)]
