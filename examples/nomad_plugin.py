#!/usr/bin/env python3
"""Example Nomad driver and device plugin for plugin tests, optionally with a fault.

    .venv/bin/python examples/nomad_plugin.py --write FOLDER --type driver
    .venv/bin/python examples/nomad_plugin.py --write FOLDER --type device --fault crash-on-config

It writes FOLDER/nomad-TYPE-example, which implements the published plugin protocol and runs no tasks. Needs grpcio,
msgpack, and the portal's own description of the protocol.
"""

import os
import stat
import sys
import tempfile
import time
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import grpc
import msgpack

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # works from any folder

from verification.plugins.handshake import NOMAD_COOKIE
from verification.plugins.messages import (
    BASE,
    DEVICE,
    DRIVER,
    PLUGIN_TYPE_NUMBERS,
    SHUTDOWN_PATH,
    SPEC,
    get_message_class,
    get_method,
)

NOTICE = (
    "This binary is a plugin. These are not meant to be executed directly.\n"
    "Please execute the program that consumes these plugins, which will\n"
    "load any plugins automatically"
)
FAULTS = {
    "no-cookie": "serves without the plugin cookie and prints no notice",
    "net-rpc": "uses the old net/rpc protocol",
    "chatty": "prints a line before the handshake",
    "wrong-type": "reports the other plugin type",
    "other-name": "reports another name",
    "no-api": "reports no API version",
    "old-version": "reports the version of another release",
    "bad-schema": "returns a schema with an unknown type",
    "accepts-anything": "accepts any bytes as its configuration",
    "crash-on-config": "crashes when it is configured",
    "crash-on-garbage": "crashes on bytes that aren't a configuration",
    "silent": "sends no fingerprint",
    "unwell": "is unhealthy and gives no reason",
    "twins": "reports two devices with the same ID",
    "reserves-anything": "reserves unknown devices",
    "stays": "doesn't exit on shutdown",
}


def build_spec(fault: str) -> Any:
    """Return the configuration schema: a required address, a number with a default, and volumes in a block."""
    spec = get_message_class(f"{SPEC}.Spec")()
    attributes = spec.object.attributes
    kind = "strnig" if fault == "bad-schema" else "string"
    attributes["address"].Attr.MergeFrom(get_message_class(f"{SPEC}.Attr")(name="address", type=kind, required=True))
    attributes["retries"].default.primary.Attr.name = "retries"
    attributes["retries"].default.primary.Attr.type = "number"
    attributes["retries"].default.default.literal.value = "3"
    attributes["volumes"].block_value.name = "volumes"
    attributes["volumes"].block_value.nested.object.attributes["enabled"].Attr.name = "enabled"
    attributes["volumes"].block_value.nested.object.attributes["enabled"].Attr.type = "bool"
    return spec


class Plugin:
    """Responses of the plugin. Each method of the protocol is a method with the request and the call's context."""

    def __init__(self, kind: str, fault: str, shutdown: Event) -> None:
        self.kind = kind
        self.fault = fault
        self.shutdown = shutdown

    def info(self, _request: Any, _context: Any) -> Any:
        other = {"driver": "device", "device": "driver"}[self.kind]
        return get_method(f"{BASE}.PluginInfo").response(
            type=PLUGIN_TYPE_NUMBERS[other if self.fault == "wrong-type" else self.kind],
            plugin_api_versions=[] if self.fault == "no-api" else ["v0.1.0"],
            plugin_version="v0.9.0" if self.fault == "old-version" else "v1.0.0",
            name="something-else" if self.fault == "other-name" else "example",
        )

    def config_schema(self, _request: Any, _context: Any) -> Any:
        return get_method(f"{BASE}.ConfigSchema").response(spec=build_spec(self.fault))

    def set_config(self, request: Any, context: Any) -> Any:
        if self.fault == "crash-on-config":
            os._exit(2)
        try:
            config = msgpack.unpackb(request.msgpack_config)
        except Exception as error:
            if self.fault == "crash-on-garbage":
                os._exit(2)
            if self.fault != "accepts-anything":
                context.abort(grpc.StatusCode.UNKNOWN, f"failed to decode the configuration: {error}")
            config = {"address": ""}
        if not isinstance(config["address"], str):
            context.abort(grpc.StatusCode.UNKNOWN, "the address is not a string")
        return get_method(f"{BASE}.SetConfig").response()

    def task_schema(self, _request: Any, _context: Any) -> Any:
        response = get_method(f"{DRIVER}.TaskConfigSchema").response()
        response.spec.object.attributes["command"].Attr.name = "command"
        response.spec.object.attributes["command"].Attr.type = "list(string)"
        return response

    def capabilities(self, _request: Any, _context: Any) -> Any:
        return get_method(f"{DRIVER}.Capabilities").response(capabilities={"send_signals": True, "exec": True})

    def driver_fingerprint(self, _request: Any, _context: Any) -> Iterator[Any]:
        if self.fault == "silent":
            self.shutdown.wait()
        response = get_method(f"{DRIVER}.Fingerprint").response(health=1 if self.fault == "unwell" else 2)
        response.attributes["driver.example.version"].string_val = "1.0.0"
        yield response
        self.shutdown.wait()

    def device_fingerprint(self, _request: Any, _context: Any) -> Iterator[Any]:
        if self.fault == "silent":
            self.shutdown.wait()
        ids = ["one", "one" if self.fault == "twins" else "two"]
        group = {"vendor": "acme", "device_type": "gpu", "device_name": "example"}
        devices = [{"ID": each, "healthy": True} for each in ids]
        yield get_method(f"{DEVICE}.Fingerprint").response(device_group=[group | {"devices": devices}])
        self.shutdown.wait()

    def reserve(self, request: Any, context: Any) -> Any:
        unknown = [each for each in request.device_ids if each not in ("one", "two")]
        if unknown and self.fault != "reserves-anything":
            context.abort(grpc.StatusCode.UNKNOWN, f"unknown device {unknown[0]}")
        return get_method(f"{DEVICE}.Reserve").response(container_res={"envs": {"EXAMPLE": "1"}})

    def stats(self, _request: Any, _context: Any) -> Iterator[Any]:
        groups = [{"vendor": "acme", "type": "gpu", "name": "example"}]
        yield get_method(f"{DEVICE}.Stats").response(groups=groups)
        self.shutdown.wait()

    def list_methods(self) -> dict[str, Callable[..., Any]]:
        base = {
            f"{BASE}.PluginInfo": self.info,
            f"{BASE}.ConfigSchema": self.config_schema,
            f"{BASE}.SetConfig": self.set_config,
        }
        if self.kind == "driver":
            return base | {
                f"{DRIVER}.TaskConfigSchema": self.task_schema,
                f"{DRIVER}.Capabilities": self.capabilities,
                f"{DRIVER}.Fingerprint": self.driver_fingerprint,
            }
        return base | {
            f"{DEVICE}.Fingerprint": self.device_fingerprint,
            f"{DEVICE}.Reserve": self.reserve,
            f"{DEVICE}.Stats": self.stats,
        }


