"""Driver of a Nomad plugin test: calls the plugin in the sandbox as Nomad's agent does."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import grpc
import msgpack
from google.protobuf import json_format

from portal.core.value_types import JsonObject
from verification.plugins import nomad_messages
from verification.plugins.client import PluginStartError, RunningPlugin, start_plugin
from verification.plugins.descriptors import RuntimeMessage
from verification.plugins.handshake import NOMAD_COOKIE
from verification.plugins.nomad_messages import BASE, DEVICE, DRIVER
from verification.sandbox.environment import Environment, open_environment
from verification.sandbox.types import MEGABYTE, CommandResult, ExitReason, Limits, SandboxUnavailable
from verification.testruns.kinds.nomad_plugin import hcl_spec
from verification.testruns.kinds.nomad_plugin.records import STATUS_ANSWERED, NomadPluginRecords, PluginCall

PROTOCOL_VERSIONS = (1,)
API_VERSION = "v0.1.0"
INVALID_MSGPACK = b"\xc1"  # the one byte that MessagePack never uses
UNKNOWN_DEVICE_ID = "no-such-device"
ANSWER_TIMEOUT_SECONDS, DIRECT_START_SECONDS, SHUTDOWN_SECONDS = 10.0, 5.0, 3.0  # seconds
LIMITS = Limits(seconds=60, memory=1024 * MEGABYTE, disk=128 * MEGABYTE, processes=200, output=2 * MEGABYTE)
CALL_TITLES = {
    "direct": "Direct start",
    "handshake": "Handshake",
    "info": "PluginInfo",
    "schema": "ConfigSchema",
    "config": "SetConfig",
    "task_schema": "TaskConfigSchema",
    "capabilities": "Capabilities",
    "fingerprint": "Fingerprint",
    "reserve": "Reserve of an unknown device",
    "stats": "Stats",
    "garbage": "SetConfig with invalid MessagePack",
    "alive": "Second PluginInfo call",
    "end": "Shutdown",
}


@dataclass(frozen=True, slots=True)
class NomadPluginTarget:
    """The tested plugin: its executable, expected identity, and configuration.

    `readable`: see open_environment.
    """

    executable: Path
    type: str
    name: str = ""
    version: str = ""
    config: JsonObject = field(default_factory=dict)
    readable: tuple[Path, ...] = ()

    @property
    def claims(self) -> dict[str, str]:
        return {"type": self.type, "name": self.name, "version": self.version}


@dataclass
class NomadPluginTestRunner:
    """One test of a plugin. `report_progress` receives the records after each call."""

    target: NomadPluginTarget
    report_progress: Callable[[NomadPluginRecords], None] = lambda records: None
    timeout_seconds: float = ANSWER_TIMEOUT_SECONDS
    records: NomadPluginRecords = field(init=False)

    def __post_init__(self) -> None:
        self.records = NomadPluginRecords(self.target.claims)

    def run(self) -> NomadPluginRecords:
        """Make all calls. Errors on our side are recorded in `broken` or `unavailable`, not raised."""
        try:
            with open_environment(
                LIMITS, files={"plugin": self.target.executable}, readable=self.target.readable
            ) as environment:
                self._start_directly(environment)
                self._check_plugin(environment)
        except SandboxUnavailable as error:
            is_started = bool(self.records.asked)
            failure, reason = (str(error), "") if is_started else ("", f"Not run: {error}")
            self.records = replace(self.records, broken=failure, unavailable=reason)
        self.records = replace(self.records, over=True)
        self.report_progress(self.records)
        return self.records

    def _start_directly(self, environment: Environment) -> None:
        start = time.monotonic()
        result = environment.run([environment.locate("plugin")], seconds=DIRECT_START_SECONDS)
        output = (result.stderr + result.stdout).decode("utf-8", "replace")[-2000:]
        status = STATUS_ANSWERED if result.reason == ExitReason.FINISHED else str(result.reason)
        self._record_call("direct", status, result.message, {"code": result.exit_code, "said": output}, start)

    def _check_plugin(self, environment: Environment) -> None:
        start = time.monotonic()
        try:
            with start_plugin(
                environment,
                [environment.locate("plugin")],
                NOMAD_COOKIE,
                PROTOCOL_VERSIONS,
                timeout_seconds=self.timeout_seconds,
            ) as plugin:
                data = {"app": plugin.handshake.app, "network": plugin.handshake.network}
                self._record_call("handshake", STATUS_ANSWERED, "", data, start)
                self._make_calls(plugin)
        except PluginStartError as refusal:
            stderr_text = refusal.result.stderr.decode("utf-8", "replace")[-2000:]
            self._record_call("handshake", refusal.key, str(refusal), {"said": stderr_text}, start)

    def _make_calls(self, plugin: RunningPlugin) -> None:
        self._call(plugin, "info", f"{BASE}.PluginInfo")
        self._configure(plugin)
        if self.target.type == "driver":
            answer = self._call(plugin, "task_schema", f"{DRIVER}.TaskConfigSchema")
            if answer is not None:
                self.records = replace(self.records, task_schema=tuple(hcl_spec.find_schema_problems(answer.spec)))
            self._call(plugin, "capabilities", f"{DRIVER}.Capabilities")
            self._call(plugin, "fingerprint", f"{DRIVER}.Fingerprint")
        else:
            self._call(plugin, "fingerprint", f"{DEVICE}.Fingerprint")
            self._call(plugin, "reserve", f"{DEVICE}.Reserve", device_ids=[UNKNOWN_DEVICE_ID])
            self._call(plugin, "stats", f"{DEVICE}.Stats", collection_interval={"seconds": 1})
        self._call(
            plugin, "garbage", f"{BASE}.SetConfig", msgpack_config=INVALID_MSGPACK, plugin_api_version=API_VERSION
        )
        self._call(plugin, "alive", f"{BASE}.PluginInfo")
        self._shut_down(plugin)

    def _configure(self, plugin: RunningPlugin) -> None:
        answer = self._call(plugin, "schema", f"{BASE}.ConfigSchema")
        if answer is None:
            return
        schema_problems = hcl_spec.find_schema_problems(answer.spec)
        self.records = replace(self.records, schema=tuple(schema_problems))
        if schema_problems:
            return
        values, problems = hcl_spec.evaluate_config(answer.spec, dict(self.target.config))
        self.records = replace(self.records, problems=tuple(problems))
        if not problems:
            payload = msgpack.packb(values)
            self._call(plugin, "config", f"{BASE}.SetConfig", msgpack_config=payload, plugin_api_version=API_VERSION)

    def _shut_down(self, plugin: RunningPlugin) -> None:
        """Shut the plugin down as Nomad's library does, and wait a few seconds."""
        start = time.monotonic()
        nomad_messages.shut_down(plugin.channel, SHUTDOWN_SECONDS)
        self._record_call(
            "end", STATUS_ANSWERED, "", {"ended": _wait_for_exit(plugin, SHUTDOWN_SECONDS) is not None}, start
        )

    def _call(self, plugin: RunningPlugin, call_name: str, method: str, **fields: Any) -> RuntimeMessage:
        """Return the response, None if there is none. The call is recorded in both cases."""
        start = time.monotonic()
        try:
            answer = nomad_messages.call_method(plugin.channel, method, self.timeout_seconds, **fields)
        except grpc.RpcError as error:
            self._record_call(call_name, *_explain_error(plugin, error), {}, start)
            return None
        data = json_format.MessageToDict(answer, preserving_proto_field_name=True) if answer is not None else {}
        status, message = (
            (STATUS_ANSWERED, "") if answer is not None else ("empty", "The response ended before it started.")
        )
        self._record_call(call_name, status, message, data, start)
        return answer

    def _record_call(self, call_name: str, status: str, message: str, data: dict[str, object], start: float) -> None:
        duration_seconds = round(time.monotonic() - start, 3)
        call = PluginCall(call_name, CALL_TITLES[call_name], status, message, data, duration_seconds)
        self.records = replace(self.records, asked=(*self.records.asked, call))
        self.report_progress(self.records)


def _explain_error(plugin: RunningPlugin, error: grpc.RpcError) -> tuple[str, str]:
    """Return (status, sentence) for a call without a response."""
    code = error.code()
    # the channel breaks a moment before the end of the process is seen
    result = _wait_for_exit(plugin, 1.0) if code == grpc.StatusCode.UNAVAILABLE else plugin.process.result
    if result is not None:
        return ("ended" if result.reason == ExitReason.FINISHED else str(result.reason)), result.message
    if code == grpc.StatusCode.DEADLINE_EXCEEDED:
        return str(ExitReason.TIMED_OUT), "The plugin didn't respond in time."
    return code.name, f"The plugin returned {code.name}: {str(error.details())[:300]}"


def _wait_for_exit(plugin: RunningPlugin, seconds: float) -> CommandResult | None:
    """Return how the plugin ended, None if it is still running after the timeout."""
    return plugin.process.wait(seconds)
