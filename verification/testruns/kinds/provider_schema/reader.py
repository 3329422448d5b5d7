"""Reader of a provider's schema: directly and through Terraform, both in the sandbox."""

import json
import os
import re
import shutil
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import grpc

from portal.core.value_types import JsonObject
from verification.plugins import messages
from verification.plugins.client import PluginStartError, RunningPlugin, start_plugin
from verification.plugins.descriptors import RuntimeMessage
from verification.plugins.handshake import TERRAFORM_COOKIE
from verification.sandbox.environment import open_environment
from verification.sandbox.types import MEGABYTE, PROJECT, CommandResult, ExitReason, Limits
from verification.testruns.kinds.provider_schema import conversion
from verification.testruns.kinds.provider_schema.conversion import ProviderSchemaError

PROTOCOL_VERSIONS = (5, 6)
REGISTRY_HOST = "registry.terraform.io"
EXECUTABLE_PATTERN = re.compile(
    r"terraform-provider-(?P<name>[a-z0-9-]+?)(?:_v(?P<version>[0-9][0-9A-Za-z.+-]*?))?(?:_x\d)?(?:\.exe)?"
)
LIMITS = Limits(seconds=60, memory=2048 * MEGABYTE, disk=256 * MEGABYTE, processes=400, output=200 * MEGABYTE)
TERRAFORM_ENVIRONMENT = {
    "CHECKPOINT_DISABLE": "1",
    "TF_IN_AUTOMATION": "1",
    "TF_CLI_CONFIG_FILE": f"{PROJECT}/terraform.rc",
    "GOMAXPROCS": "2",
}
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
MAX_OUTPUT_CHARACTERS = 2000
EXIT_WAIT_SECONDS = 3.0  # seconds in which a program that does not answer may turn out to have ended


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

    @property
    def file(self) -> str:
        return f"terraform-provider-{self.source.rpartition('/')[2]}_v{self.version}"


@dataclass(frozen=True, slots=True)
class SchemaReadResult:
    """The result of one reading method. `document`: as Terraform prints it, None if there is a `problem`.

    `key` identifies the problem: a handshake problem, "silent", "ended", "answer", "terraform", or an exit reason of
    the sandbox. `protocol`: the negotiated version, 0 if unknown. `peak`: memory in bytes.
    """

    via: str
    document: dict[str, object] | None
    key: str = ""
    problem: str = ""
    protocol: int = 0
    seconds: float = 0.0
    peak: int = 0
    output: str = ""

    def as_dict(self) -> JsonObject:
        """Return plain data without the document, which is stored once."""
        return {
            "via": self.via,
            "read": self.document is not None,
            "key": self.key,
            "problem": self.problem,
            "protocol": self.protocol,
            "seconds": round(self.seconds, 3),
            "peak": self.peak,
            "said": self.output,
        }


def build_target(
    executable: Path, source: str = "", version: str = "", readable: Sequence[Path] = ()
) -> ProviderSchemaTarget:
    """Return the target. Source and version default to those in the file name. Raises ValueError."""
    match = EXECUTABLE_PATTERN.fullmatch(executable.name)
    if not source and match is None:
        raise ValueError(f"{executable.name} isn't named terraform-provider-NAME. Pass its address with --source.")
    address = source or f"partner/{match['name'] if match else ''}"
    address = address if address.count("/") == 2 else f"{REGISTRY_HOST}/{address}"
    return ProviderSchemaTarget(
        executable, address, version or (match["version"] if match else "") or "0.0.1", readable=tuple(readable)
    )


def read_directly(target: ProviderSchemaTarget) -> SchemaReadResult:
    """Read the schema from the provider itself. Raises SandboxUnavailable."""
    start = time.monotonic()
    with open_environment(
        target.limits, files={target.file: target.executable}, readable=target.readable
    ) as environment:
        seconds = target.limits.seconds / 2
        try:
            with start_plugin(
                environment,
                [environment.locate(target.file)],
                TERRAFORM_COOKIE,
                PROTOCOL_VERSIONS,
                timeout_seconds=seconds,
            ) as plugin:
                answer, key, problem = _fetch_schema(plugin, seconds)
                protocol, duration_seconds, process = plugin.handshake.app, time.monotonic() - start, plugin.process
        except PluginStartError as error:
            output = _decode_tail(error.result.stderr)
            return SchemaReadResult(
                "direct", None, error.key, str(error), 0, time.monotonic() - start, error.result.peak_bytes, output
            )
    result = process.finish()
    peak, output = result.peak_bytes, _decode_tail(result.stderr)
    if answer is not None and not problem:
        answer, key, problem = _convert_answer(target.source, answer)
    return SchemaReadResult("direct", answer, key, problem, protocol, duration_seconds, peak, output)


