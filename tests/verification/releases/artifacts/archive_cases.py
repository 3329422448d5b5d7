"""Valid and hostile archives with the expected remarks of the portal."""

import io
import struct
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.verification.releases.release_registry import ELF
from verification.releases.artifacts.zip_format import DEFLATED, STORED

PROGRAM = "terraform-provider-rocket_v1.0.0"
DESCRIPTOR = b"PK\x07\x08" + struct.pack("<3L", zlib.crc32(ELF), 0, 0)


@dataclass
class Entry:
    """A member. None means the correct value; `local` changes the local header."""

    name: bytes
    content: bytes = ELF
    mode: int = 0o100755
    method: int = DEFLATED
    flags: int = 0
    crc: int | None = None
    compressed_size: int | None = None
    size: int | None = None
    start: int | None = None
    body: bytes | None = None
    descriptor: bytes = b""
    gap: bytes = b""
    local: dict[str, Any] = field(default_factory=dict)

    def build_body(self) -> bytes:
        if self.body is not None:
            return self.body
        if self.method != DEFLATED:
            return self.content
        compressor = zlib.compressobj(9, zlib.DEFLATED, -15)
        return compressor.compress(self.content) + compressor.flush()

    def build_header(self) -> dict[str, Any]:
        body = self.build_body()
        return {
            "name": self.name,
            "flags": self.flags,
            "method": self.method,
            "crc": zlib.crc32(self.content) if self.crc is None else self.crc,
            "compressed_size": len(body) if self.compressed_size is None else self.compressed_size,
            "size": len(self.content) if self.size is None else self.size,
        }


def pack_common_fields(header: dict[str, Any]) -> bytes:
    """Return the fields that a local header and a directory entry share."""
    fields = (header["flags"], header["method"], 0, 0, header["crc"], header["compressed_size"], header["size"])
    return struct.pack("<4H3LH", *fields, len(header["name"]))


def build_archive(*entries: Entry, comment: bytes = b"", before: bytes = b"", after: bytes = b"", **end: int) -> bytes:
    """Return the archive; `end` changes fields of its end record: disk, here, count, length, and offset."""
    out = b""
    directory = b""
    for entry in entries:
        header = entry.build_header()
        local_header = header | entry.local
        out += entry.gap
        at = len(out) if entry.start is None else entry.start
        out += struct.pack("<4sH", b"PK\x03\x04", 20) + pack_common_fields(local_header) + bytes(2)
        out += local_header["name"] + entry.build_body() + entry.descriptor
        directory += struct.pack("<4s2H", b"PK\x01\x02", 0x0314, 20) + pack_common_fields(header)
        directory += struct.pack("<4H2L", 0, 0, 0, 0, entry.mode << 16, at) + entry.name
    fields = {"here": len(entries), "count": len(entries), "length": len(directory), "offset": len(out)} | end
    disk = end.get("disk", 0)
    sizes = (fields["here"], fields["count"], fields["length"], fields["offset"], len(comment))
    return before + out + directory + struct.pack("<4s4H2LH", b"PK\x05\x06", disk, disk, *sizes) + comment + after


def build_program(**fields: Any) -> Entry:
    return Entry(PROGRAM.encode(), **fields)


def with_program(*members: Entry, **options: Any) -> Callable[[], bytes]:
    """Return a function that builds an archive with the program and these members."""
    return lambda: build_archive(build_program(), *members, **options)


def with_member(name: str | bytes, **fields: Any) -> Callable[[], bytes]:
    """Return a function that builds an archive with the program and one more member."""
    raw = name if isinstance(name, bytes) else name.encode()
    fields.setdefault("flags", 0 if raw.isascii() else 0x800)  # the flag of UTF-8
    return with_program(Entry(raw, **fields))


def with_only_member(name: str = PROGRAM, **fields: Any) -> Callable[[], bytes]:
    """Return a function that builds an archive with one member."""
    return lambda: build_archive(Entry(name.encode(), **fields))


