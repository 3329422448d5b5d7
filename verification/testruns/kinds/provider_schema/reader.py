"""What does a provider's executable say of its schema? Read from itself and through Terraform, both in the sandbox."""

import json
import os
import re
import shutil
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc

from verification.plugins import messages
from verification.plugins.client import NoPlugin, Plugin, plugin
from verification.plugins.handshake import TERRAFORM_COOKIE
from verification.sandbox.environment import open_environment
from verification.sandbox.types import MEGABYTE, PROJECT, CommandResult, ExitReason, Limits
from verification.testruns.kinds.provider_schema import conversion
from verification.testruns.kinds.provider_schema.conversion import BadSchema

VERSIONS = (5, 6)
HOST = "registry.terraform.io"
NAMED = re.compile(
    r"terraform-provider-(?P<name>[a-z0-9-]+?)(?:_v(?P<version>[0-9][0-9A-Za-z.+-]*?))?(?:_x\d)?(?:\.exe)?"
)
LIMITS = Limits(seconds=60, memory=2048 * MEGABYTE, disk=256 * MEGABYTE, processes=400, output=200 * MEGABYTE)
ALONE = {"CHECKPOINT_DISABLE": "1", "TF_IN_AUTOMATION": "1", "TF_CLI_CONFIG_FILE": f"{PROJECT}/terraform.rc",
         "GOMAXPROCS": "2"}  # fmt: skip
MACHINES = {"x86_64": "amd64", "aarch64": "arm64"}
MOST_TOLD = 2000
SETTLE = 3.0  # seconds in which a program that does not answer may turn out to have ended


@dataclass(frozen=True, slots=True)
class Given:
    """What is read: the executable, and the address and version under which it is known.

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
class Reading:
    """One way in which the schema was read. `document` as Terraform prints it, None where `problem` says why not.

    `key` names the problem: one of the handshake's, "silent", "ended", "answer", "terraform" or a kind of the
    sandbox's. `protocol` is what the handshake chose, 0 where it was not seen. `peak` in bytes.
    """

    via: str
    document: dict[str, Any] | None
    key: str = ""
    problem: str = ""
    protocol: int = 0
    seconds: float = 0.0
    peak: int = 0
    said: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Without the document, which is large and stands once."""
        return {
            "via": self.via, "read": self.document is not None, "key": self.key, "problem": self.problem,
            "protocol": self.protocol, "seconds": round(self.seconds, 3), "peak": self.peak, "said": self.said,
        }  # fmt: skip


def given_of(executable: Path, source: str = "", version: str = "", readable: Sequence[Path] = ()) -> Given:
    """What the file's own name says of it, where nothing else does. Raises ValueError for a name that says nothing."""
    match = NAMED.fullmatch(executable.name)
    if not source and match is None:
        raise ValueError(f"{executable.name} is not called terraform-provider-NAME; name its address with --source.")
    address = source or f"partner/{match['name'] if match else ''}"
    address = address if address.count("/") == 2 else f"{HOST}/{address}"
    return Given(
        executable, address, version or (match["version"] if match else "") or "0.0.1", readable=tuple(readable)
    )


def direct(given: Given) -> Reading:
    """From the provider itself. Raises SandboxUnavailable."""
    begin = time.monotonic()
    with open_environment(given.limits, files={given.file: given.executable}, readable=given.readable) as environment:
        seconds = given.limits.seconds / 2
        try:
            with plugin(
                environment, [environment.locate(given.file)], TERRAFORM_COOKIE, VERSIONS, seconds=seconds
            ) as found:
                answer, key, problem = _answer(found, seconds)
                protocol, took, process = found.handshake.app, time.monotonic() - begin, found.process
        except NoPlugin as refusal:
            said = _tail(refusal.result.stderr)
            return Reading("direct", None, refusal.key, str(refusal), 0, time.monotonic() - begin,
                           refusal.result.peak_bytes, said)  # fmt: skip
    result = process.finish()
    peak, said = result.peak_bytes, _tail(result.stderr)
    if answer is not None and not problem:
        answer, key, problem = _converted(given.source, answer)
    return Reading("direct", answer, key, problem, protocol, took, peak, said)