def build_handlers(plugin: Plugin) -> Iterator[Any]:
    """Yield the gRPC handler of each service."""
    services: dict[str, dict[str, Any]] = {}
    for method, respond in plugin.list_methods().items():
        path, request, response, is_stream = get_method(method)
        build_handler = grpc.unary_stream_rpc_method_handler if is_stream else grpc.unary_unary_rpc_method_handler
        _, service, name = path.split("/")
        services.setdefault(service, {})[name] = build_handler(respond, request.FromString, response.SerializeToString)

    def shut_down(_request: bytes, _context: Any) -> bytes:
        if plugin.fault != "stays":
            plugin.shutdown.set()
        return b""

    _, service, name = SHUTDOWN_PATH.split("/")
    services[service] = {name: grpc.unary_unary_rpc_method_handler(shut_down)}
    yield from (grpc.method_handlers_generic_handler(service, methods) for service, methods in services.items())


def serve(kind: str, fault: str) -> int:
    """Serve the plugin until its shutdown. Return the exit code."""
    if os.environ.get(NOMAD_COOKIE[0]) != NOMAD_COOKIE[1] and fault != "no-cookie":
        print(NOTICE, file=sys.stderr)
        return 1
    shutdown = Event()
    server = grpc.server(ThreadPoolExecutor(8))
    server.add_generic_rpc_handlers(tuple(build_handlers(Plugin(kind, fault, shutdown))))
    socket_path = Path(tempfile.mkdtemp()) / "plugin"
    server.add_insecure_port(f"unix:{socket_path}")
    server.start()
    if fault == "chatty":
        print("Example plugin, starting", flush=True)
    print(f"1|1|unix|{socket_path}|{'netrpc' if fault == 'net-rpc' else 'grpc'}|", flush=True)
    shutdown.wait()
    time.sleep(0.1)  # so that the response is sent
    os._exit(0)


def write(folder: Path, kind: str, fault: str = "") -> Path:
    """Write the executable for a type and a fault. Return its path."""
    if fault and fault not in FAULTS:
        raise ValueError(f"Unknown fault: {fault}")
    folder.mkdir(parents=True, exist_ok=True)
    executable = folder / f"nomad-{kind}-example"
    root = Path(__file__).resolve().parents[1]
    executable.write_text(
        f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(root)!r})\n"
        f"from examples.nomad_plugin import serve\nsys.exit(serve({kind!r}, {fault!r}))\n"
    )
    executable.chmod(executable.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
    return executable


def main() -> int:
    parser = ArgumentParser(
        description="Write an example Nomad plugin, optionally with a fault.",
        epilog="faults:\n" + "\n".join(f"  {name:26} {text}" for name, text in FAULTS.items()),
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--write", type=Path, required=True, metavar="FOLDER", help="write the executable to this folder"
    )
    parser.add_argument(
        "--type", choices=sorted(PLUGIN_TYPE_NUMBERS), default="driver", help="plugin type (default: %(default)s)"
    )
    parser.add_argument("--fault", choices=FAULTS, default="", metavar="NAME", help="fault, see below")
    options = parser.parse_args()
    print(write(options.write, options.type, options.fault))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
