"""Output of a program, read immediately so that no pipe fills up."""

import os
import selectors
import time
from dataclasses import dataclass, field
from typing import IO

CHUNK_SIZE = 64 * 1024


@dataclass
class OutputReader:
    """Standard output and error of one program, up to `limit` bytes together."""

    limit: int
    stdout: bytearray = field(default_factory=bytearray)
    stderr: bytearray = field(default_factory=bytearray)
    size: int = 0

    def __post_init__(self) -> None:
        self._selector = selectors.DefaultSelector()
        self._open = 0

    def add_stream(self, stream: IO[bytes], target: bytearray) -> None:
        """Read the stream into the target."""
        self._selector.register(stream, selectors.EVENT_READ, target)
        self._open += 1

    def add_event(self, descriptor: int) -> None:
        """Interrupt a wait when the descriptor becomes readable."""
        self._selector.register(descriptor, selectors.EVENT_READ)

    def read(self, timeout: float) -> bool:
        """Wait for output and read it. Return whether there was any."""
        has_printed = False
        for key, _ in self._selector.select(timeout):
            # The descriptor of an event, which only ends the wait.
            if key.data is None:
                continue
            data = os.read(key.fd, CHUNK_SIZE)
            has_printed = has_printed or bool(data)
            self.size += len(data)
            # Beyond the limit, output is counted but not kept.
            key.data.extend(data[: max(0, self.limit + len(data) - self.size)])
            if not data:
                self._selector.unregister(key.fileobj)
                self._open -= 1
        return has_printed

    @property
    def is_over_limit(self) -> bool:
        """Return whether the output was longer than the limit."""
        return self.size > self.limit

    def read_rest(self, seconds: float) -> None:
        """Read both streams to the end. The program has ended, so they don't stay open for long."""
        deadline = time.monotonic() + seconds
        while self._open and time.monotonic() < deadline:
            self.read(0.01)
        self._selector.close()