def _answer(found: Plugin, seconds: float) -> tuple[Any, str, str]:
    """(answer, key, problem): what it says to the question for its schema, or why that is nothing."""
    try:
        return messages.schema_of(found.channel, found.handshake.app, seconds), "", ""
    except grpc.RpcError as error:
        if error.code() == grpc.StatusCode.UNAVAILABLE:
            found.process.wait(SETTLE)
        return None, *_why(found.process.result, error)


def _why(ended: CommandResult | None, error: Any) -> tuple[str, str]:
    if ended is not None and ended.reason != ExitReason.FINISHED:
        return ended.reason, ended.message
    if ended is not None:
        return "ended", f"It ended when it was asked for its schema. {ended.message}"
    code = error.code()
    if code == grpc.StatusCode.DEADLINE_EXCEEDED:
        return ExitReason.TIMED_OUT, "It did not tell its schema in time and was stopped."
    if code == grpc.StatusCode.UNIMPLEMENTED:
        return "answer", "It does not know the question for its schema."
    return "answer", f"It did not tell its schema: {str(error.details())[:300]}."


def _converted(source: str, answer: Any) -> tuple[dict[str, Any] | None, str, str]:
    """Return the document, and the key and the text of the problem where there is none."""
    wrong = conversion.errors(answer)
    if wrong:
        return None, "answer", f"It answers with an error of its own: {wrong[0][:300]}."
    try:
        return conversion.document(source, answer), "", ""
    except BadSchema as bad:
        return None, "answer", str(bad)


def through_terraform(given: Given, terraform: Path, tell: Callable[[str], None] = lambda _: None) -> Reading:
    """With `terraform providers schema -json`. Raises SandboxUnavailable."""
    begin = time.monotonic()
    with open_environment(
        given.limits, files=_project(given, terraform), readable=given.readable, env=ALONE
    ) as environment:
        tell("Terraform installs the provider")
        result = environment.run([environment.locate("terraform"), "init", "-no-color", "-input=false"])
        if result.is_success:
            tell("Terraform reads the schema")
            result = environment.run([environment.locate("terraform"), "providers", "schema", "-json", "-no-color"])
    took, said = time.monotonic() - begin, _tail(result.stderr or result.stdout)
    document, key, problem = _parse_schema(result)
    return Reading("terraform", document, key, problem, 0, took, result.peak_bytes, said if problem else "")


def _parse_schema(result: CommandResult) -> tuple[dict[str, Any] | None, str, str]:
    """Return the document, and the key and the text of the problem where there is none."""
    if result.reason != ExitReason.FINISHED:
        return None, result.reason, result.message
    if result.exit_code:
        return None, "terraform", f"Terraform does not take it. {result.message}"
    with suppress(ValueError, RecursionError):
        return json.loads(result.stdout), "", ""
    return None, "terraform", "What Terraform printed is no JSON."


def _project(given: Given, terraform: Path) -> dict[str, bytes | Path]:
    """A folder in which Terraform finds the provider, and nothing else anywhere."""
    name, platform = given.source.rpartition("/")[2], f"linux_{MACHINES.get(os.uname().machine, 'amd64')}"
    block = f'    {name} = {{ source = "{given.source}", version = "{given.version}" }}\n'
    return {
        "terraform": terraform,
        f"mirror/{given.source}/{given.version}/{platform}/{given.file}": given.executable,
        "main.tf": f"terraform {{\n  required_providers {{\n{block}  }}\n}}\n".encode(),
        "terraform.rc": f'provider_installation {{\n  filesystem_mirror {{ path = "{PROJECT}/mirror" }}\n}}\n'.encode(),
    }


def terraform_here() -> Path | None:
    """The Terraform of this worker, or OpenTofu."""
    found = shutil.which("terraform") or shutil.which("tofu")
    return Path(found).resolve() if found else None


def differences(one: dict[str, Any], other: dict[str, Any], most: int = 20) -> list[str]:
    """Where two documents of one provider differ, by place; empty where they say the same."""
    found: list[str] = []
    _compare(_only(one), _only(other), "", found)
    return found[:most]


def _only(document: dict[str, Any]) -> Any:
    return next(iter(document["provider_schemas"].values()), {})


def _compare(one: Any, other: Any, where: str, found: list[str]) -> None:
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted(one.keys() | other.keys()):
            _compare(one.get(key), other.get(key), f"{where}.{key}" if where else key, found)
    elif one != other:
        found.append(where)


def _tail(text: bytes) -> str:
    return text.decode("utf-8", "replace")[-MOST_TOLD:]
