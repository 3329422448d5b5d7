"""Driver of a Nomad plugin test: calls the plugin in the sandbox as Nomad's agent does. No Django here."""

import json
import time
from dataclasses import replace
from typing import Any

import grpc
import msgpack
from google.protobuf import json_format

from portal.core.value_types import JsonObject
from verification.plugins import messages
from verification.plugins.client import PluginStartError, RunningPlugin, start_plugin
from verification.plugins.handshake import NOMAD_COOKIE
from verification.plugins.messages import API_VERSION, BASE, DEVICE, DRIVER, RuntimeMessage
from verification.sandbox.environment import Environment, open_environment
from verification.sandbox.types import MEGABYTE, ExitReason, Limits, decode_output_end
from verification.testruns.kinds.nomad_plugin import hcl_spec
from verification.testruns.kinds.nomad_plugin.records import (
    STATUS_ANSWERED,
    STEP_TITLES,
    NomadPluginRecords,
    NomadPluginTarget,
    PluginCall,
)
from verification.testruns.sandbox_jobs import SandboxTestRunner

PROTOCOL_VERSIONS = (1,)
# MessagePack never uses this byte, so no configuration can begin with it.
INVALID_MSGPACK = b"\xc1"
UNKNOWN_DEVICE_ID = "no-such-device"
ANSWER_TIMEOUT_SECONDS = 10.0
DIRECT_START_SECONDS = 5.0
SHUTDOWN_SECONDS = 3.0
MAX_ANSWER_CHARACTERS = 200_000
LIMITS = Limits(seconds=60, memory=1024 * MEGABYTE, disk=128 * MEGABYTE, processes=200, output=2 * MEGABYTE)


class NomadPluginTestRunner(SandboxTestRunner[NomadPluginTarget, NomadPluginRecords]):
    """One test of a plugin."""

    target_class = NomadPluginTarget
    records_class = NomadPluginRecords
    timeout_seconds = ANSWER_TIMEOUT_SECONDS

    def run_steps(self) -> None:
        with open_environment(LIMITS, files={"plugin": self.executable}, readable=self.readable) as environment:
            self._start_directly(environment)
            self._check_plugin(environment)

    def _start_directly(self, environment: Environment) -> None:
        start = time.monotonic()
        result = environment.run([environment.locate("plugin")], seconds=DIRECT_START_SECONDS)
        status = STATUS_ANSWERED if result.reason == ExitReason.FINISHED else str(result.reason)
        data = {"code": result.exit_code, "output": decode_output_end(result.stderr + result.stdout)}
        self._record_call("direct", status, result.message, data, start)

    def _check_plugin(self, environment: Environment) -> None:
        start = time.monotonic()
        argv = [environment.locate("plugin")]
        try:
            with start_plugin(
                environment, argv, NOMAD_COOKIE, PROTOCOL_VERSIONS, timeout_seconds=self.timeout_seconds
            ) as plugin:
                data = {"app": plugin.handshake.app, "network": plugin.handshake.network}
                self._record_call("handshake", STATUS_ANSWERED, "", data, start)
                self._make_calls(plugin)
        except PluginStartError as refusal:
            data = {"output": decode_output_end(refusal.result.stderr)}
            self._record_call("handshake", refusal.key, str(refusal), data, start)

    def _make_calls(self, plugin: RunningPlugin) -> None:
        self._call(plugin, "info", f"{BASE}.PluginInfo")
        self._configure(plugin)
        if self.target.type == "driver":
            answer = self._call(plugin, "task_schema", f"{DRIVER}.TaskConfigSchema")
            if answer is not None:
                self.records = replace(
                    self.records, task_schema_problems=tuple(hcl_spec.find_schema_problems(answer.spec))
                )
            self._call(plugin, "capabilities", f"{DRIVER}.Capabilities")
            self._call(plugin, "fingerprint", f"{DRIVER}.Fingerprint")
        else:
            self._call(plugin, "fingerprint", f"{DEVICE}.Fingerprint")
            self._call(plugin, "reserve", f"{DEVICE}.Reserve", device_ids=[UNKNOWN_DEVICE_ID])
            self._call(plugin, "stats", f"{DEVICE}.Stats", collection_interval={"seconds": 1})
        # After all other calls, because a plugin that exits here couldn't answer them.
        self._set_config(plugin, "garbage", INVALID_MSGPACK)
        self._call(plugin, "alive", f"{BASE}.PluginInfo")
        self._shut_down(plugin)

    def _configure(self, plugin: RunningPlugin) -> None:
        answer = self._call(plugin, "schema", f"{BASE}.ConfigSchema")
        if answer is None:
            return
        self.records = replace(self.records, schema_problems=tuple(hcl_spec.find_schema_problems(answer.spec)))
        # Nomad's agent reads the configuration with the schema, so without a valid one it passes nothing on.
        if not self.records.schema_problems:
            values, problems = hcl_spec.evaluate_config(answer.spec, dict(self.target.config))
            self.records = replace(self.records, config_problems=tuple(problems))
            if not problems:
                # Integers of more than 64 bits don't exist in MessagePack, so Nomad sends them as text.
                self._set_config(plugin, "config", msgpack.packb(values, default=str))

    def _set_config(self, plugin: RunningPlugin, key: str, config: bytes) -> None:
        self._call(plugin, key, f"{BASE}.SetConfig", msgpack_config=config, plugin_api_version=API_VERSION)

    def _shut_down(self, plugin: RunningPlugin) -> None:
        """Shut the plugin down as Nomad's library does, and wait a few seconds."""
        start = time.monotonic()
        messages.shut_down(plugin.channel, SHUTDOWN_SECONDS)
        has_ended = plugin.process.wait(SHUTDOWN_SECONDS) is not None
        self._record_call("end", STATUS_ANSWERED, "", {"ended": has_ended}, start)

    def _call(self, plugin: RunningPlugin, key: str, method: str, **fields: Any) -> RuntimeMessage:
        """Return the response, None if there is none. The call is recorded in both cases."""
        start = time.monotonic()
        try:
            answer = messages.call_method(plugin.channel, method, self.timeout_seconds, **fields)
        except grpc.RpcError as error:
            self._record_call(key, *plugin.explain_error(error), {}, start)
            return None
        if answer is None:
            self._record_call(key, "empty", "The response ended before it started.", {}, start)
        else:
            # Fields with their default value are left out. Rules must read a missing one as 0, blank, or empty.
            data = json_format.MessageToDict(answer, preserving_proto_field_name=True)
            self._record_call(key, STATUS_ANSWERED, "", data, start)
        return answer

    def _record_call(self, key: str, status: str, message: str, data: JsonObject, start: float) -> None:
        """Record a call. An oversized response counts as missing."""
        # A response can be 256 MB, and each progress report stores all records.
        size = len(json.dumps(data))
        if size > MAX_ANSWER_CHARACTERS:
            status = "too much"
            data = {}
            message = f"The response has {size} characters. The limit is {MAX_ANSWER_CHARACTERS}."
        seconds = round(time.monotonic() - start, 3)
        self.record_step(PluginCall(key, STEP_TITLES[key], status, message, seconds, data))
