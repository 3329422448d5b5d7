"""Limits and results of a program in the sandbox."""

from dataclasses import dataclass
from enum import StrEnum

MEGABYTE = 1024 * 1024
MAX_OUTPUT_CHARACTERS = 2000  # of a command's output in a report
PROJECT = "/project"
HOME = "/home/sandbox"


class ExitReason(StrEnum):
    """Why a command ended, and a sentence about it.

    FINISHED means that it exited on its own, with an exit code. LOST is a failure of the sandbox, never of the program.
    """

    message: str

    def __new__(cls, value: str, message: str) -> "ExitReason":
        member = str.__new__(cls, value)
        member._value_ = value
        member.message = message
        return member

    FINISHED = "finished", "The program exited."
    TIMED_OUT = "timed out", "The program exceeded the time limit and was stopped."
    MEMORY = "out of memory", "The program exceeded the memory limit and was stopped."
    DISK = "disk full", "The program exceeded the disk limit and was stopped."
    PROCESSES = "too many processes", "The program exceeded the process limit and was stopped."
    OUTPUT = "too much output", "The program exceeded the output limit and was stopped."
    NETWORK = "network access", "The program tried to access the network, which is blocked, and was stopped."
    HOME = "home folder access", "The program opened the decoy credentials in the home folder and was stopped."
    STOPPED = "stopped by us", "We stopped it."
    LOST = "sandbox lost", "The sandbox failed."


@dataclass(frozen=True, slots=True)
class Limits:
    """Upper limits for a program.

    `seconds` and `output` apply to each command; `memory`, `disk`, and `processes` (including threads) for everything
    that runs in the environment at a time. Sizes are in bytes.
    """

    seconds: float = 30
    memory: int = 1024 * MEGABYTE
    disk: int = 256 * MEGABYTE
    processes: int = 256
    output: int = 2 * MEGABYTE


@dataclass(frozen=True, slots=True)
class CommandResult:
    """End of a command.

    `exit_code` is negative for a signal and None if the sandbox stopped the command. `peak_bytes` is the
    highest observed memory usage.
    """

    reason: ExitReason
    exit_code: int | None
    stdout: bytes
    stderr: bytes
    seconds: float
    peak_bytes: int

    @property
    def is_success(self) -> bool:
        """Return whether the command exited on its own with code 0."""
        return self.reason == ExitReason.FINISHED and self.exit_code == 0

    @property
    def message(self) -> str:
        """Return a sentence that says how the command ended."""
        if self.reason == ExitReason.FINISHED and self.exit_code:
            ending = f"exit code {self.exit_code}" if self.exit_code > 0 else f"signal {-self.exit_code}"
            return f"The program exited with {ending}."
        return self.reason.message


def decode_output_end(output: bytes) -> str:
    """Return the end of a command's output, where its errors are."""
    return output.decode("utf-8", "replace")[-MAX_OUTPUT_CHARACTERS:]


class SandboxUnavailable(Exception):
    """No sandbox can run on this machine. The message is a sentence with the reason."""
