"""Records of a Nomad plugin test: every call with its response as plain data, to JSON and back."""

from dataclasses import asdict, dataclass, field

from portal.core.value_types import JsonObject

STATUS_ANSWERED = "answered"
PLUGIN_TYPE_NUMBERS = {"driver": 2, "device": 3}


@dataclass(frozen=True, slots=True)
class PluginCall:
    """One call and its response.

    `came`: "answered", a gRPC status such as "UNIMPLEMENTED", the key of a failed handshake, or an exit reason of the
    sandbox. `sentence` explains it if there is no response. `data`: the response, with the field names of the protocol.
    """

    act: str
    title: str
    came: str
    sentence: str = ""
    data: JsonObject = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def is_answered(self) -> bool:
        return self.came == STATUS_ANSWERED


@dataclass(frozen=True, slots=True)
class NomadPluginRecords:
    """All records of a test run so far. `claims`: the submitted type, name and version, blank if unknown.

    `over`: no more calls follow. `unavailable`: why no call is possible. `broken`: the error on our side that stopped
    the test run. `problems`: problems of the configuration. `schema`: problems of the schema.
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

    def as_dict(self) -> JsonObject:
        return asdict(self)


def load_records(data: JsonObject) -> NomadPluginRecords:
    """Load records from the output of as_dict, also after JSON."""
    return NomadPluginRecords(
        claims=dict(data["claims"]),
        asked=tuple(PluginCall(**call) for call in data["asked"]),
        problems=tuple(data["problems"]),
        schema=tuple(data["schema"]),
        task_schema=tuple(data["task_schema"]),
        over=data["over"],
        unavailable=data["unavailable"],
        broken=data["broken"],
    )
