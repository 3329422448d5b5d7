"""Records of a Nomad plugin test: every call with its response as plain data, to JSON and back."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

STATUS_ANSWERED = "answered"
PLUGIN_TYPE_NUMBERS = {"driver": 2, "device": 3}


@dataclass(frozen=True, slots=True)
class PluginCall:
    """One question and what came of it.

    `came`: "answered", a status of gRPC such as "UNIMPLEMENTED", the key of a refused handshake, or a kind of the
    sandbox's. `sentence` says it in words where it is not an answer. `data`: the answer, by the names of the protocol.
    """

    act: str
    title: str
    came: str
    sentence: str = ""
    data: dict[str, Any] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def is_answered(self) -> bool:
        return self.came == STATUS_ANSWERED


@dataclass(frozen=True, slots=True)
class NomadPluginRecords:
    """A whole rehearsal so far. `claims`: type, name and version that were claimed, blank where nothing was.

    `over`: nothing more is asked. `unavailable`: why nothing can be asked here at all. `broken`: why we could not go
    on, which is our fault. `problems`: what is wrong with the configuration for the schema, `schema` with the schema.
    """

    claims: dict[str, str]
    asked: tuple[PluginCall, ...] = ()
    problems: tuple[str, ...] = ()
    schema: tuple[str, ...] = ()
    task_schema: tuple[str, ...] = ()
    over: bool = False
    unavailable: str = ""
    broken: str = ""

    def get_call(self, call_name: str) -> PluginCall | None:
        return next((call for call in self.asked if call.act == call_name), None)

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def load_records(data: Mapping[str, Any]) -> NomadPluginRecords:
    """The inverse of as_dict, from JSON."""
    return NomadPluginRecords(
        claims=dict(data["claims"]), asked=tuple(PluginCall(**call) for call in data["asked"]),
        problems=tuple(data["problems"]), schema=tuple(data["schema"]), task_schema=tuple(data["task_schema"]),
        over=data["over"], unavailable=data["unavailable"], broken=data["broken"],
    )  # fmt: skip
