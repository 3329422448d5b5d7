"""Reader of a provider's schema: directly and through Terraform, both in the sandbox. No Django here."""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import grpc

from portal.core.value_types import JsonObject
from verification.plugins import messages
from verification.plugins.client import PluginStartError, RunningPlugin, start_plugin
from verification.plugins.handshake import TERRAFORM_COOKIE
from verification.plugins.messages import RuntimeMessage
from verification.sandbox.environment import open_environment
from verification.sandbox.types import (
    MEGABYTE,
    CommandResult,
    ExitReason,
    Limits,
    SandboxUnavailable,
    decode_output_end,
)
from verification.testruns import terraform_cli
from verification.testruns.kinds.provider_schema import conversion
from verification.testruns.kinds.provider_schema.conversion import ProviderSchemaError

# Protocol 6 renamed the method.
METHOD_BY_PROTOCOL = {5: "tfplugin5.Provider.GetSchema", 6: "tfplugin6.Provider.GetProviderSchema"}
# The schema of the AWS provider is 13.6 MB as JSON and takes five seconds to read.
LIMITS = Limits(seconds=60, memory=2048 * MEGABYTE, disk=256 * MEGABYTE, processes=400, output=200 * MEGABYTE)
MAX_DIFFERENCES = 20
# What Terraform 1.12 and newer print in addition to the parts of the protocol that the direct reading knows.
PARTS_OF_NEWER_TERRAFORM = frozenset(
    {
        "action_schemas",
        "deprecation_message",
        "list_resource_schemas",
        "resource_identity_schemas",
        "state_store_schemas",
    }
)
SchemaResponse = tuple[JsonObject | None, str, str]  # the document, or None with the key and the message of the problem


@dataclass(frozen=True, slots=True)
class ProviderSchemaTarget:
    """The executable with its source address and version.

    `readable`: see open_environment.
    """

    executable: Path
    source: str
    version: str
    limits: Limits = LIMITS
    readable: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class SchemaReadResult:
    """The result of one reading method. `document`: as Terraform prints it, None if there is a `problem`.

    `key` identifies the problem: a handshake problem, "tls", "ended", "answer", "terraform", or an exit reason of
    the sandbox. `protocol`: the negotiated version, 0 if unknown. `peak`: memory in bytes.
    """

    via: str
    document: JsonObject | None
    key: str
    problem: str
    seconds: float
    peak: int
    output: str
    protocol: int = 0

    def as_dict(self) -> JsonObject:
        """Return plain data without the document, which is stored once."""
        names = ("via", "key", "problem", "protocol", "seconds", "peak", "output")
        return {"read": self.document is not None} | {name: getattr(self, name) for name in names}


def build_target(
    executable: Path, source: str = "", version: str = "", readable: Sequence[Path] = ()
) -> ProviderSchemaTarget:
    """Return the target. Source and version default to those in the file name. Raises ValueError."""
    name, file_version = terraform_cli.parse_executable_name(executable)
    if not source and not name:
        raise ValueError(f"{executable.name} isn't named terraform-provider-NAME. Pass its address with --source.")
    # An executable's name has no namespace, and Terraform needs one for the mirror's folders.
    address = terraform_cli.build_source_address(source or f"partner/{name}")
    return ProviderSchemaTarget(executable, address, version or file_version or "0.0.1", readable=tuple(readable))


def run_job(job_input: JsonObject, executable: Path, report_progress: Callable[[JsonObject], None]) -> JsonObject:
    """Read the schema in the sandbox's process, both ways by default, and compare the documents.

    Args:
        job_input: source, version, via, readable (paths); all optional.

    Returns:
        {"readings": from as_dict(), "schema": the document or None, "differences": [locations] or None without two
        documents}.

    Raises:
        SandboxUnavailable: There is no sandbox, or it failed.
        ValueError: The input is invalid; the message is safe to display.
    """
    readable = [Path(path) for path in job_input.get("readable", ())]
    source, version, via = (job_input.get(name, "") for name in ("source", "version", "via"))
    target = build_target(executable, source, version, readable)
    readings = []
    terraform = terraform_cli.find_terraform()
    if via != "terraform":
        report_progress({"message": "Reading the schema from the provider"})
        readings.append(read_directly(target))
    if terraform is not None and via != "direct":
        report_progress({"message": "Reading the schema through Terraform"})
        readings.append(read_with_terraform(target, terraform))
    # The other method may have succeeded, but half a comparison must not count as the provider's result.
    if lost_reading := next((reading for reading in readings if reading.key == ExitReason.LOST), None):
        raise SandboxUnavailable(lost_reading.problem)
    documents = [reading.document for reading in readings if reading.document is not None]
    return {
        "readings": [reading.as_dict() for reading in readings],
        # Terraform's document has more parts, such as the identities of resources.
        "schema": documents[-1] if documents else None,
        "differences": list_differences(documents[0], documents[1]) if len(documents) == 2 else None,
    }


