"""Builders and readers of definitions for the tests of the CRD preview."""

from typing import Any

from tests.verification.schemas.acme import encode_schema
from verification.schemas.crossplane.crd import build_definition
from verification.schemas.crossplane.options import parse_choices
from verification.schemas.engine.parsing import parse_schema


def build_crd(resource: str = "acme_compute_server", *, is_namespaced: bool = True, **more: Any) -> dict[str, Any]:
    schema = parse_schema(encode_schema())
    return build_definition(schema.resources[resource], parse_choices("acme", **more), is_namespaced=is_namespaced)


def strip_descriptions(schema: Any) -> Any:
    """Return the schema without its descriptions."""
    if isinstance(schema, list):
        return [strip_descriptions(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    stripped_schema = {
        key: strip_descriptions(one) for key, one in schema.items() if key != "description" or not isinstance(one, str)
    }
    if "properties" in schema:
        stripped_schema["properties"] = {key: strip_descriptions(one) for key, one in schema["properties"].items()}
    return stripped_schema


def get_views(one: dict[str, Any]) -> dict[str, Any]:
    top = strip_descriptions(one["spec"]["versions"][0]["schema"]["openAPIV3Schema"])["properties"]
    spec = top["spec"]["properties"]
    return {
        "forProvider": spec["forProvider"],
        "initProvider": spec["initProvider"],
        "atProvider": top["status"]["properties"]["atProvider"],
    }


def get_rules(one: dict[str, Any]) -> dict[str, str]:
    spec = one["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
    return {rule["message"]: rule["rule"] for rule in spec.get("x-kubernetes-validations", [])}


POLICY = {
    "type": "object",
    "properties": {
        "resolution": {"type": "string", "default": "Required", "enum": ["Required", "Optional"]},
        "resolve": {"type": "string", "enum": ["Always", "IfNotPresent"]},
    },
}
