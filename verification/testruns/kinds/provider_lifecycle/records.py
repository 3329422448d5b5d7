"""What was seen in a lifecycle rehearsal? Every command as plain data, to JSON and back, secrets struck out."""

import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any

MOST_TEXT = 8000
ANYWHERE = re.MULTILINE | re.DOTALL
FRAME = re.compile(r"^[│╷╵]\s?", re.MULTILINE)
LOST = "sandbox lost"
FINISHED = "finished"


@dataclass(frozen=True, slots=True)
class Ran:
    """One command and what came of it. `ended`: a Kind of the sandbox; `code`: None where it was stopped.

    `plan`: what the plan says (plans.reduced), empty where none was made. `state`: the addresses of what the state
    holds afterwards, those in `tainted` being marked to be replaced; None where nobody looked.
    `shown`: the names of the secrets that the output shows; `unmarked`: "address: path" of those in the state.
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
    plan: dict[str, Any] | None = None
    state: tuple[str, ...] | None = None
    tainted: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    unmarked: tuple[str, ...] = ()

    @property
    def is_good(self) -> bool:
        return self.ended == FINISHED and self.code in (0, 2)

    @property
    def line(self) -> str:
        """What came of it in a few words: "exit code 0 after 0.9 s"."""
        came = f"exit code {self.code}" if self.ended == FINISHED else self.ended
        return f"{came} after {self.seconds:.1f} s"

    @property
    def text(self) -> str:
        """The command and all that it printed."""
        return "\n".join(each for each in (f"$ {self.command}", self.output.rstrip(), self.errors.rstrip()) if each)


@dataclass(frozen=True, slots=True)
class Seen:
    """A whole rehearsal so far. `over`: nothing more is made. `unavailable`: why nothing can be made here at all.

    `broken`: why we could not go on, which is our fault. `has_…`: what the partner has given.
    """

    ran: tuple[Ran, ...] = ()
    over: bool = False
    unavailable: str = ""
    broken: str = ""
    has_refused: bool = False
    has_partial: bool = False
    has_secrets: bool = False
    source: str = ""

    def of(self, act: str) -> Ran | None:
        return next((each for each in self.ran if each.act == act), None)

    def with_ran(self, ran: Ran) -> "Seen":
        return replace(self, ran=(*self.ran, ran))

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def seen_of(plain: dict[str, Any]) -> Seen:
    """What as_dict() gave, also after JSON made lists of its tuples."""
    return Seen(**{**plain, "ran": tuple(ran_of(each) for each in plain.get("ran", ()))})


def ran_of(plain: dict[str, Any]) -> Ran:
    lists = {name: tuple(plain[name]) for name in ("tainted", "shown", "unmarked")}
    state = plain["state"]
    return Ran(**{**plain, **lists, "state": None if state is None else tuple(state)})


def short(text: str) -> str:
    """A text of which the beginning and the end are kept."""
    if len(text) <= MOST_TEXT:
        return text
    half = MOST_TEXT // 2
    return f"{text[:half]}\n… ({len(text) - MOST_TEXT} characters left out)\n{text[-half:]}"


def error_of(ran: Ran) -> str:
    """The first error that Terraform tells, as one line: "Missing required argument: The argument …"."""
    return _first_error(ran.errors) or _first_error(ran.output) or ran.sentence


def _first_error(text: str) -> str:
    found = re.search(r"^(?:│ )?Error: (.+?)\n(.*?)(?=^╵|^(?:│ )?(?:Error|Warning): |\Z)", f"{text}\n", ANYWHERE)
    if not found:
        return ""
    lines = FRAME.sub("", found[2]).splitlines()
    told = " ".join(line.strip() for line in lines if line.strip() and not line.startswith("  "))  # indented: a place
    return f"{found[1].strip()}: {told[:400]}" if told else found[1].strip()


def listed(words: Iterable[str], most: int = 4) -> str:
    """In words: "a, b and c"; what is more than `most` is counted."""
    found = list(dict.fromkeys(words))
    if len(found) > most:
        found = [*found[:most], f"{len(found) - most} more"]
    return found[0] if len(found) == 1 else f"{', '.join(found[:-1])} and {found[-1]}" if found else ""
