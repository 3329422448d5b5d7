#!/usr/bin/env python3
"""Example Terraform provider for acceptance tests, with faults to choose from.

    .venv/bin/python examples/provider.py --write FOLDER
    .venv/bin/python examples/provider.py --write FOLDER --fault perpetual-diff

It writes FOLDER/terraform-provider-example_v1.0.0, a provider with one resource: `example_server`, whose `address` is
required. Its servers are files in the folder `servers` next to the configuration, so that you can delete one manually.
Needs PyPI's `tf`, which the first `bin/test` installs.
"""

import json
import os
import stat
import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from pathlib import Path
from typing import Any
from uuid import uuid4

from tf.blocks import SetNestedBlock
from tf.iface import DataSource, Provider, Resource
from tf.runner import run_provider
from tf.schema import Attribute, Block, Schema
from tf.types import Bool, Map, String, Unknown

NAME = "terraform-provider-example_v1.0.0"
COOKIE = ("TF_PLUGIN_MAGIC_COOKIE", "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2")
NOTICE = (
    "This binary is a plugin. These are not meant to be executed directly.\n"
    "Please execute the program that consumes these plugins, which will\n"
    "load any plugins automatically"
)
FAULTS = {
    "perpetual-diff": "returns another address than the configured one",
    "wrong-update": "reports a changed address, but changes the labels",
    "replaces": "replaces a server if its address changes",
    "destroy-fails-when-gone": "can't destroy a server that no longer exists",
    "crash": "crashes while it creates a server",
    "blind-read": "doesn't notice that a server no longer exists",
    "new-id": "gives a server another ID when it is changed",
    "inconsistent": "creates a server that differs from the plan",
    "unvalidated": "accepts a server without an address",
    "leaks": "prints its token in a warning",
    "forgets-partial": "doesn't save a server whose mounts could not be created",
    "saves-failed-update": "reports a failed update, but saves all of its changes",
    "no-notice": "serves without the plugin cookie and prints no notice",
}
FAULT = os.environ.get("EXAMPLE_FAULT", "")
FOLDER = Path("servers")