def read_directly(target: ProviderSchemaTarget) -> SchemaReadResult:
    """Read the schema from the provider itself. Raises SandboxUnavailable."""
    start = time.monotonic()
    path = terraform_cli.get_provider_path(target.source, target.version)
    # Half of the time for the start and half for the call, so that the sandbox stops neither before its own timeout.
    protocols = sorted(METHOD_BY_PROTOCOL)
    timeout_seconds = target.limits.seconds / 2
    protocol = 0
    with open_environment(target.limits, files={path: target.executable}, readable=target.readable) as environment:
        argv = [environment.locate(path)]
        try:
            with start_plugin(
                environment, argv, TERRAFORM_COOKIE, protocols, has_tls=True, timeout_seconds=timeout_seconds
            ) as plugin:
                answer, key, problem = _fetch_schema(plugin, timeout_seconds)
                protocol = plugin.handshake.app
                seconds = time.monotonic() - start
            result = plugin.process.finish()
        except PluginStartError as error:
            answer = None
            key = error.key
            problem = str(error)
            result = error.result
            seconds = time.monotonic() - start
    document = None
    if answer is not None:
        document, key, problem = _convert_response(target.source, answer)
    output = decode_output_end(result.stderr)
    return SchemaReadResult("direct", document, key, problem, seconds, result.peak_bytes, output, protocol)


def _fetch_schema(plugin: RunningPlugin, timeout_seconds: float) -> tuple[RuntimeMessage, str, str]:
    """Return the response, or None with the key and the message of the problem."""
    method = METHOD_BY_PROTOCOL[plugin.handshake.app]
    try:
        return messages.call_method(plugin.channel, method, timeout_seconds), "", ""
    except grpc.RpcError as error:
        key, message = plugin.explain_error(error)
    if key == "ended":
        return None, key, f"The provider exited during the schema request. {message}"
    return None, key if key in tuple(ExitReason) else "answer", message


def _convert_response(source: str, response: RuntimeMessage) -> SchemaResponse:
    errors = conversion.list_errors(response)
    if errors:
        return None, "answer", f"The provider returned an error: {errors[0][:300].rstrip('.')}."
    try:
        return conversion.build_document(source, response), "", ""
    except ProviderSchemaError as error:
        return None, "answer", str(error)


def read_with_terraform(target: ProviderSchemaTarget, terraform: Path) -> SchemaReadResult:
    """Read the schema with `terraform providers schema -json`. Raises SandboxUnavailable."""
    start = time.monotonic()
    files = terraform_cli.build_project_files(target.executable, terraform, target.source, target.version)
    # Go starts threads for each processor of the machine, and the limit of processes counts threads.
    env = terraform_cli.ENVIRONMENT | {"GOMAXPROCS": "2"}
    with open_environment(target.limits, files=files, readable=target.readable, env=env) as environment:
        path = environment.locate("terraform")
        result = environment.run([path, "init", "-no-color"])
        if result.is_success:
            result = environment.run([path, "providers", "schema", "-json", "-no-color"])
    seconds = time.monotonic() - start
    document, key, problem = _parse_schema(result)
    output = decode_output_end(result.stderr or result.stdout) if problem else ""
    return SchemaReadResult("terraform", document, key, problem, seconds, result.peak_bytes, output)


def _parse_schema(result: CommandResult) -> SchemaResponse:
    if result.reason != ExitReason.FINISHED:
        return None, result.reason, result.message
    if result.exit_code:
        return None, "terraform", f"Terraform rejects the schema. {result.message}"
    with suppress(ValueError, RecursionError):
        return json.loads(result.stdout), "", ""
    return None, "terraform", "Terraform printed invalid JSON."


def list_differences(first: JsonObject, second: JsonObject) -> list[str]:
    """Return the first locations at which a document read directly and Terraform's document of a provider differ."""
    providers: list[JsonObject] = [next(iter(each["provider_schemas"].values()), {}) for each in (first, second)]
    return list(islice(_find_differences(providers[0], providers[1]), MAX_DIFFERENCES))


def _find_differences(first: object, second: object, where: str = "") -> Iterator[str]:
    if isinstance(first, dict) and isinstance(second, dict):
        for key in sorted(first.keys() | (second.keys() - PARTS_OF_NEWER_TERRAFORM)):
            yield from _find_differences(first.get(key), second.get(key), f"{where}.{key}" if where else key)
    elif first != second:
        yield where
