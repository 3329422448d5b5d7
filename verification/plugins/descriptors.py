"""Protobuf message classes built from tables of fields by name, number and kind.

A field is written "name = number kind". "[kind]" is repeated, and "{kind}" is a map from names. "|" marks the fields of
which at most one is set. A kind is a scalar, a message of the same package, or the full name of a message. The classes
have their own pool, so messages of other libraries with the same names don't conflict.
"""

from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any, TypeAlias

from google.protobuf import descriptor_pb2, descriptor_pool

# A message of a class built at runtime, whose fields no type checker knows.
RuntimeMessage: TypeAlias = Any
MessageTable = Mapping[str, Mapping[str, str]]  # package: {message: fields, with "; " between them}

FIELD = descriptor_pb2.FieldDescriptorProto
SCALAR_TYPES = {
    "string": FIELD.TYPE_STRING,
    "bool": FIELD.TYPE_BOOL,
    "bytes": FIELD.TYPE_BYTES,
    "int32": FIELD.TYPE_INT32,
    "int64": FIELD.TYPE_INT64,
    "uint64": FIELD.TYPE_UINT64,
    "double": FIELD.TYPE_DOUBLE,
}


def build_pool(table: MessageTable, dependencies: Sequence[ModuleType] = ()) -> descriptor_pool.DescriptorPool:
    """Return the messages of a table, in which a package follows those that it names.

    Args:
        dependencies: Modules of protobuf itself.
    """
    pool = descriptor_pool.DescriptorPool()
    for module in dependencies:
        pool.AddSerializedFile(module.DESCRIPTOR.serialized_pb)
    dependency_names = [module.DESCRIPTOR.name for module in dependencies]
    for package, messages in table.items():
        file_descriptor = descriptor_pb2.FileDescriptorProto(name=f"{package}.proto", package=package, syntax="proto3")
        file_descriptor.dependency.extend(dependency_names)
        for name, fields in messages.items():
            _add_fields(file_descriptor.message_type.add(name=name), package, fields)
        pool.Add(file_descriptor)
        dependency_names.append(file_descriptor.name)
    return pool


def _add_fields(descriptor: descriptor_pb2.DescriptorProto, package: str, fields: str) -> None:
    for definition in filter(None, (part.strip() for part in fields.split(";"))):
        name, _, number, kind = definition.split()
        field = descriptor.field.add(name=name.lstrip("|"), number=int(number), label=FIELD.LABEL_OPTIONAL)
        if name.startswith("|"):
            if not descriptor.oneof_decl:
                descriptor.oneof_decl.add(name="one")
            field.oneof_index = 0
        if kind[0] in "[{":
            field.label = FIELD.LABEL_REPEATED
        if kind[0] == "{":
            kind = _add_map_entry(descriptor, f".{package}.{descriptor.name}", field.name, kind, package)
        _set_field_type(field, kind.strip("[]"), package)


def _add_map_entry(
    descriptor: descriptor_pb2.DescriptorProto, parent_name: str, name: str, kind: str, package: str
) -> str:
    """Add the entry of a map, which protobuf writes as a list of entries, and return the entry's full name."""
    entry = descriptor.nested_type.add(name="".join(part.capitalize() for part in name.split("_")) + "Entry")
    entry.options.map_entry = True
    entry.field.add(name="key", number=1, type=FIELD.TYPE_STRING, label=FIELD.LABEL_OPTIONAL)
    _set_field_type(entry.field.add(name="value", number=2, label=FIELD.LABEL_OPTIONAL), kind.strip("{}"), package)
    return f"{parent_name}.{entry.name}"


def _set_field_type(field: descriptor_pb2.FieldDescriptorProto, kind: str, package: str) -> None:
    if kind in SCALAR_TYPES:
        field.type = SCALAR_TYPES[kind]
        return
    field.type = FIELD.TYPE_MESSAGE
    field.type_name = kind if kind.startswith(".") else f".{kind}" if "." in kind else f".{package}.{kind}"
