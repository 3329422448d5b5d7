"""Values of the server of the small provider, and converters for them with different generator options."""

from typing import Any

from hypothesis import strategies as st

from tests.verification.schemas.acme import encode_schema
from verification.schemas.crossplane.managed_resource import ManagedResourceCodec
from verification.schemas.crossplane.options import parse_choices
from verification.schemas.engine.parsing import parse_schema
from verification.schemas.engine.types import Node

SERVER = parse_schema(encode_schema()).resources["acme_compute_server"]
ARRAYS = ManagedResourceCodec(SERVER, parse_choices("acme"))
OBJECTS = ManagedResourceCodec(SERVER, parse_choices("acme", singletons="object", single_blocks="object"))
NAMED_CODEC = ManagedResourceCodec(SERVER, parse_choices("acme", external=("NAME_AS_IDENTIFIER",)))
TEMPLATE = "TEMPLATED_STRING_AS_IDENTIFIER:name:a/{{ .external_name }}"
CODECS = {
    "arrays": ARRAYS,
    "objects": OBJECTS,
    "name": NAMED_CODEC,
    "parameter": ManagedResourceCodec(SERVER, parse_choices("acme", external=("PARAMETER_AS_IDENTIFIER:address",))),
    "nested": ManagedResourceCodec(SERVER, parse_choices("acme", computed_nested="parameter")),
    "templated": ManagedResourceCodec(SERVER, parse_choices("acme", external=(TEMPLATE,))),
}
TEXT = st.text(max_size=4)
SCALARS = {
    "string": TEXT,
    "number": st.integers() | st.floats(allow_nan=False, allow_infinity=False),
    "bool": st.booleans(),
    "dynamic": st.none() | TEXT,
}


def build_values(node: Node) -> st.SearchStrategy[Any]:
    """Return a strategy for the values of a node that a provider can report. Repeated blocks are never null."""
    one = _build_element(node)
    if node.kind == "map":
        one = st.dictionaries(TEXT, one, max_size=2)
    elif node.kind in ("list", "set"):
        least = 1 if node.sensitive else node.min_items
        one = st.lists(one, min_size=least, max_size=node.max_items or 2)
        if node.syntax == "block":
            return one
    return one | st.none()


def _build_element(node: Node) -> st.SearchStrategy[Any]:
    if node.children is not None:
        return st.fixed_dictionaries({child.name: build_values(child) for child in node.children})
    if node.elem is not None:
        element = _build_element(node.elem)
        return element if node.elem.kind in SCALARS else st.lists(element, max_size=2)
    return SCALARS[node.kind]


ANY = st.fixed_dictionaries({node.name: build_values(node) for node in SERVER.nodes})
VALUE: dict[str, Any] = {
    "id": "srv-7",
    "name": "web",
    "name_prefix": None,
    "address": "10.0.0.7",
    "namespace": "prod",
    "size": 2,
    "is_public": False,
    "ipv4_address": "192.0.2.7",
    "zones": ["a", "b"],
    "tags": {"team": "x"},
    "matrix": None,
    "extra": None,
    "root_password": "hunter2",
    "api_tokens": ["t1", "t2"],
    "env_secrets": {"A": "1"},
    "connection_url": "psql://u:p@h",
    "events": [{"at": "now", "what": "boot"}],
    "limits": {"cpu": 4},
    "owner": {"email": "o@example.com"},
    "labels": None,
    "disk": [{"size": 10, "serial": "S1", "key": "k", "timeouts": None}],
    "rule": [{"port": 22}, {"port": 80}],
    "placement": {"rack": "r1"},
    "timeouts": {"create": "9m"},
}
