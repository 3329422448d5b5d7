"""Archives as Terraform reads them: Go's archive/zip opens them, go-getter unpacks them. Nothing is written here.

Go trusts the directory over the headers of the members and ignores bytes between the members.
verification.releases.artifacts.archives is stricter.
"""

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import BinaryIO

from verification.releases.artifacts.go_zip import Entry, TooLargeError, ZipError, read_directory
from verification.releases.artifacts.zip_format import DEFLATED, LOCAL_SIGNATURE, STORED, read_at
from verification.terraform.messages import ACCEPT_DECISION, TerraformDecision, build_refusal, build_unknown_decision

DESCRIPTOR = b"PK\x07\x08"
LOCAL_SIZE = 30
HAS_DESCRIPTOR = 8
MAX_NAME_BYTES = 255
MAX_PATH_BYTES = 4000  # PATH_MAX of Linux, without the folder of the provider below .terraform/providers
HEAD_BYTES = 4096
CHUNK_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True)
class Extraction:
    """Outcome of unpacking. `fault` names the error in a member's bytes. `head` is the beginning of the program."""

    terraform: TerraformDecision
    fault: str = ""
    head: bytes = b""


def unpack_archive(file: BinaryIO, size: int, name: str, max_bytes: int) -> Extraction:
    """Unpack an archive as Terraform does, and find the program of provider `name`. Never raises."""
    prefix = f"terraform-provider-{name}"
    reader = _Reader(file, max_bytes)
    try:
        entries = list(read_directory(file, size))
        if not entries:
            raise ZipError("zip_empty")
        # Terraform starts the first match in the folder, which it reads in the order of names.
        program = min((entry.path for entry in entries if _is_program(entry, prefix.encode())), default=None)
        reader.unpack(entries, program)
        if program is None:
            raise ZipError("no_binary", prefix=prefix)
    except ZipError as error:
        return Extraction(build_refusal(error.key, **error.values), reader.fault)
    except TooLargeError:
        return Extraction(build_unknown_decision("the unpacked archive exceeds our size limit."))
    return Extraction(ACCEPT_DECISION, reader.fault, reader.head)


class _Reader:
    """Simulation of unpacking that reads every member and writes nothing."""

    def __init__(self, file: BinaryIO, max_bytes: int) -> None:
        self.file = file
        self.remaining = max_bytes
        # Members can share their bytes, so the file's size does not limit what is read.
        self.remaining_input = max_bytes
        self.fault = ""
        self.head = b""

    def unpack(self, entries: list[Entry], program: bytes | None) -> None:
        """Raise ZipError if a member can't be written."""
        for entry in entries:
            _check_name(entry.name)
            if len(entry.path) > MAX_PATH_BYTES or not (entry.path or entry.is_folder):
                raise ZipError("zip_path")
            if not entry.is_folder:
                self._read_member(entry, is_program=entry.path == program)
        _check_folders(entries)
        # Hashing the unpacked package for the lock file fails at such names, after all files have been written.
        if any(b"\n" in entry.path for entry in entries if not entry.is_folder):
            raise ZipError("zip_newline")

    def _read_member(self, entry: Entry, *, is_program: bool) -> None:
        """Raise ZipError if Go wouldn't read a member to its end."""
        start = _find_body(self.file, entry)
        if entry.method not in (STORED, DEFLATED):
            raise ZipError("zip_method")
        crc, size, head = self._digest(start, entry)
        self.remaining -= size
        if size != entry.size:
            raise self._fail("shorter", "unexpected_end")
        if entry.flags & HAS_DESCRIPTOR:
            _check_descriptor(self.file, start + entry.packed_size, entry.crc)
        if crc != entry.crc:
            error = self._fail("checksum", "zip_checksum")
            # Go takes a checksum of zero without a descriptor for a missing one and compares nothing.
            if entry.crc or entry.flags & HAS_DESCRIPTOR:
                raise error
        if is_program:
            self.head = head

    def _digest(self, start: int, entry: Entry) -> tuple[int, int, bytes]:
        """Return a member's checksum, its size, and its first bytes."""
        crc = 0
        size = 0
        head = b""
        for piece in self._inflate(start, entry):
            crc = zlib.crc32(piece, crc)
            size += len(piece)
            head += piece[: HEAD_BYTES - len(head)]
            if size > entry.size:
                raise self._fail("longer", "no_zip")
            if size > self.remaining:
                raise TooLargeError
        return crc, size, head

    def _fail(self, fault: str, key: str) -> ZipError:
        self.fault = fault
        return ZipError(key)

    def _inflate(self, start: int, entry: Entry) -> Iterator[bytes]:
        """Yield a member's bytes, in pieces of a bounded size."""
        stream = zlib.decompressobj(-15) if entry.method == DEFLATED else None
        remaining = entry.packed_size
        while remaining > 0 and (
            chunk := read_at(self.file, start + entry.packed_size - remaining, min(CHUNK_BYTES, remaining))
        ):
            remaining -= len(chunk)
            self.remaining_input -= len(chunk)
            if self.remaining_input < 0:
                raise TooLargeError
            if stream is None:
                yield chunk
                continue
            try:
                while not stream.eof:
                    piece = stream.decompress(chunk, CHUNK_BYTES)
                    chunk = stream.unconsumed_tail
                    yield piece
                    # After a full piece, more can follow even if all input is consumed.
                    if not chunk and len(piece) < CHUNK_BYTES:
                        break
            except zlib.error:
                raise self._fail("packing", "zip_packing") from None
        if stream is not None and not stream.eof:
            raise self._fail("packing", "unexpected_end")


def _check_name(name: bytes) -> None:
    parts = name.split(b"/")
    if any(part == b".." for part in name.replace(b"\\", b"/").split(b"/")):
        raise ZipError("zip_dots", name=name.decode("utf-8", "replace"))
    if b"\0" in name or any(len(part) > MAX_NAME_BYTES for part in parts):
        raise ZipError("zip_path")


def _check_folders(entries: list[Entry]) -> None:
    """Raise ZipError if a path is used for both a file and a folder."""
    # NUL sorts before all bytes of a name, so the contents of a folder follow it directly.
    paths = sorted(entry.path.replace(b"/", b"\0") + b"\0" * entry.is_folder for entry in entries if entry.path)
    if any(not path.endswith(b"\0") and below.startswith(path + b"\0") for path, below in pairwise(paths)):
        raise ZipError("zip_path")


def _find_body(file: BinaryIO, entry: Entry) -> int:
    if entry.offset < 0:
        raise ZipError("zip_offset")
    head = read_at(file, entry.offset, LOCAL_SIZE)
    if len(head) < LOCAL_SIZE:
        raise ZipError("json_end")
    if not head.startswith(LOCAL_SIGNATURE):
        raise ZipError("no_zip")
    return entry.offset + LOCAL_SIZE + sum(struct.unpack("<2H", head[26:30]))


def _check_descriptor(file: BinaryIO, at: int, crc: int) -> None:
    data = read_at(file, at, 16)
    # The signature is optional, and Go ignores the sizes, which have 32 or 64 bits.
    data = data.removeprefix(DESCRIPTOR)[:12]
    if len(data) < 12:
        raise ZipError("unexpected_end")
    if int.from_bytes(data[:4], "little") != crc:
        raise ZipError("zip_checksum")


def _is_program(entry: Entry, prefix: bytes) -> bool:
    """Return whether Terraform would start this member: at the top, with the name, or more of it after “_” or a dot."""
    path = entry.path
    if entry.is_folder or b"/" in path or not path.startswith(prefix):
        return False
    return path[len(prefix) : len(prefix) + 1] in (b"", b"_", b".")
