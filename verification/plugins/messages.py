"""Schema messages of the Terraform plugin protocols 5 and 6.

Names and numbers are of the published protocol. What a schema does not tell is left out.
"""

from functools import cache

import grpc
from google.protobuf.descriptor_pool import DescriptorPool

from verification.plugins import descriptors
from verification.plugins.descriptors import RuntimeMessage

METHOD_BY_VERSION = {5: "GetSchema", 6: "GetProviderSchema"}
WRITE_ONLY_FIELD_NUMBERS = {5: 10, 6: 11}

# an enumeration travels as a number, and is one here
SHARED_MESSAGES = {
    "Schema": "version = 1 int64; block = 2 Block",
    "Block": "version = 1 int64; attributes = 2 [Attribute]; block_types = 3 [NestedBlock]; description = 4 string; "
    "description_kind = 5 int32; deprecated = 6 bool",
    "NestedBlock": "type_name = 1 string; block = 2 Block; nesting = 3 int32; min_items = 4 int64; max_items = 5 int64",
    "Function": "parameters = 1 [Parameter]; variadic_parameter = 2 Parameter; return = 3 Return; summary = 4 string; "
    "description = 5 string; description_kind = 6 int32; deprecation_message = 7 string",
    "Parameter": "name = 1 string; type = 2 bytes; allow_null_value = 3 bool; allow_unknown_values = 4 bool; "
    "description = 5 string; description_kind = 6 int32",
    "Return": "type = 1 bytes",
    "Diagnostic": "severity = 1 int32; summary = 2 string; detail = 3 string",
    "Request": "",
    "Response": "provider = 1 Schema; resource_schemas = 2 {Schema}; data_source_schemas = 3 {Schema}; "
    "diagnostics = 4 [Diagnostic]; functions = 7 {Function}; ephemeral_resource_schemas = 8 {Schema}",
}
ATTRIBUTE_FIELDS = (
    "name = 1 string; type = 2 bytes; description = 3 string; required = 4 bool; optional = 5 bool; "
    "computed = 6 bool; sensitive = 7 bool; description_kind = 8 int32; deprecated = 9 bool"
)
MESSAGE_TABLE = {
    "tfplugin5": SHARED_MESSAGES
    | {"Attribute": f"{ATTRIBUTE_FIELDS}; write_only = {WRITE_ONLY_FIELD_NUMBERS[5]} bool"},
    "tfplugin6": SHARED_MESSAGES
    | {
        "Attribute": f"{ATTRIBUTE_FIELDS}; nested_type = 10 Object; write_only = {WRITE_ONLY_FIELD_NUMBERS[6]} bool",
        "Object": "attributes = 1 [Attribute]; nesting = 3 int32",
    },
}


@cache
def _get_pool() -> DescriptorPool:
    return descriptors.build_pool(MESSAGE_TABLE)


def get_message_class(version: int, name: str) -> RuntimeMessage:
    """The class of a message of a protocol, as "Response"."""
    return descriptors.get_message_class(_get_pool(), f"tfplugin{version}.{name}")


def fetch_schema(channel: grpc.Channel, version: int, timeout_seconds: float) -> RuntimeMessage:
    """What the provider says to the question for its schema. Raises grpc.RpcError."""
    request, response = get_message_class(version, "Request"), get_message_class(version, "Response")
    path = f"/tfplugin{version}.Provider/{METHOD_BY_VERSION[version]}"
    call = channel.unary_unary(
        path, request_serializer=request.SerializeToString, response_deserializer=response.FromString
    )
    return call(request(), timeout=timeout_seconds)
