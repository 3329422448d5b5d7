#!/usr/bin/env python3
"""Example Nomad driver and device plugin for plugin tests, with faults to choose from.

    python3 examples/nomad_plugin.py --write FOLDER --type driver
    python3 examples/nomad_plugin.py --write FOLDER --type device --fault crash-on-config

It writes FOLDER/nomad-TYPE-example, which serves what the published protocol asks of a plugin and runs no tasks.
Needs grpcio, msgpack, and the portal's own description of the protocol.
"""

import os
import stat
import sys
import tempfile
import time
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import grpc
import msgpack

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # wherever it is started from

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
    "no-cookie": "serves whoever starts it, and says nothing",
    "net-rpc": "speaks the old net/rpc",
    "chatty": "prints a line before the handshake",
    "wrong-type": "says that it is of the other type",
    "other-name": "calls itself something else",
    "no-api": "names no API version",
    "old-version": "tells the version of another release",
    "bad-schema": "returns a schema with a type that is none",
    "accepts-anything": "accepts any bytes as its configuration",
    "crash-on-config": "breaks down when it is configured",
    "crash-on-garbage": "breaks down on bytes that it cannot read",
    "silent": "sends no fingerprint until something changes",
    "unwell": "is unhealthy and does not say why",
    "twins": "tells two devices with one id",
    "reserves-anything": "reserves devices that it does not know",
    "stays": "does not end when it is asked to",
}


def spec(fault: str) -> Any:
    """Its configuration: an address that is needed, a number with a default, and volumes in a block."""
    made = get_message_class(f"{SPEC}.Spec")()
    names = made.object.attributes
    kind = "strnig" if fault == "bad-schema" else "string"
    names["address"].Attr.MergeFrom(get_message_class(f"{SPEC}.Attr")(name="address", type=kind, required=True))
    names["retries"].default.primary.Attr.name = "retries"
    names["retries"].default.primary.Attr.type = "number"
    names["retries"].default.default.literal.value = "3"
    names["volumes"].block_value.name = "volumes"
    names["volumes"].block_value.nested.object.attributes["enabled"].Attr.name = "enabled"
    names["volumes"].block_value.nested.object.attributes["enabled"].Attr.type = "bool"
    return made


class Plugin:
    """What it answers. A method of the protocol is a method here, with a request and the call's context."""

    def __init__(self, kind: str, fault: str, over: Event) -> None:
        self.kind = kind
        self.fault = fault
        self.over = over

    def info(self, _request: Any, _context: Any) -> Any:
        other = {"driver": "device", "device": "driver"}[self.kind]
        return get_method(f"{BASE}.PluginInfo").response(
            type=PLUGIN_TYPE_NUMBERS[other if self.fault == "wrong-type" else self.kind],
            plugin_api_versions=[] if self.fault == "no-api" else ["v0.1.0"],
            plugin_version="v0.9.0" if self.fault == "old-version" else "v1.0.0",
            name="something-else" if self.fault == "other-name" else "example",
        )

    def config_schema(self, _request: Any, _context: Any) -> Any:
        return get_method(f"{BASE}.ConfigSchema").response(spec=spec(self.fault))

    def set_config(self, request: Any, context: Any) -> Any:
        if self.fault == "crash-on-config":
            os._exit(2)
        try:
            given = msgpack.unpackb(request.msgpack_config)
        except Exception as error:
            if self.fault == "crash-on-garbage":
                os._exit(2)
            if self.fault != "accepts-anything":
                context.abort(grpc.StatusCode.UNKNOWN, f"failed to decode the configuration: {error}")
            given = {"address": ""}
        if not isinstance(given["address"], str):
            context.abort(grpc.StatusCode.UNKNOWN, "the address is no text")
        return get_method(f"{BASE}.SetConfig").response()

    def task_schema(self, _request: Any, _context: Any) -> Any:
        answer = get_method(f"{DRIVER}.TaskConfigSchema").response()
        answer.spec.object.attributes["command"].Attr.name = "command"
        answer.spec.object.attributes["command"].Attr.type = "list(string)"
        return answer

    def capabilities(self, _request: Any, _context: Any) -> Any:
        return get_method(f"{DRIVER}.Capabilities").response(capabilities={"send_signals": True, "exec": True})

    def driver_fingerprint(self, _request: Any, _context: Any) -> Iterator[Any]:
        if self.fault == "silent":
            self.over.wait()
        answer = get_method(f"{DRIVER}.Fingerprint").response(health=1 if self.fault == "unwell" else 2)
        answer.attributes["driver.example.version"].string_val = "1.0.0"
        yield answer
        self.over.wait()

    def device_fingerprint(self, _request: Any, _context: Any) -> Iterator[Any]:
        if self.fault == "silent":
            self.over.wait()
        ids = ["one", "one" if self.fault == "twins" else "two"]
        group = {"vendor": "acme", "device_type": "gpu", "device_name": "example"}
        devices = [{"ID": each, "healthy": True} for each in ids]
        yield get_method(f"{DEVICE}.Fingerprint").response(device_group=[group | {"devices": devices}])
        self.over.wait()

    def reserve(self, request: Any, context: Any) -> Any:
        unknown = [each for each in request.device_ids if each not in ("one", "two")]
        if unknown and self.fault != "reserves-anything":
            context.abort(grpc.StatusCode.UNKNOWN, f"unknown device {unknown[0]}")
        return get_method(f"{DEVICE}.Reserve").response(container_res={"envs": {"EXAMPLE": "1"}})

    def stats(self, _request: Any, _context: Any) -> Iterator[Any]:
        groups = [{"vendor": "acme", "type": "gpu", "name": "example"}]
        yield get_method(f"{DEVICE}.Stats").response(groups=groups)
        self.over.wait()

    def methods(self) -> dict[str, Callable[..., Any]]:
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


