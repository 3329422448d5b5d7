"""What may a program in a sandbox use, and how did it end?"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

MEGABYTE = 1024 * 1024
WORK, HOME = "/project", "/home/sandbox"


class Kind(StrEnum):
    """How it ended. FINISHED: by itself, see the exit code. LOST is ours, never the partner's."""

    FINISHED = "finished"
    TIMED_OUT = "timed out"
    MEMORY = "out of memory"
    DISK = "disk full"
    PROCESSES = "too many processes"
    OUTPUT = "too much output"
    NETWORK = "reached for the network"
    HOME = "reached for the home folder"
    CLOSED = "stopped by us"
    LOST = "sandbox lost"


SENTENCES: Mapping[str, str] = {
    Kind.FINISHED: "It ended by itself.",
    Kind.TIMED_OUT: "It did not end in time and was stopped.",
    Kind.MEMORY: "It used more memory than it may and was stopped.",
    Kind.DISK: "It wrote more than it may and was stopped.",
    Kind.PROCESSES: "It started more processes than it may and was stopped.",
    Kind.OUTPUT: "It printed more than it may and was stopped.",
    Kind.NETWORK: "It tried to reach the network, which is closed here, and was stopped.",
    Kind.HOME: "It opened credentials in the home folder, which were planted for that, and was stopped.",
    Kind.CLOSED: "We stopped it.",
    Kind.LOST: "The sandbox itself ended; that is our fault, not the program's.",
}


@dataclass(frozen=True, slots=True)
class Limits:
    """What may be used at most. `seconds` for each command; memory, disk and processes (with threads) for all of the
    room together; `output` for what one command prints. Sizes in bytes; what is on the disk is kept in memory as well.
    """

    seconds: float = 30
    memory: int = 1024 * MEGABYTE
    disk: int = 256 * MEGABYTE
    processes: int = 256
    output: int = 2 * MEGABYTE

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a command ended. `code` is the exit code, negative for a signal; None where we stopped it.

    `seconds` is what it took, `peak` the most bytes of memory that were seen in use in the room until then.
    """

    kind: Kind
    code: int | None
    stdout: bytes
    stderr: bytes
    seconds: float
    peak: int

    @property
    def is_good(self) -> bool:
        return self.kind == Kind.FINISHED and self.code == 0

    @property
    def sentence(self) -> str:
        """How it ended, fit to show."""
        if self.kind == Kind.FINISHED and self.code:
            return f"It ended with {f'exit code {self.code}' if self.code > 0 else f'signal {-self.code}'}."
        return SENTENCES[self.kind]


class NoSandbox(Exception):
    """No room can be had here. The text is a sentence that says why."""
