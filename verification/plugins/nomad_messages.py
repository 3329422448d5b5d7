"""Messages of Nomad's base, driver and device plugin services.

Names and numbers are of the published protocol. A field that is not listed here is kept unread, as protobuf does.
"""

from contextlib import suppress
from functools import cache
from typing import Any

import grpc
from google.protobuf import duration_pb2, timestamp_pb2
from google.protobuf.descriptor_pool import DescriptorPool

from verification.plugins import descriptors
from verification.plugins.descriptors import RuntimeMessage

BASE = "hashicorp.nomad.plugins.base.proto"
DRIVER = "hashicorp.nomad.plugins.drivers.proto"
DEVICE = "hashicorp.nomad.plugins.device"
SPEC = "hashicorp.nomad.plugins.shared.hclspec"
SHUTDOWN_PATH = "/plugin.GRPCController/Shutdown"
STRUCTS = "hashicorp.nomad.plugins.shared.structs"

# an enumeration travels as a number, and is one here
MESSAGES: dict[str, dict[str, str]] = {
    SPEC: {
        "Spec": "|object = 1 Object; |array = 2 Array; |Attr = 3 Attr; |block_value = 4 Block; "
        "|block_attrs = 5 BlockAttrs; |block_list = 6 BlockList; |block_set = 7 BlockList; |block_map = 8 BlockMap; "
        "|default = 9 Default; |literal = 10 Literal",
        "Attr": "name = 1 string; type = 2 string; required = 3 bool",
        "Block": "name = 1 string; required = 2 bool; nested = 3 Spec",
        "BlockAttrs": "name = 1 string; type = 2 string; required = 3 bool",
        "BlockList": "name = 1 string; min_items = 2 uint64; max_items = 3 uint64; nested = 4 Spec",
        "BlockMap": "name = 1 string; labels = 2 [string]; nested = 3 Spec",
        "Literal": "value = 1 string",
        "Default": "primary = 1 Spec; default = 2 Spec",
        "Object": "attributes = 1 {Spec}",
        "Array": "values = 1 [Spec]",
    },
    STRUCTS: {
        "Attribute": "|float_val = 1 double; |int_val = 2 int64; |string_val = 3 string; |bool_val = 4 bool; "
        "unit = 5 string",
    },
    BASE: {
        "PluginInfoRequest": "",
        "PluginInfoResponse": "type = 1 int32; plugin_api_versions = 2 [string]; plugin_version = 3 string; "
        "name = 4 string",
        "ConfigSchemaRequest": "",
        "ConfigSchemaResponse": f"spec = 1 {SPEC}.Spec",
        "SetConfigRequest": "msgpack_config = 1 bytes; plugin_api_version = 3 string",
        "SetConfigResponse": "",
    },
    DRIVER: {
        "TaskConfigSchemaRequest": "",
        "TaskConfigSchemaResponse": f"spec = 1 {SPEC}.Spec",
        "CapabilitiesRequest": "",
        "CapabilitiesResponse": "capabilities = 1 DriverCapabilities",
        "DriverCapabilities": "send_signals = 1 bool; exec = 2 bool; fs_isolation = 3 int32; "
        "network_isolation_modes = 4 [int32]; must_create_network = 5 bool; mount_configs = 6 int32; "
        "remote_tasks = 7 bool; disable_log_collection = 8 bool",
        "FingerprintRequest": "",
        "FingerprintResponse": f"attributes = 1 {{{STRUCTS}.Attribute}}; health = 2 int32; "
        "health_description = 3 string",
    },
    DEVICE: {
        "FingerprintRequest": "",
        "FingerprintResponse": "device_group = 1 [DeviceGroup]",
        "DeviceGroup": "vendor = 1 string; device_type = 2 string; device_name = 3 string; "
        f"devices = 4 [DetectedDevice]; attributes = 5 {{{STRUCTS}.Attribute}}",
        "DetectedDevice": "ID = 1 string; healthy = 2 bool; health_description = 3 string",
        "ReserveRequest": "device_ids = 1 [string]",
        "ReserveResponse": "container_res = 1 ContainerReservation",
        "ContainerReservation": "envs = 1 {string}; mounts = 2 [Mount]; devices = 3 [DeviceSpec]",
        "Mount": "task_path = 1 string; host_path = 2 string; read_only = 3 bool",
        "DeviceSpec": "task_path = 1 string; host_path = 2 string; permissions = 3 string",
        "StatsRequest": "collection_interval = 1 google.protobuf.Duration",
        "StatsResponse": "groups = 1 [DeviceGroupStats]",
        "DeviceGroupStats": "vendor = 1 string; type = 2 string; name = 3 string; instance_stats = 4 {DeviceStats}",
        "DeviceStats": "timestamp = 3 google.protobuf.Timestamp",
    },
}

# the methods that are asked: (service, is the answer a stream)
METHODS: dict[str, tuple[str, bool]] = {
    f"{BASE}.PluginInfo": ("BasePlugin", False),
    f"{BASE}.ConfigSchema": ("BasePlugin", False),
    f"{BASE}.SetConfig": ("BasePlugin", False),
    f"{DRIVER}.TaskConfigSchema": ("Driver", False),
    f"{DRIVER}.Capabilities": ("Driver", False),
    f"{DRIVER}.Fingerprint": ("Driver", True),
    f"{DEVICE}.Fingerprint": ("DevicePlugin", True),
    f"{DEVICE}.Reserve": ("DevicePlugin", False),
    f"{DEVICE}.Stats": ("DevicePlugin", True),
}


def get_message_class(name: str) -> RuntimeMessage:
    """The class of a message by its full name."""
    return descriptors.get_message_class(_get_pool(), name)


def build_method_path(method: str) -> str:
    """The address of a method on the channel."""
    package, _, name = method.rpartition(".")
    return f"/{package}.{METHODS[method][0]}/{name}"


def call_method(channel: grpc.Channel, method: str, timeout_seconds: float, **fields: Any) -> RuntimeMessage:
    """What the plugin answers; of a stream, the first message, or None where it ends without one.

    Raises grpc.RpcError.
    """
    request, response = get_message_class(f"{method}Request"), get_message_class(f"{method}Response")
    is_stream = METHODS[method][1]
    call_factory = channel.unary_stream if is_stream else channel.unary_unary
    call = call_factory(
        build_method_path(method),
        request_serializer=request.SerializeToString,
        response_deserializer=response.FromString,
    )
    answer = call(request(**fields), timeout=timeout_seconds)
    if not is_stream:
        return answer
    try:
        return next(iter(answer), None)
    finally:
        answer.cancel()


def shut_down(channel: grpc.Channel, timeout_seconds: float) -> None:
    """Ask the plugin to end, as the library of all plugins does. Whether it does is for the caller to see."""
    call = channel.unary_unary(SHUTDOWN_PATH, request_serializer=None, response_deserializer=None)
    with suppress(grpc.RpcError):
        call(b"", timeout=timeout_seconds)


@cache
def _get_pool() -> DescriptorPool:
    return descriptors.build_pool(MESSAGES, (duration_pb2, timestamp_pb2))
