"""How is a Nomad plugin asked? In a room of the sandbox, as Nomad's agent asks it, question after question."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import grpc
import msgpack
from google.protobuf import json_format

from verification.plugins import nomad_messages
from verification.plugins.client import NoPlugin, Plugin, plugin
from verification.plugins.handshake import NOMAD_COOKIE
from verification.plugins.nomad_messages import BASE, DEVICE, DRIVER
from verification.sandbox.environment import Environment, open_environment
from verification.sandbox.types import MEGABYTE, CommandResult, ExitReason, Limits, SandboxUnavailable
from verification.testruns.kinds.nomad_plugin import hcl_spec
from verification.testruns.kinds.nomad_plugin.records import ANSWERED, Asked, Seen

VERSIONS = (1,)
API_VERSION = "v0.1.0"
NO_MSGPACK = b"\xc1"  # the one byte that MessagePack never uses
NO_DEVICE = "no-such-device"
ANSWER, DIRECT, END = 10.0, 5.0, 3.0  # seconds
LIMITS = Limits(seconds=60, memory=1024 * MEGABYTE, disk=128 * MEGABYTE, processes=200, output=2 * MEGABYTE)
TITLES = {
    "direct": "Started directly", "handshake": "Handshake", "info": "PluginInfo", "schema": "ConfigSchema",
    "config": "SetConfig", "task_schema": "TaskConfigSchema", "capabilities": "Capabilities",
    "fingerprint": "Fingerprint", "reserve": "Reserve of an unknown device", "stats": "Stats",
    "garbage": "SetConfig with what is no MessagePack", "alive": "PluginInfo once more", "end": "Shutdown",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Given:
    """What is rehearsed: the executable, what is claimed of it, the configuration to set.

    `readable`: see open_environment.
    """

    executable: Path
    type: str
    name: str = ""
    version: str = ""
    config: Mapping[str, Any] = field(default_factory=dict)
    readable: tuple[Path, ...] = ()

    @property
    def claims(self) -> dict[str, str]:
        return {"type": self.type, "name": self.name, "version": self.version}


@dataclass
class Play:
    """One rehearsal under way. `tell` hears of each answer."""

    given: Given
    tell: Callable[[Seen], None] = lambda seen: None
    seconds: float = ANSWER
    seen: Seen = field(init=False)

    def __post_init__(self) -> None:
        self.seen = Seen(self.given.claims)

    def play(self) -> Seen:
        """Ask everything. Raises nothing: what is ours to answer for stands in `broken` or `unavailable`."""
        try:
            with open_environment(
                LIMITS, files={"plugin": self.given.executable}, readable=self.given.readable
            ) as place:
                self._direct(place)
                self._check_plugin(place)
        except SandboxUnavailable as lost:
            is_begun = bool(self.seen.asked)
            broken, unavailable = (str(lost), "") if is_begun else ("", f"Not run: {lost}")
            self.seen = replace(self.seen, broken=broken, unavailable=unavailable)
        self.seen = replace(self.seen, over=True)
        self.tell(self.seen)
        return self.seen

    def _direct(self, environment: Environment) -> None:
        begin = time.monotonic()
        result = environment.run([environment.locate("plugin")], seconds=DIRECT)
        said = (result.stderr + result.stdout).decode("utf-8", "replace")[-2000:]
        came = ANSWERED if result.reason == ExitReason.FINISHED else str(result.reason)
        self._note("direct", came, result.message, {"code": result.exit_code, "said": said}, begin)

    def _check_plugin(self, environment: Environment) -> None:
        begin = time.monotonic()
        try:
            with plugin(
                environment, [environment.locate("plugin")], NOMAD_COOKIE, VERSIONS, seconds=self.seconds
            ) as found:
                data = {"app": found.handshake.app, "network": found.handshake.network}
                self._note("handshake", ANSWERED, "", data, begin)
                self._questions(found)
        except NoPlugin as refusal:
            said = refusal.result.stderr.decode("utf-8", "replace")[-2000:]
            self._note("handshake", refusal.key, str(refusal), {"said": said}, begin)

    def _questions(self, found: Plugin) -> None:
        self._ask(found, "info", f"{BASE}.PluginInfo")
        self._configure(found)
        if self.given.type == "driver":
            answer = self._ask(found, "task_schema", f"{DRIVER}.TaskConfigSchema")
            if answer is not None:
                self.seen = replace(self.seen, task_schema=tuple(hcl_spec.problems(answer.spec)))
            self._ask(found, "capabilities", f"{DRIVER}.Capabilities")
            self._ask(found, "fingerprint", f"{DRIVER}.Fingerprint")
        else:
            self._ask(found, "fingerprint", f"{DEVICE}.Fingerprint")
            self._ask(found, "reserve", f"{DEVICE}.Reserve", device_ids=[NO_DEVICE])
            self._ask(found, "stats", f"{DEVICE}.Stats", collection_interval={"seconds": 1})
        self._ask(found, "garbage", f"{BASE}.SetConfig", msgpack_config=NO_MSGPACK, plugin_api_version=API_VERSION)
        self._ask(found, "alive", f"{BASE}.PluginInfo")
        self._end(found)

    def _configure(self, found: Plugin) -> None:
        answer = self._ask(found, "schema", f"{BASE}.ConfigSchema")
        if answer is None:
            return
        wrong = hcl_spec.problems(answer.spec)
        self.seen = replace(self.seen, schema=tuple(wrong))
        if wrong:
            return
        values, problems = hcl_spec.fit(answer.spec, dict(self.given.config))
        self.seen = replace(self.seen, problems=tuple(problems))
        if not problems:
            packed = msgpack.packb(values)
            self._ask(found, "config", f"{BASE}.SetConfig", msgpack_config=packed, plugin_api_version=API_VERSION)

    def _end(self, found: Plugin) -> None:
        """As the library asks a plugin to end; then it has some seconds."""
        begin = time.monotonic()
        nomad_messages.shut_down(found.channel, END)
        self._note("end", ANSWERED, "", {"ended": _end_of(found, END) is not None}, begin)

    def _ask(self, found: Plugin, act: str, method: str, **given: Any) -> Any:
        """The answer, or None. Noted in any case."""
        begin = time.monotonic()
        try:
            answer = nomad_messages.ask(found.channel, method, self.seconds, **given)
        except grpc.RpcError as error:
            self._note(act, *_why(found, error), {}, begin)
            return None
        data = json_format.MessageToDict(answer, preserving_proto_field_name=True) if answer is not None else {}
        came, sentence = (ANSWERED, "") if answer is not None else ("empty", "The answer ended before it began.")
        self._note(act, came, sentence, data, begin)
        return answer

    def _note(self, act: str, came: str, sentence: str, data: dict[str, Any], begin: float) -> None:
        took = round(time.monotonic() - begin, 3)
        one = Asked(act, TITLES[act], came, sentence, data, took)
        self.seen = replace(self.seen, asked=(*self.seen.asked, one))
        self.tell(self.seen)


def _why(found: Plugin, error: Any) -> tuple[str, str]:
    """(came, sentence) of a question without an answer."""
    code = error.code()
    # the channel breaks a moment before the end of the process is seen
    ended = _end_of(found, 1.0) if code == grpc.StatusCode.UNAVAILABLE else found.process.result
    if ended is not None:
        return ("ended" if ended.reason == ExitReason.FINISHED else str(ended.reason)), ended.message
    if code == grpc.StatusCode.DEADLINE_EXCEEDED:
        return str(ExitReason.TIMED_OUT), "It did not answer in time."
    return code.name, f"It answers with {code.name}: {str(error.details())[:300]}"


def _end_of(found: Plugin, seconds: float) -> CommandResult | None:
    """How the plugin ended, if it does within the time."""
    return found.process.wait(seconds)
