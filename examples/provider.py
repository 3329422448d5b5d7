#!/usr/bin/env python3
"""Example Terraform provider for acceptance tests, with faults to choose from. Needs PyPI's `tf`.

    python3 examples/provider.py --write FOLDER
    python3 examples/provider.py --write FOLDER --fault perpetual-diff

It writes FOLDER/terraform-provider-example_v1.0.0, a provider with one resource: `example_server`, whose `address` is
required. Its servers are files in the folder `servers` beside the configuration, so that one can be taken away by hand.
"""

import json
import os
import stat
import sys
from argparse import ArgumentParser
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
    "perpetual-diff": "reads an address back otherwise than it was given",
    "wrong-update": "says that an address was changed, and changes the labels",
    "replaces": "replaces a server whose address changes",
    "destroy-fails-when-gone": "cannot destroy what is gone already",
    "crash": "breaks down while it creates a server",
    "blind-read": "does not notice that a server is gone",
    "new-id": "gives a server another id when it is changed",
    "inconsistent": "creates something else than it has planned",
    "unvalidated": "takes a server without an address",
    "leaks": "shows its token in a warning",
    "forgets-partial": "forgets a server whose mounts could not be made",
    "saves-failed-update": "reports an update that failed, and saves all of it",
    "no-notice": "serves whoever starts it, and says nothing",
}
FAULT = os.environ.get("EXAMPLE_FAULT", "")
FOLDER = Path("servers")


class Servers:
    """The service behind the provider: one file a server."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def _file(self, number: str) -> Path:
        return self.folder / f"{number}.json"

    def get(self, number: str) -> dict[str, Any] | None:
        try:
            found: dict[str, Any] = json.loads(self._file(number).read_text())
        except FileNotFoundError:
            return None
        return found

    def put(self, number: str, server: dict[str, Any]) -> None:
        self.folder.mkdir(exist_ok=True)
        self._file(number).write_text(json.dumps(server))

    def delete(self, number: str) -> bool:
        """Whether there was one."""
        try:
            self._file(number).unlink()
        except FileNotFoundError:
            return False
        return True


def _mounts() -> SetNestedBlock:
    options = [Attribute("no_copy", Bool(), optional=True, description="Copies nothing into a new volume.")]
    names = ("target", "source", "type")
    attributes = [Attribute(name, String(), required=True, description=f"The mount's {name}.") for name in names]
    return SetNestedBlock("mounts", Block(attributes=[*attributes, *options]))


class Server(Resource):
    """One server: `address`, `labels`, and nested blocks that say what runs on it."""

    def __init__(self, provider: "Example") -> None:
        self.servers = provider.servers

    @classmethod
    def get_name(cls) -> str:
        return "server"

    @classmethod
    def get_schema(cls) -> Schema:
        container = SetNestedBlock("container_spec", Block(block_types=[_mounts()]))
        free = FAULT == "unvalidated"
        return Schema(
            version=1,
            description="A server.",
            attributes=[
                Attribute("id", String(), computed=True, description="Given by the service."),
                Attribute(
                    "address",
                    String(),
                    required=not free,
                    optional=free,
                    description="Where it is reached.",
                    requires_replace=FAULT == "replaces",
                ),
                Attribute("labels", Map(String()), optional=True, description="Words about it."),
            ],
            block_types=[SetNestedBlock("task_spec", Block(block_types=[container]))],
        )

    def plan(self, ctx: Any, current: Any, planned: Any) -> Any:
        if FAULT == "new-id" and ctx.changed_fields:
            planned["id"] = Unknown
        return planned

    def create(self, ctx: Any, planned: Any) -> Any:
        made = {**planned, "id": uuid4().hex[:12]}
        if FAULT == "inconsistent":
            made["address"] = "0.0.0.0"
        self.servers.put(made["id"], made)
        if FAULT == "crash":
            os._exit(2)
        if self._mount(ctx, made) or FAULT != "forgets-partial":
            return made
        return None

    def _mount(self, ctx: Any, server: dict[str, Any]) -> bool:
        """Mount the volumes, the second half of creating a server, which may fail alone."""
        containers = [each for task in server.get("task_spec") or [] for each in task["container_spec"]]
        wrong = [m["target"] for each in containers for m in each["mounts"] if not m["target"].startswith("/")]
        for target in wrong:
            ctx.diagnostics.add_error("A mount could not be made", f"The target {target} does not begin with a slash.")
        return not wrong

    def read(self, ctx: Any, current: Any) -> Any:
        found = self.servers.get(current["id"])
        if found is None:
            return current if FAULT == "blind-read" else None
        if FAULT == "perpetual-diff":
            found["address"] = f"{found['address']}/32"
        return found

    def update(self, ctx: Any, current: Any, planned: Any) -> Any:
        kept = {**planned, "address": current["address"], "labels": {"changed": "yes"}}
        if FAULT == "new-id":
            self.servers.delete(current["id"])
            planned = {**planned, "id": uuid4().hex[:12]}
        made = planned if self._mount(ctx, planned) else current  # without its mounts, nothing is changed
        self.servers.put(planned["id"], kept if FAULT == "wrong-update" else made)
        return planned if FAULT == "saves-failed-update" else made

    def delete(self, ctx: Any, current: Any) -> None:
        if not self.servers.delete(current["id"]) and FAULT == "destroy-fails-when-gone":
            ctx.diagnostics.add_error("The server could not be destroyed", f"404: there is no server {current['id']}.")


class Region(DataSource):
    """The region of EXAMPLE_REGION, which configurations can use in a server."""

    def __init__(self, provider: "Example") -> None:
        pass

    @classmethod
    def get_name(cls) -> str:
        return "region"

    @classmethod
    def get_schema(cls) -> Schema:
        return Schema(attributes=[Attribute("name", String(), computed=True, description="The name of the region.")])

    def read(self, ctx: Any, config: Any) -> Any:
        return {"name": os.environ.get("EXAMPLE_REGION", "")}


class Example(Provider):
    """The provider: a `token`, which may come from EXAMPLE_TOKEN, and the folder where its servers are."""

    def __init__(self) -> None:
        self.servers = Servers(FOLDER)

    def full_name(self) -> str:
        return "registry.terraform.io/example/example"

    def get_model_prefix(self) -> str:
        return "example_"

    def get_provider_schema(self, diags: Any) -> Schema:
        token = Attribute("token", String(), optional=True, sensitive=True, description="Also EXAMPLE_TOKEN.")
        folder = Attribute("folder", String(), optional=True, description="Where the servers are.")
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
    """Write the executable, which is this file with the fault chosen, and give its path."""
    head = f'#!{sys.executable}\nimport os\nos.environ["EXAMPLE_FAULT"] = "{fault}"\n'
    source = Path(__file__).read_text("utf-8").partition("\n")[2]
    executable = folder / NAME
    executable.write_text(head + source, "utf-8")
    executable.chmod(executable.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
    return executable


def main() -> None:
    parser = ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--write", type=Path, metavar="FOLDER", help="where the executable goes")
    parser.add_argument("--fault", choices=FAULTS, default="", help="what it does wrong")
    given = parser.parse_args()
    if given.write:
        print(write(given.write, given.fault))
    elif os.environ.get(COOKIE[0]) != COOKIE[1] and FAULT != "no-notice":
        sys.exit(NOTICE)
    else:
        run_provider(Example())
        sys.stdout.flush()
        os._exit(0)  # at once: the threads of gRPC take their time, and Terraform starts a provider often


if __name__ == "__main__":
    main()
