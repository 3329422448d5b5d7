"""Records of a provider acceptance test: every command as plain data, to JSON and back, without secrets."""

import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace

from portal.core.value_types import JsonObject

MAX_TEXT_CHARACTERS = 8000
ERROR_PATTERN_FLAGS = re.MULTILINE | re.DOTALL
FRAME_PATTERN = re.compile(r"^[│╷╵]\s?", re.MULTILINE)
REASON_LOST = "sandbox lost"
REASON_FINISHED = "finished"


@dataclass(frozen=True, slots=True)
class CommandRecord:
    """One command and its output. `ended`: an exit reason of the sandbox. `code`: None if it was stopped.

    `plan`: the reduced plan, None without one. `state`: the addresses of the objects in the state afterwards, None if
    it was not read; `tainted` lists those marked for replacement. `shown`: the names of secrets in the output.
    `unmarked`: "address: path" of secrets in the state.
    """

    act: str
    title: str
    command: str
    ended: str
    code: int | None
    sentence: str
    output: str
    errors: str
    seconds: float
    plan: JsonObject | None = None
    state: tuple[str, ...] | None = None
    tainted: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    unmarked: tuple[str, ...] = ()

    @property
    def is_good(self) -> bool:
        return self.ended == REASON_FINISHED and self.code in (0, 2)

    @property
    def line(self) -> str:
        """Return the exit code and duration: "exit code 0 after 0.9 s"."""
        ending = f"exit code {self.code}" if self.ended == REASON_FINISHED else self.ended
        return f"{ending} after {self.seconds:.1f} s"

    @property
    def text(self) -> str:
        """Return the command and its output."""
        return "\n".join(each for each in (f"$ {self.command}", self.output.rstrip(), self.errors.rstrip()) if each)


@dataclass(frozen=True, slots=True)
class ProviderLifecycleRecords:
    """All records of a test run so far. `over`: no more steps follow. `unavailable`: why no step is possible.

    `broken`: the error on our side that stopped the test run. `has_…`: which optional inputs exist.
    """

    ran: tuple[CommandRecord, ...] = ()
    over: bool = False
    unavailable: str = ""
    broken: str = ""
    has_refused: bool = False
    has_partial: bool = False
    has_secrets: bool = False
    source: str = ""

    def get_command(self, step_key: str) -> CommandRecord | None:
        return next((command for command in self.ran if command.act == step_key), None)

    def with_command(self, command: CommandRecord) -> "ProviderLifecycleRecords":
        return replace(self, ran=(*self.ran, command))

    def as_dict(self) -> JsonObject:
        return asdict(self)


def load_records(plain: JsonObject) -> ProviderLifecycleRecords:
    """Load records from the output of as_dict, also after JSON."""
    return ProviderLifecycleRecords(
        **{**plain, "ran": tuple(load_command(command) for command in plain.get("ran", ()))}
    )


def load_command(plain: JsonObject) -> CommandRecord:
    lists = {name: tuple(plain[name]) for name in ("tainted", "shown", "unmarked")}
    state = plain["state"]
    return CommandRecord(**{**plain, **lists, "state": None if state is None else tuple(state)})


def shorten_text(text: str) -> str:
    """Return the beginning and the end of a long text."""
    if len(text) <= MAX_TEXT_CHARACTERS:
        return text
    half = MAX_TEXT_CHARACTERS // 2
    return f"{text[:half]}\n… ({len(text) - MAX_TEXT_CHARACTERS} characters left out)\n{text[-half:]}"


def extract_error(command: CommandRecord) -> str:
    """Return the first error of Terraform in one line: "Missing required argument: The argument …"."""
    return _find_first_error(command.errors) or _find_first_error(command.output) or command.sentence


def _find_first_error(text: str) -> str:
    match = re.search(
        r"^(?:│ )?Error: (.+?)\n(.*?)(?=^╵|^(?:│ )?(?:Error|Warning): |\Z)", f"{text}\n", ERROR_PATTERN_FLAGS
    )
    if not match:
        return ""
    lines = FRAME_PATTERN.sub("", match[2]).splitlines()
    description = " ".join(
        line.strip() for line in lines if line.strip() and not line.startswith("  ")
    )  # indented: a place
    return f"{match[1].strip()}: {description[:400]}" if description else match[1].strip()


def join_words(words: Iterable[str], limit: int = 4) -> str:
    """Join words as "a, b and c". Words beyond the limit are counted."""
    items = list(dict.fromkeys(words))
    if len(items) > limit:
        items = [*items[:limit], f"{len(items) - limit} more"]
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}" if items else ""
