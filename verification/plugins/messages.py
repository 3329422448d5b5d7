"""Messages and calls of the plugin protocols of Terraform and Nomad, as data/messages.yaml describes them."""

from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import grpc
import yaml
from google.protobuf import duration_pb2, message_factory, timestamp_pb2
from google.protobuf.descriptor_pool import DescriptorPool

from verification.plugins.descriptors import RuntimeMessage, build_pool

PROTOCOLS = yaml.safe_load((Path(__file__).parent / "data" / "messages.yaml").read_bytes())
BASE = "hashicorp.nomad.plugins.base.proto"
DRIVER = "hashicorp.nomad.plugins.drivers.proto"
DEVICE = "hashicorp.nomad.plugins.device"
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
    tables = {package: protocol["messages"] for package, protocol in PROTOCOLS.items()}
    return build_pool(tables, (duration_pb2, timestamp_pb2))


def get_message_class(name: str) -> RuntimeMessage:
    """Return the class of a message by its full name."""
    return message_factory.GetMessageClass(_get_pool().FindMessageTypeByName(name))


def get_method(full_name: str) -> Method:
    """Return a method by its package and name."""
    package, _, name = full_name.rpartition(".")
    protocol = PROTOCOLS[package]
    request, response = get_message_class(f"{full_name}Request"), get_message_class(f"{full_name}Response")
    is_stream = name in protocol.get("streams", ())
    return Method(f"/{package}.{protocol['methods'][name]}/{name}", request, response, is_stream)


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