def build_with_zipfile(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive_file:
        for name, content in members.items():
            archive_file.writestr(name, content)
    return buffer.getvalue()


def build_overlapping(count: int) -> bytes:
    """Return an archive with members that all use the same bytes."""
    entries = [Entry(b"%d" % n, start=0, content=bytes(1000)) for n in range(count)]
    return build_archive(build_program(), *entries)


def build_zeros(megabytes: int) -> Entry:
    """Return a member with this many MiB of zeros, which are never all in memory."""
    compressor = zlib.compressobj(9, zlib.DEFLATED, -15)
    body = b""
    crc = 0
    piece = bytes(1024 * 1024)
    for _ in range(megabytes):
        body += compressor.compress(piece)
        crc = zlib.crc32(piece, crc)
    return Entry(b"zeros", body=body + compressor.flush(), crc=crc, size=megabytes * len(piece))


TEXT = Entry(b"LICENSE", b"text", 0o100644)
LONG = Entry(b"a", bytes(5_000_000), method=STORED)
DESCRIPTOR_FIELDS = {"crc": 0, "compressed_size": 0, "size": 0}
VALID: dict[str, tuple[Callable[[], bytes], set[str]]] = {
    "plain": (with_only_member(), set()),
    "stored": (with_only_member(method=STORED), set()),
    "with text files": (with_program(TEXT, Entry(b"README.md", b"", 0o100644)), set()),
    "built by Python": (lambda: build_with_zipfile({PROGRAM: ELF, "docs/index.md": b"text"}), {"not_executable"}),
    "with a folder": (with_member("docs/", content=b"", mode=0o040755, method=STORED), set()),
    "sizes in a data descriptor": (
        lambda: build_archive(build_program(flags=8, local=DESCRIPTOR_FIELDS, descriptor=DESCRIPTOR), TEXT),
        set(),
    ),
    "data descriptor with 64-bit sizes at the end": (
        with_only_member(flags=8, local=DESCRIPTOR_FIELDS, descriptor=DESCRIPTOR + bytes(8)),
        set(),
    ),
    # As libarchive and Python write a stream of unknown size
    "mark of 64-bit sizes in the local header": (
        with_only_member(
            flags=8,
            local={"crc": 0, "compressed_size": 0xFFFFFFFF, "size": 0xFFFFFFFF},
            descriptor=DESCRIPTOR + bytes(8),
        ),
        set(),
    ),
    # As bsdtar and CMake write any file, and Info-ZIP writes to a pipe
    "size in both the local header and a data descriptor": (
        with_only_member(flags=8, local={"crc": 0, "compressed_size": 0}, descriptor=DESCRIPTOR),
        set(),
    ),
    "for Windows": (with_only_member(f"{PROGRAM}.exe"), set()),
    "with the protocol": (with_only_member(f"{PROGRAM}_x5"), set()),
    "for Windows with the protocol": (with_only_member(f"{PROGRAM}_x5.exe"), set()),
    "no mode": (with_only_member(mode=0), set()),
    "not executable": (with_only_member(mode=0o100644), {"not_executable"}),
    "comment": (with_program(comment=b"hello"), {"comment"}),
    "archive inside": (with_member("more.zip", content=build_with_zipfile({"a": b"b"})), {"nested"}),
    "name in another alphabet": (with_member("лицензия.txt", mode=0o100644), set()),
}
NOT_ZIP = {
    "empty": lambda: b"",
    "text": lambda: b"text",
    "HTML": lambda: b"<html></html>",
    "gzip": lambda: b"\x1f\x8b\x08" + bytes(100),
    "truncated": lambda: with_program()()[:-10],
    "without end record": lambda: with_program()()[:-22],
    "truncated comment": lambda: with_program(comment=b"hello")()[:-1],
}
HOSTILE: dict[str, tuple[Callable[[], bytes], str]] = {
    **{f"not an archive: {name}": (build, "no_zip") for name, build in NOT_ZIP.items()},
    "no members": (build_archive, "no_members"),
    "name with many folders": (with_member("a/" * 12_000 + "b"), "name_length"),
    "many names with many folders": (
        lambda: build_archive(build_program(), *(Entry(b"%d/" % n + b"a/" * 1900 + b"b") for n in range(190))),
        "name_length",
    ),
    "too many members": (
        lambda: build_archive(build_program(), *(Entry(b"%d" % n, b"") for n in range(200))),
        "members",
    ),
    "declares more members": (with_program(here=2, count=2), "directory_short"),
    "declares fewer members": (with_program(Entry(b"a"), here=1, count=1), "directory_long"),
    "declares 65,535 members": (with_program(here=0xFFFF, count=0xFFFF), "members"),
    "declares 4 GiB": (with_program(offset=0xFFFFFFFF), "directory"),
    "several disks": (with_program(disk=1), "disks"),
    "other count on this disk": (with_program(here=0), "disks"),
    "directory longer than the file": (with_program(length=10_000_000), "directory"),
    "directory offset after the end": (with_program(offset=10_000_000), "directory"),
    "directory too long": (lambda: build_archive(LONG, length=4_500_000, offset=0), "directory_size"),
    "directory without its signature": (
        lambda: with_program()().replace(b"K\x01\x02", b"K\x01\x03"),
        "directory_entry",
    ),
    "member after the end": (with_only_member(start=1_000_000), "local_header"),
    "member in the directory": (with_program(Entry(b"a", start=100)), "local_header"),
    "local header without its signature": (
        lambda: with_program()().replace(b"PK\x03\x04", b"PK\x03\x05"),
        "local_header",
    ),
    "bytes before the archive": (with_program(before=b"#!/bin/sh\n"), "prefix"),
    "archive before the archive": (lambda: with_program()() * 2, "prefix"),
    "bytes after the archive": (with_program(after=b"more"), "trailing"),
    "bytes between members": (with_program(Entry(b"a", gap=bytes(100))), "gap"),
    "bytes before the directory": (lambda: build_archive(build_program(descriptor=bytes(100))), "gap"),
    "hidden first member": (lambda: build_archive(build_program(gap=build_archive(Entry(b"hidden")))), "gap"),
    "overlapping": (lambda: build_overlapping(3), "overlap"),
    "overlapping bomb": (lambda: build_overlapping(150), "overlap"),
    "member reaches into the directory": (with_only_member(compressed_size=2000), "past_the_end"),
    "two dots": (with_member("../evil"), "traversal"),
    "two dots inside": (with_member("a/../../evil"), "traversal"),
    "two dots at the end": (with_member("a/.."), "traversal"),
    "two dots and backslashes": (with_member("..\\evil"), "traversal"),
    "only two dots": (with_member(".."), "traversal"),
    "absolute path": (with_member("/etc/passwd"), "absolute"),
    "Windows drive": (with_member("C:evil"), "absolute"),
    "network share": (with_member("\\\\host\\share"), "absolute"),
    "backslash": (with_member("a\\b"), "backslash"),
    "no name": (with_member(""), "name_length"),
    "long name": (with_member("a" * 256), "name_length"),
    "line break in a name": (with_member("a\nb"), "control"),
    "NUL in a name": (with_member("a\0b"), "control"),
    "escape in a name": (with_member("\x1b[2Ja"), "control"),
    "right-to-left override": (with_member("a\u202egpj.exe"), "control"),
    "name that is not UTF-8": (with_member(b"\xff\xfe", flags=0x800), "control"),
    "dot folder": (with_member("./a"), "odd_name"),
    "empty folder name": (with_member("a//b"), "odd_name"),
    "space at the end": (with_member("a "), "odd_name"),
    "dot at the end": (with_member("a."), "odd_name"),
    "same name": (with_member(PROGRAM), "duplicate"),
    "same name as a folder": (with_member(f"{PROGRAM}/", content=b"", mode=0o040755), "duplicate"),
    "same name on Windows": (with_member(PROGRAM.upper()), "same_on_windows"),
    "file and folder": (with_member(f"{PROGRAM}/a"), "file_and_folder"),
    "symbolic link": (with_member("link", content=b"/etc/passwd", mode=0o120777), "symlink"),
    "program is a symbolic link": (with_only_member(content=b"/bin/sh", mode=0o120777), "symlink"),
    "device": (with_member("dev", mode=0o060666), "device"),
    "character device": (with_member("dev", mode=0o020666), "device"),
    "pipe": (with_member("pipe", mode=0o010666), "device"),
    "socket": (with_member("sock", mode=0o140666), "device"),
    "set-user-ID bit": (with_member("sudo", mode=0o104755), "set_user"),
    "folder by mode only": (with_member("a", mode=0o040755), "kind"),
    "folder by name only": (with_member("a/", mode=0o100644), "kind"),
    "encrypted": (with_only_member(flags=1), "encrypted"),
    "encrypted in the local header only": (with_only_member(local={"flags": 1}), "encrypted"),
    "bzip2": (with_only_member(method=12), "method"),
    "LZMA": (with_only_member(method=14), "method"),
    "Zstandard": (with_only_member(method=93), "method"),
    "other name in the local header": (
        with_only_member(local={"name": b"terraform-provider-rocket_v1.0.1"}),
        "headers_differ",
    ),
    "other method in the local header": (with_only_member(local={"method": STORED}), "headers_differ"),
    "other size in the local header": (with_only_member(local={"size": 1}), "sizes_differ"),
    "other checksum in the local header": (with_only_member(local={"crc": 1}), "sizes_differ"),
    "mark of 64-bit sizes in the local header without a data descriptor": (
        with_only_member(local={"size": 0xFFFFFFFF}),
        "sizes_differ",
    ),
    "other size in the local header despite a data descriptor": (
        with_only_member(flags=8, local=DESCRIPTOR_FIELDS | {"size": 1}, descriptor=DESCRIPTOR),
        "sizes_differ",
    ),
    "stored, two sizes": (with_only_member(method=STORED, size=10), "stored_size"),
    "declares a smaller size": (with_only_member(size=10), "longer"),
    "bomb that declares a smaller size": (
        lambda: build_archive(build_program(), Entry(b"z", bytes(10_000_000), size=100)),
        "longer",
    ),
    "declares a larger size": (with_only_member(size=1000), "shorter"),
    "other checksum": (with_only_member(crc=1, local={"crc": 1}), "checksum"),
    "invalid compressed data": (with_only_member(body=b"\xff" * 50), "packing"),
    "truncated compressed data": (with_only_member(body=zlib.compress(ELF)[2:8]), "packing"),
    "bomb": (with_program(build_zeros(80)), "ratio"),
    "declared bomb": (
        with_program(Entry(b"z", b"", size=2**31, local={"size": 2**31})),
        "too_large",
    ),
    "no program": (with_only_member("README.md"), "no_program"),
    "program of another provider": (with_only_member("terraform-provider-other_v1.0.0"), "no_program"),
    "program with a longer name": (with_only_member("terraform-provider-rocketeer_v1.0.0"), "no_program"),
    "program in a folder": (with_only_member(f"bin/{PROGRAM}"), "no_program"),
    "program in uppercase": (with_only_member("Terraform-provider-rocket_v1.0.0"), "no_program"),
    "other version": (with_only_member("terraform-provider-rocket_v1.0.1"), "program_name"),
    "no version": (with_only_member("terraform-provider-rocket"), "program_name"),
}
