"""Memory that a sandbox holds in the buffers of its sockets, as the kernel reports it (sock_diag(7)).

It isn't part of the memory usage of any process.
"""

import errno
import os
import socket
import struct
from collections.abc import Iterator

BY_FAMILY = 20  # message type
TCP_OF_BOTH_FAMILIES = 18  # message type
DUMP = 0x301  # NLM_F_REQUEST | NLM_F_DUMP
ERROR = 2
DONE = 3
HEADER = struct.Struct("=IHHII")  # length, type, flags, sequence number, port
ATTRIBUTE = struct.Struct("=HH")
SIZES = struct.Struct("=9I")  # SK_MEMINFO_*: received, its limit, sent, its limit, reserved, queued, options, …
EVERY_STATE = 0xFFFFFFFF
# (message type, request, size of the fixed part of each answer, number of the attribute with the sizes)
UNIX = (BY_FAMILY, struct.pack("=BBHIIIII", socket.AF_UNIX, 0, 0, EVERY_STATE, 0, 0x20, 0, 0), 16, 5)
UDP = [
    (BY_FAMILY, struct.pack("=BBBBI48x", family, socket.IPPROTO_UDP, 1 << 6, 0, EVERY_STATE), 72, 7)
    for family in (socket.AF_INET, socket.AF_INET6)
]
TCP = (TCP_OF_BOTH_FAMILIES, struct.pack("=BBBB48xII", 0, 0, 0, 1 << 6, EVERY_STATE, 0), 72, 7)
QUERIES = (UNIX, *UDP, TCP)
FEW_SOCKETS = 8  # use little memory, and the kernel takes milliseconds to list TCP sockets


class SocketMemory:
    """Memory of the sockets of one sandbox. `diagnostics` is a NETLINK_SOCK_DIAG socket of its network namespace."""

    def __init__(self, child: int, diagnostics: socket.socket) -> None:
        self._diagnostics = diagnostics
        self._counts = os.open(f"/proc/{child}/net/sockstat", os.O_RDONLY | os.O_CLOEXEC)

    def measure(self) -> int:
        """Return the bytes, or 0 for few sockets. Raises OSError if the kernel doesn't answer."""
        used = int(os.pread(self._counts, 4096, 0).split()[2])  # "sockets: used 3"
        return self.measure_all() if used > FEW_SOCKETS else 0

    def measure_all(self) -> int:
        """Return the bytes, even for few sockets."""
        total = 0
        for kind, request, fixed_size, attribute in QUERIES:
            self._diagnostics.send(HEADER.pack(HEADER.size + len(request), kind, DUMP, 0, 0) + request)
            for answer in self._receive():
                total += _read_size(answer, fixed_size, attribute)
        return total

    def _receive(self) -> Iterator[bytes]:
        """Yield each socket that the kernel lists."""
        while True:
            data = self._diagnostics.recv(64 * 1024)
            while data:
                length, kind, *_ = HEADER.unpack_from(data)
                if kind == DONE:
                    return
                if kind == ERROR:
                    number = -struct.unpack_from("=i", data, HEADER.size)[0]
                    raise OSError(number, f"sock_diag: {errno.errorcode.get(number, number)}")
                yield data[HEADER.size : length]
                data = data[_align(length) :]

    def close(self) -> None:
        """Close the resources of the sandbox."""
        self._diagnostics.close()
        os.close(self._counts)


def _read_size(answer: bytes, fixed_size: int, attribute: int) -> int:
    rest = answer[fixed_size:]
    while len(rest) >= ATTRIBUTE.size:
        length, number = ATTRIBUTE.unpack_from(rest)
        if number == attribute:
            received_bytes, _, sent_bytes, _, reserved_bytes, queued_bytes, options, *_ = SIZES.unpack_from(
                rest, ATTRIBUTE.size
            )
            return int(received_bytes + max(sent_bytes, queued_bytes) + reserved_bytes + options)
        rest = rest[_align(length) :]
    return 0


def _align(length: int) -> int:
    return (length + 3) & ~3
