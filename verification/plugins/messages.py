"""Messages and calls of the plugin protocols of Terraform and Nomad, as data/*.proto describe them.

The classes have their own pool, so messages of other libraries with the same names don't conflict.
bin/build-plugin-descriptors compiles the protocols.
"""

from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import grpc
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass

# A message of a class built at runtime, whose fields no type checker knows.
RuntimeMessage: TypeAlias = Any
DESCRIPTORS_PATH = Path(__file__).parent / "data" / "plugins.binpb"
BASE = "hashicorp.nomad.plugins.base.proto.BasePlugin"
DRIVER = "hashicorp.nomad.plugins.drivers.proto.Driver"
DEVICE = "hashicorp.nomad.plugins.device.DevicePlugin"
SPEC = "hashicorp.nomad.plugins.shared.hclspec"
API_VERSION = "v0.1.0"  # of Nomad's plugins
PLUGIN_TYPE_NUMBERS = {"driver": 2, "device": 3}  # of Nomad's plugins
SHUTDOWN_PATH = "/plugin.GRPCController/Shutdown"


class Method(NamedTuple):
    """A method of a plugin: its path on the channel, its messages, and whether it responds with a stream."""

    path: str
    request: RuntimeMessage
    response: RuntimeMessage
    is_stream: bool


@cache
def _get_pool() -> DescriptorPool:
    pool = DescriptorPool()
    for file in FileDescriptorSet.FromString(DESCRIPTORS_PATH.read_bytes()).file:
        pool.Add(file)
    return pool


def get_message_class(name: str) -> RuntimeMessage:
    """Return the class of a message by its full name."""
    return GetMessageClass(_get_pool().FindMessageTypeByName(name))


def get_method(full_name: str) -> Method:
    """Return a method by its service and name."""
    method = _get_pool().FindMethodByName(full_name)
    path = f"/{method.containing_service.full_name}/{method.name}"
    request = GetMessageClass(method.input_type)
    response = GetMessageClass(method.output_type)
    return Method(path, request, response, method.server_streaming)


def call_method(channel: grpc.Channel, full_name: str, timeout_seconds: float, **fields: Any) -> RuntimeMessage:
    """Return the response. Of a stream, return the first message, or None if it ends without one.

    Raises:
        grpc.RpcError: There is no response.
    """
    method = get_method(full_name)
    call_factory = channel.unary_stream if method.is_stream else channel.unary_unary
    call = call_factory(
        method.path,
        request_serializer=method.request.SerializeToString,
        response_deserializer=method.response.FromString,
    )
    answer = call(method.request(**fields), timeout=timeout_seconds)
    if not method.is_stream:
        return answer
    try:
        return next(iter(answer), None)
    finally:
        answer.cancel()


def shut_down(channel: grpc.Channel, timeout_seconds: float) -> None:
    """Ask the plugin to exit, as the library of all plugins does. The caller must check whether it does."""
    call = channel.unary_unary(SHUTDOWN_PATH, request_serializer=None, response_deserializer=None)
    with suppress(grpc.RpcError):
        call(b"", timeout=timeout_seconds)