def handlers(found: Plugin) -> Iterator[Any]:
    """Yield the services as gRPC takes them."""
    services: dict[str, dict[str, Any]] = {}
    for method, answer in found.methods().items():
        path, request, response, is_stream = get_method(method)
        kind = grpc.unary_stream_rpc_method_handler if is_stream else grpc.unary_unary_rpc_method_handler
        _, service, name = path.split("/")
        services.setdefault(service, {})[name] = kind(answer, request.FromString, response.SerializeToString)

    def end(_request: bytes, _context: Any) -> bytes:
        if found.fault != "stays":
            found.over.set()
        return b""

    _, service, name = SHUTDOWN_PATH.split("/")
    services[service] = {name: grpc.unary_unary_rpc_method_handler(end)}
    yield from (grpc.method_handlers_generic_handler(service, methods) for service, methods in services.items())


def serve(kind: str, fault: str) -> int:
    """Be the plugin until asked to end."""
    if os.environ.get(NOMAD_COOKIE[0]) != NOMAD_COOKIE[1] and fault != "no-cookie":
        print(NOTICE, file=sys.stderr)
        return 1
    over = Event()
    server = grpc.server(ThreadPoolExecutor(8))
    server.add_generic_rpc_handlers(tuple(handlers(Plugin(kind, fault, over))))
    place = Path(tempfile.mkdtemp()) / "plugin"
    server.add_insecure_port(f"unix:{place}")
    server.start()
    if fault == "chatty":
        print("Example plugin, starting", flush=True)
    print(f"1|1|unix|{place}|{'netrpc' if fault == 'net-rpc' else 'grpc'}|", flush=True)
    over.wait()
    time.sleep(0.1)  # so that the answer leaves
    os._exit(0)


def write(folder: Path, kind: str, fault: str = "") -> Path:
    """Write the executable for a type and a fault. Returns its path."""
    if fault and fault not in FAULTS:
        raise ValueError(f"no such fault: {fault}")
    place = folder / f"nomad-{kind}-example"
    here = Path(__file__).resolve().parents[1]
    place.write_text(
        f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(here)!r})\n"
        f"from examples.nomad_plugin import serve\nsys.exit(serve({kind!r}, {fault!r}))\n"
    )
    place.chmod(place.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
    return place


def main() -> int:
    parser = ArgumentParser(description="Writes an example of a Nomad plugin, good or with a fault.")
    parser.add_argument("--write", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--type", choices=sorted(PLUGIN_TYPE_NUMBERS), default="driver")
    parser.add_argument("--fault", choices=sorted(FAULTS), default="")
    given = parser.parse_args()
    print(write(given.write, given.type, given.fault))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