def _fetch_schema(plugin: RunningPlugin, timeout_seconds: float) -> tuple[RuntimeMessage, str, str]:
    """Return (response, key, problem) of the schema call."""
    try:
        return messages.fetch_schema(plugin.channel, plugin.handshake.app, timeout_seconds), "", ""
    except grpc.RpcError as error:
        if error.code() == grpc.StatusCode.UNAVAILABLE:
            plugin.process.wait(EXIT_WAIT_SECONDS)
        return None, *_explain_error(plugin.process.result, error)


def _explain_error(result: CommandResult | None, error: grpc.RpcError) -> tuple[str, str]:
    if result is not None and result.reason != ExitReason.FINISHED:
        return result.reason, result.message
    if result is not None:
        return "ended", f"The provider exited during the schema request. {result.message}"
    code = error.code()
    if code == grpc.StatusCode.DEADLINE_EXCEEDED:
        return ExitReason.TIMED_OUT, "The provider didn't return its schema in time, so we stopped it."
    if code == grpc.StatusCode.UNIMPLEMENTED:
        return "answer", "The provider doesn't implement the schema request."
    return "answer", f"The provider didn't return its schema: {str(error.details())[:300]}."


def _convert_answer(source: str, answer: object) -> tuple[JsonObject | None, str, str]:
    """Return (document, key, problem) for a response."""
    errors = conversion.list_errors(answer)
    if errors:
        return None, "answer", f"The provider returned an error: {errors[0][:300]}."
    try:
        return conversion.build_document(source, answer), "", ""
    except ProviderSchemaError as error:
        return None, "answer", str(error)


def read_with_terraform(
    target: ProviderSchemaTarget, terraform: Path, report_progress: Callable[[str], None] = lambda _: None
) -> SchemaReadResult:
    """Read the schema with `terraform providers schema -json`. Raises SandboxUnavailable."""
    start = time.monotonic()
    with open_environment(
        target.limits,
        files=_build_project_files(target, terraform),
        readable=target.readable,
        env=TERRAFORM_ENVIRONMENT,
    ) as environment:
        report_progress("Terraform installs the provider")
        result = environment.run([environment.locate("terraform"), "init", "-no-color", "-input=false"])
        if result.is_success:
            report_progress("Terraform reads the schema")
            result = environment.run([environment.locate("terraform"), "providers", "schema", "-json", "-no-color"])
    duration_seconds, output = time.monotonic() - start, _decode_tail(result.stderr or result.stdout)
    document, key, problem = _parse_schema(result)
    return SchemaReadResult(
        "terraform", document, key, problem, 0, duration_seconds, result.peak_bytes, output if problem else ""
    )


def _parse_schema(result: CommandResult) -> tuple[dict[str, object] | None, str, str]:
    """Return (document, key, problem) for the output of Terraform."""
    if result.reason != ExitReason.FINISHED:
        return None, result.reason, result.message
    if result.exit_code:
        return None, "terraform", f"Terraform rejects the schema. {result.message}"
    with suppress(ValueError, RecursionError):
        return json.loads(result.stdout), "", ""
    return None, "terraform", "Terraform printed invalid JSON."


def _build_project_files(target: ProviderSchemaTarget, terraform: Path) -> dict[str, bytes | Path]:
    """Return the files of a project whose only provider source is a local mirror."""
    name, platform = target.source.rpartition("/")[2], f"linux_{ARCHITECTURES.get(os.uname().machine, 'amd64')}"
    block = f'    {name} = {{ source = "{target.source}", version = "{target.version}" }}\n'
    return {
        "terraform": terraform,
        f"mirror/{target.source}/{target.version}/{platform}/{target.file}": target.executable,
        "main.tf": f"terraform {{\n  required_providers {{\n{block}  }}\n}}\n".encode(),
        "terraform.rc": f'provider_installation {{\n  filesystem_mirror {{ path = "{PROJECT}/mirror" }}\n}}\n'.encode(),
    }


def find_terraform() -> Path | None:
    """Return the path of Terraform or OpenTofu on this worker."""
    path = shutil.which("terraform") or shutil.which("tofu")
    return Path(path).resolve() if path else None


def list_differences(first: dict[str, object], second: dict[str, object], limit: int = 20) -> list[str]:
    """Return the locations at which two documents of one provider differ."""
    differences: list[str] = []
    _collect_differences(_get_provider_document(first), _get_provider_document(second), "", differences)
    return differences[:limit]


def _get_provider_document(document: JsonObject) -> object:
    return next(iter(document["provider_schemas"].values()), {})


def _collect_differences(first: object, second: object, where: str, differences: list[str]) -> None:
    if isinstance(first, dict) and isinstance(second, dict):
        for key in sorted(first.keys() | second.keys()):
            _collect_differences(first.get(key), second.get(key), f"{where}.{key}" if where else key, differences)
    elif first != second:
        differences.append(where)


def _decode_tail(text: bytes) -> str:
    return text.decode("utf-8", "replace")[-MAX_OUTPUT_CHARACTERS:]
