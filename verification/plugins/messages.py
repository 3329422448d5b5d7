"""Which messages does a Terraform provider answer with? Protocols 5 and 6, as published, with what came later.

The package that brings the protocol ends with 5.5 and 6.5; newer fields that a schema tells of are added here, by the
numbers that the published protocol gives them, so that nothing of a schema is lost.
"""

from functools import cache
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from tfplugin_proto import tfplugin5_5_pb2, tfplugin6_5_pb2

BASE = {5: tfplugin5_5_pb2, 6: tfplugin6_5_pb2}
METHOD = {5: "GetSchema", 6: "GetProviderSchema"}
WRITE_ONLY = {5: 10, 6: 11}
FIELD = descriptor_pb2.FieldDescriptorProto
MAPS = {"ephemeral_resource_schemas": 8}


@cache
def _package(version: int) -> descriptor_pool.DescriptorPool:
    found = descriptor_pb2.FileDescriptorProto()
    BASE[version].DESCRIPTOR.CopyToProto(found)
    del found.service[:]
    by_name = {message.name: message for message in found.message_type}
    attribute = next(one for one in by_name["Schema"].nested_type if one.name == "Attribute")
    attribute.field.add(name="write_only", number=WRITE_ONLY[version], type=FIELD.TYPE_BOOL, label=FIELD.LABEL_OPTIONAL)
    response = next(one for one in by_name["GetProviderSchema"].nested_type if one.name == "Response")
    for name, number in MAPS.items():
        _map(response, name, number, f".tfplugin{version}")
    pool = descriptor_pool.DescriptorPool()
    for dependency in BASE[version].DESCRIPTOR.dependencies:
        pool.AddSerializedFile(dependency.serialized_pb)
    pool.Add(found)
    return pool


def _map(message: Any, name: str, number: int, package: str) -> None:
    """A map from names to schemas, as protobuf writes maps: a list of entries."""
    entry_name = "".join(part.capitalize() for part in name.split("_")) + "Entry"
    entry = message.nested_type.add(name=entry_name)
    entry.options.map_entry = True
    optional = FIELD.LABEL_OPTIONAL
    entry.field.add(name="key", number=1, type=FIELD.TYPE_STRING, label=optional)
    entry.field.add(name="value", number=2, type=FIELD.TYPE_MESSAGE, label=optional, type_name=f"{package}.Schema")
    place = f"{package}.GetProviderSchema.Response.{entry_name}"
    message.field.add(name=name, number=number, type=FIELD.TYPE_MESSAGE, label=FIELD.LABEL_REPEATED, type_name=place)


def message(version: int, name: str) -> Any:
    """The class of a message, as "GetProviderSchema.Response"."""
    return message_factory.GetMessageClass(_package(version).FindMessageTypeByName(f"tfplugin{version}.{name}"))


def schema_of(channel: Any, version: int, seconds: float) -> Any:
    """What the provider says to the question for its schema. Raises grpc.RpcError."""
    request, response = message(version, "GetProviderSchema.Request"), message(version, "GetProviderSchema.Response")
    path = f"/tfplugin{version}.Provider/{METHOD[version]}"
    ask = channel.unary_unary(
        path, request_serializer=request.SerializeToString, response_deserializer=response.FromString
    )
    return ask(request(), timeout=seconds)
