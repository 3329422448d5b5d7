"""Records of a run task test: every exchange and callback as plain data, to JSON and back, without secrets."""

import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace

from portal.core.json_text import clean_json
from portal.core.value_types import JsonObject

REDACTED_TEXT = "[struck out]"
MAX_TEXT_CHARACTERS = 4000


@dataclass(frozen=True, slots=True)
class RunTaskLimits:
    """Limits in seconds. `silence_seconds` and `end` are the platform's. `first_answer` is ours: no document of the
    platform limits the first response. The others say when we disconnect, how long we wait for a correction of a
    rejected result, and how long we wait for a second result after the last one.
    """

    first_answer_seconds: float = 10
    request_timeout_seconds: float = 30
    silence_seconds: float = 600
    end: float = 3600
    correction_seconds: float = 20
    settle_seconds: float = 1


@dataclass(frozen=True, slots=True)
class CallbackRecord:
    """A request to our callback URL. `after`: seconds since its run was sent. `answered`: our status.

    `token`: right, missing, unknown, another (of another run), used (after a final result) or dead (expired).
    """

    act: str
    after: float
    method: str
    answered: int
    token: str
    status: str = ""
    message: str = ""
    url: str = ""
    content_type: str = ""
    size: int = 0
    body: str = ""
    outcomes: tuple[JsonObject, ...] = ()
    form: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()
    shape: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def line(self) -> str:
        """Return a summary: "running after 0.2 s, answered with 200"."""
        return f"{self.status or self.method} after {self.after:.1f} s, answered with {self.answered}"

    @property
    def is_final(self) -> bool:
        """Return whether this is the final result of its run."""
        return self.answered == 200 and self.status in ("passed", "failed")


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and its response.

    `level`: the enforcement level of the run, blank for probes.
    """

    act: str
    title: str
    stage: str
    scenario: str
    url: str
    sent_headers: tuple[tuple[str, str], ...]
    sent_body: str
    status: int
    reason: str
    headers: tuple[tuple[str, str], ...]
    body: str
    head_seconds: float
    seconds: float
    ended: str
    sentence: str
    fetched: tuple[str, ...] = ()
    level: str = ""

    @property
    def line(self) -> str:
        """Return a summary: "200 OK after 0.2 s"."""
        ending = f"{self.status} {self.reason}".strip() if self.status else "no answer"
        return f"{ending} after {self.head_seconds:.1f} s"

    @property
    def sent_text(self) -> str:
        """Return our request as sent, redacted."""
        return _format_wire(f"POST {self.url}", self.sent_headers, self.sent_body)

    @property
    def reply_text(self) -> str:
        """Return the response as far as it was read."""
        return _format_wire(
            f"{self.status} {self.reason}".strip() if self.status else "No answer", self.headers, self.body
        )


@dataclass(frozen=True, slots=True)
class RunTaskRecords:
    """All records of a test run so far. `over`: no more results are awaited. `awaited_runs`: runs without a result when
    the test run was canceled.
    """

    exchanges: tuple[Exchange, ...] = ()
    callbacks: tuple[CallbackRecord, ...] = ()
    has_key: bool = True
    over: bool = False
    limits: RunTaskLimits = field(default_factory=RunTaskLimits)
    awaited_runs: tuple[str, ...] = ()

    def get_exchange(self, act: str) -> Exchange | None:
        return next((each for each in self.exchanges if each.act == act), None)

    def list_callbacks(self, act: str) -> tuple[CallbackRecord, ...]:
        return tuple(each for each in self.callbacks if each.act == act)

    def runs(self) -> tuple[Exchange, ...]:
        return tuple(each for each in self.exchanges if each.scenario)

    def get_result(self, act: str) -> CallbackRecord | None:
        """Return the first final result, which counts."""
        return next((each for each in self.list_callbacks(act) if each.is_final), None)

    def with_callbacks(self, callbacks: Iterable[CallbackRecord], *, over: bool) -> "RunTaskRecords":
        return replace(self, callbacks=tuple(callbacks), over=over)


def _format_wire(first_line: str, headers: Iterable[tuple[str, str]], body: str) -> str:
    return "\n".join([first_line, *(f"{name}: {value}" for name, value in headers), *(["", body] if body else [])])


def redact_text(text: str, secrets: Iterable[str]) -> str:
    """Return the text, shortened and without secrets."""
    for secret in sorted({each for each in secrets if len(each) > 3}, key=len, reverse=True):
        text = text.replace(secret, REDACTED_TEXT)
    text = re.sub(r"(?i)(bearer\s+)[A-Za-z0-9._~+/=-]{8,}", rf"\1{REDACTED_TEXT}", text).replace("\x00", "")
    return text if len(text) <= MAX_TEXT_CHARACTERS else f"{text[:MAX_TEXT_CHARACTERS]}… ({len(text)} characters)"


def serialize_record(item: Exchange | CallbackRecord) -> JsonObject:
    return asdict(item)


def load_exchange(plain: JsonObject) -> Exchange:
    """Load an exchange from plain data, also after JSON."""
    pairs = {name: tuple((a, b) for a, b in plain[name]) for name in ("sent_headers", "headers")}
    return Exchange(**{**plain, **pairs, "fetched": tuple(plain.get("fetched", ()))})


def sanitize_callback(callback: CallbackRecord) -> CallbackRecord:
    """Return the record without lone surrogates and NUL, which the database rejects."""
    return load_callback(clean_json(serialize_record(callback)))


def load_callback(plain: JsonObject) -> CallbackRecord:
    lists = {name: tuple(plain[name]) for name in ("outcomes", "form", "limits", "shape", "notes")}
    return CallbackRecord(**{**plain, **lists})
