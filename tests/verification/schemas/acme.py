"""Small provider with one of everything, as `terraform providers schema -json` prints its schema."""

import json
from typing import Any

SOURCE = "registry.terraform.io/acme/acme"


def attribute(kind: Any, *flags: str, **more: Any) -> dict[str, Any]:
    return {"type": kind, "description_kind": "plain", **dict.fromkeys(flags, True), **more}


def build_nested_type(mode: str, attributes: dict[str, Any], *flags: str) -> dict[str, Any]:
    return {"nested_type": {"nesting_mode": mode, "attributes": attributes}, **dict.fromkeys(flags, True)}


def block(mode: str, attributes: dict[str, Any], least: int = 0, most: int = 0, **blocks: Any) -> dict[str, Any]:
    block_type: dict[str, Any] = {"nesting_mode": mode, "block": {"attributes": attributes, "block_types": blocks}}
    return block_type | ({"min_items": least} if least else {}) | ({"max_items": most} if most else {})


SERVER = {
    "attributes": {
        "id": attribute("string", "optional", "computed", description="The ID of this resource."),
        "name": attribute("string", "required", description="Name of the server. Terraform needs it. Short."),
        "name_prefix": attribute("string", "optional"),
        "address": attribute("string", "required"),
        "namespace": attribute("string", "required"),
        "size": attribute("number", "optional", "computed"),
        "is_public": attribute("bool", "optional"),
        "ipv4_address": attribute("string", "computed"),
        "zones": attribute(["set", "string"], "optional"),
        "tags": attribute(["map", "string"], "optional"),
        "matrix": attribute(["list", ["list", "number"]], "optional"),
        "extra": attribute("dynamic", "optional"),
        "root_password": attribute("string", "required", "sensitive"),
        "api_tokens": attribute(["list", "string"], "optional", "sensitive"),
        "env_secrets": attribute(["map", "string"], "optional", "sensitive"),
        "connection_url": attribute("string", "computed", "sensitive"),
        "events": attribute(["list", ["object", {"at": "string", "what": "string"}]], "computed"),
        "limits": build_nested_type("single", {"cpu": attribute("number", "required")}, "optional"),
        "owner": build_nested_type("single", {"email": attribute("string", "computed")}, "computed"),
        "labels": build_nested_type("map", {"value": attribute("string", "required")}, "optional"),
    },
    "block_types": {
        "disk": block(
            "list",
            {
                "size": attribute("number", "required"),
                "serial": attribute("string", "computed"),
                "key": attribute("string", "required", "sensitive"),
            },
            most=1,
            timeouts=block("single", {"create": attribute("string", "optional")}),
        ),
        "rule": block("set", {"port": attribute("number", "required")}, least=1),
        "placement": block("single", {"rack": attribute("string", "required")}),
        "timeouts": block("single", {"create": attribute("string", "optional")}),
    },
}

SCHEMA: dict[str, Any] = {
    "format_version": "1.0",
    "provider_schemas": {
        SOURCE: {
            "provider": {
                "version": 0,
                "block": {"attributes": {"token": attribute("string", "optional", "sensitive")}},
            },
            "resource_schemas": {
                "acme_compute_server": {"version": 1, "block": SERVER},
                "acme_key": {"version": 0, "block": {"attributes": {"id": attribute("string", "computed")}}},
                "acme_user_role": {"version": 0, "block": {"attributes": {"role": attribute("string", "required")}}},
                "acme_user_roles": {"version": 0, "block": {"attributes": {"all": attribute("bool", "optional")}}},
                "acme_odd_pair": {
                    "version": 0,
                    "block": {"attributes": {"both": attribute(["tuple", ["string", "number"]], "optional")}},
                },
                "acme_odd_pin": {
                    "version": 0,
                    "block": {"attributes": {"pin": attribute("number", "required", "sensitive")}},
                },
            },
            "data_source_schemas": {
                "acme_zone": {"version": 0, "block": {"attributes": {"name": attribute("string", "required")}}},
            },
        }
    },
}


def encode_schema(schema: dict[str, Any] | None = None) -> bytes:
    return json.dumps(schema or SCHEMA).encode()


def encode_newer_schema() -> bytes:
    data = json.loads(encode_schema(SCHEMA))
    del data["provider_schemas"][SOURCE]["resource_schemas"]["acme_key"]
    return encode_schema(data)