class Servers:
    """Service behind the provider, with one file per server."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def _get_path(self, server_id: str) -> Path:
        return self.folder / f"{server_id}.json"

    def get(self, server_id: str) -> dict[str, Any] | None:
        try:
            server: dict[str, Any] = json.loads(self._get_path(server_id).read_text())
        except FileNotFoundError:
            return None
        return server

    def put(self, server_id: str, server: dict[str, Any]) -> None:
        self.folder.mkdir(exist_ok=True)
        self._get_path(server_id).write_text(json.dumps(server))

    def delete(self, server_id: str) -> bool:
        """Delete a server. Return whether it existed."""
        try:
            self._get_path(server_id).unlink()
        except FileNotFoundError:
            return False
        return True


def _build_mounts_block() -> SetNestedBlock:
    options = [Attribute("no_copy", Bool(), optional=True, description="Whether a new volume stays empty.")]
    names = ("target", "source", "type")
    attributes = [Attribute(name, String(), required=True, description=f"The mount's {name}.") for name in names]
    return SetNestedBlock("mounts", Block(attributes=[*attributes, *options]))


class Server(Resource):
    """Server with an `address`, `labels`, and nested blocks of its tasks."""

    def __init__(self, provider: "Example") -> None:
        self.servers = provider.servers

    @classmethod
    def get_name(cls) -> str:
        return "server"

    @classmethod
    def get_schema(cls) -> Schema:
        container = SetNestedBlock("container_spec", Block(block_types=[_build_mounts_block()]))
        is_optional = FAULT == "unvalidated"
        return Schema(
            version=1,
            description="A server.",
            attributes=[
                Attribute("id", String(), computed=True, description="ID that the service assigns."),
                Attribute(
                    "address",
                    String(),
                    required=not is_optional,
                    optional=is_optional,
                    description="Address of the server.",
                    requires_replace=FAULT == "replaces",
                ),
                Attribute("labels", Map(String()), optional=True, description="Labels of the server."),
            ],
            block_types=[SetNestedBlock("task_spec", Block(block_types=[container]))],
        )

    def plan(self, ctx: Any, current: Any, planned: Any) -> Any:
        if FAULT == "new-id" and ctx.changed_fields:
            planned["id"] = Unknown
        return planned

    def create(self, ctx: Any, planned: Any) -> Any:
        server = {**planned, "id": uuid4().hex[:12]}
        if FAULT == "inconsistent":
            server["address"] = "0.0.0.0"
        self.servers.put(server["id"], server)
        if FAULT == "crash":
            os._exit(2)
        if self._mount_volumes(ctx, server) or FAULT != "forgets-partial":
            return server
        return None

    def _mount_volumes(self, ctx: Any, server: dict[str, Any]) -> bool:
        """Mount the volumes, the second half of creating a server. Return whether all targets are valid."""
        containers = [each for task in server.get("task_spec") or [] for each in task["container_spec"]]
        mounts = [mount for each in containers for mount in each["mounts"]]
        invalid_targets = [mount["target"] for mount in mounts if not mount["target"].startswith("/")]
        for target in invalid_targets:
            ctx.diagnostics.add_error("Mount failed", f"The target {target} does not start with a slash.")
        return not invalid_targets

    def read(self, ctx: Any, current: Any) -> Any:
        server = self.servers.get(current["id"])
        if server is None:
            return current if FAULT == "blind-read" else None
        if FAULT == "perpetual-diff":
            server["address"] = f"{server['address']}/32"
        return server

    def update(self, ctx: Any, current: Any, planned: Any) -> Any:
        wrong_server = {**planned, "address": current["address"], "labels": {"changed": "yes"}}
        if FAULT == "new-id":
            self.servers.delete(current["id"])
            planned = {**planned, "id": uuid4().hex[:12]}
        server = planned if self._mount_volumes(ctx, planned) else current  # failed mounts change nothing
        self.servers.put(planned["id"], wrong_server if FAULT == "wrong-update" else server)
        return planned if FAULT == "saves-failed-update" else server

    def delete(self, ctx: Any, current: Any) -> None:
        if not self.servers.delete(current["id"]) and FAULT == "destroy-fails-when-gone":
            ctx.diagnostics.add_error("Destroy failed", f"404: The server {current['id']} was not found.")


class Region(DataSource):
    """Region in EXAMPLE_REGION, which configurations can use in a server."""

    def __init__(self, provider: "Example") -> None:
        pass

    @classmethod
    def get_name(cls) -> str:
        return "region"

    @classmethod
    def get_schema(cls) -> Schema:
        return Schema(attributes=[Attribute("name", String(), computed=True, description="Name of the region.")])

    def read(self, ctx: Any, config: Any) -> Any:
        return {"name": os.environ.get("EXAMPLE_REGION", "")}


class Example(Provider):
    """Provider with a `token`, by default that in EXAMPLE_TOKEN, and the folder of its servers."""

    def __init__(self) -> None:
        self.servers = Servers(FOLDER)

    def full_name(self) -> str:
        return "registry.terraform.io/example/example"

    def get_model_prefix(self) -> str:
        return "example_"

    def get_provider_schema(self, diags: Any) -> Schema:
        token = Attribute(
            "token", String(), optional=True, sensitive=True, description="Token. Default: EXAMPLE_TOKEN."
        )
        folder = Attribute("folder", String(), optional=True, description="Folder of the servers.")
        return Schema(version=0, attributes=[token, folder])

    def validate_config(self, diags: Any, config: Any) -> None:
        pass

    def configure_provider(self, diags: Any, config: Any) -> None:
        self.servers = Servers(Path(config.get("folder") or FOLDER))
        token = config.get("token") or os.environ.get("EXAMPLE_TOKEN", "")
        if FAULT == "leaks":
            diags.add_warning("Signed in", f"The token is {token}.")

    def get_data_sources(self) -> list[Any]:
        return [Region]

    def get_resources(self) -> list[Any]:
        return [Server]


def write(folder: Path, fault: str = "") -> Path:
    """Write the executable, which is this file with a fault selected. Return its path."""
    head = f'#!{sys.executable}\nimport os\nos.environ["EXAMPLE_FAULT"] = "{fault}"\n'
    source = Path(__file__).read_text("utf-8").partition("\n")[2]
    folder.mkdir(parents=True, exist_ok=True)
    executable = folder / NAME
    executable.write_text(head + source, "utf-8")
    executable.chmod(executable.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
    return executable


def main() -> None:
    parser = ArgumentParser(
        description=__doc__.partition("\n")[0] if __doc__ else "",
        epilog="faults:\n" + "\n".join(f"  {name:26} {text}" for name, text in FAULTS.items()),
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("--write", type=Path, metavar="FOLDER", help="write the executable to this folder")
    parser.add_argument("--fault", choices=FAULTS, default="", metavar="NAME", help="fault, see below")
    options = parser.parse_args()
    if options.write:
        print(write(options.write, options.fault))
    elif os.environ.get(COOKIE[0]) != COOKIE[1] and FAULT != "no-notice":
        sys.exit(NOTICE)
    else:
        run_provider(Example())
        sys.stdout.flush()
        os._exit(0)  # immediately, because the threads of gRPC end slowly, and Terraform starts a provider often


if __name__ == "__main__":
    main()
