"""Records of a run task test: every exchange and callback as plain data, to JSON and back, without secrets."""

import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from portal.core.json_text import clean_json

REDACTED_TEXT = "[struck out]"
MAX_TEXT_CHARACTERS = 4000


@dataclass(frozen=True, slots=True)
class RunTaskLimits:
    """Seconds. The platform's own: `silence` without any news and `end` of the whole. `first_answer` is ours: no
    document of the platform names a limit for the first answer. `give_up`: when we hang up; `mend`: how long we wait
    for a better result after one that could not be taken; `settle`: how long we still listen after the last result,
    for a second one.
    """

    first_answer_seconds: float = 10
    request_timeout_seconds: float = 30
    silence_seconds: float = 600
    end: float = 3600
    correction_seconds: float = 20
    settle_seconds: float = 1


@dataclass(frozen=True, slots=True)
class CallbackRecord:
    """Something that called our callback address. `after`: seconds since its run was sent; `answered`: our status.

    `token`: right, missing, unknown, another (a different run's), used (after a final result) or dead (too old).
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
    outcomes: tuple[dict[str, Any], ...] = ()
    form: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()
    shape: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def line(self) -> str:
        """What came in a few words: "running after 0.2 s, answered with 200"."""
        return f"{self.status or self.method} after {self.after:.1f} s, answered with {self.answered}"

    @property
    def is_final(self) -> bool:
        """Whether it was taken as the final result of its run."""
        return self.answered == 200 and self.status in ("passed", "failed")


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request of ours and what came back; the fields of the reply are those of the run task client's.

    `level`: the enforcement that a run was sent with; blank in what was kept before there were two.
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
        """What came back in a few words: "200 OK after 0.2 s"."""
        ending = f"{self.status} {self.reason}".strip() if self.status else "no answer"
        return f"{ending} after {self.head_seconds:.1f} s"

    @property
    def sent_text(self) -> str:
        """Our request as it went over the wire, secrets struck out."""
        return _format_wire(f"POST {self.url}", self.sent_headers, self.sent_body)

    @property
    def reply_text(self) -> str:
        """What came back, as far as it was read."""
        return _format_wire(
            f"{self.status} {self.reason}".strip() if self.status else "No answer", self.headers, self.body
        )


@dataclass(frozen=True, slots=True)
class RunTaskRecords:
    """A whole rehearsal so far. `over`: nothing more is waited for. `awaited`: the runs whose result could still have
    come when somebody stopped it.
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
        """The first final result: it counts."""
        return next((each for each in self.list_callbacks(act) if each.is_final), None)

    def with_callbacks(self, callbacks: Iterable[CallbackRecord], *, over: bool) -> "RunTaskRecords":
        return replace(self, callbacks=tuple(callbacks), over=over)


def _format_wire(first_line: str, headers: Iterable[tuple[str, str]], body: str) -> str:
    return "\n".join([first_line, *(f"{name}: {value}" for name, value in headers), *(["", body] if body else [])])


def redact_text(text: str, secrets: Iterable[str]) -> str:
    """The text without the secrets, and not long."""
    for secret in sorted({each for each in secrets if len(each) > 3}, key=len, reverse=True):
        text = text.replace(secret, REDACTED_TEXT)
    text = re.sub(r"(?i)(bearer\s+)[A-Za-z0-9._~+/=-]{8,}", rf"\1{REDACTED_TEXT}", text).replace("\x00", "")
    return text if len(text) <= MAX_TEXT_CHARACTERS else f"{text[:MAX_TEXT_CHARACTERS]}… ({len(text)} characters)"


def serialize_record(item: Exchange | CallbackRecord) -> dict[str, Any]:
    return asdict(item)


def load_exchange(plain: dict[str, Any]) -> Exchange:
    """The exchange that as_dict() wrote, also after JSON made lists of its pairs."""
    pairs = {name: tuple((a, b) for a, b in plain[name]) for name in ("sent_headers", "headers")}
    return Exchange(**{**plain, **pairs, "fetched": tuple(plain.get("fetched", ()))})


def sanitize_callback(callback: CallbackRecord) -> CallbackRecord:
    """The same without what cannot be kept: a cut emoji leaves half a character, and JSON may spell NUL."""
    return load_callback(clean_json(serialize_record(callback)))


def load_callback(plain: dict[str, Any]) -> CallbackRecord:
    lists = {name: tuple(plain[name]) for name in ("outcomes", "form", "limits", "shape", "notes")}
    return CallbackRecord(**{**plain, **lists})
