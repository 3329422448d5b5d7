"""Good and hostile archives with the remarks that the portal must make."""

import io
import struct
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field

from verification.releases.artifacts.zip_directory import DEFLATED, STORED

PROGRAM = "terraform-provider-rocket_v1.0.0"
ELF = b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x02\x00\x3e\x00" + bytes(44)
DESCRIPTOR = b"PK\x07\x08" + struct.pack("<3L", zlib.crc32(ELF), 0, 0)


@dataclass
class Entry:
    """A member, written byte by byte. None means the correct value; `local` changes the local header."""

    name: bytes
    content: bytes = ELF
    mode: int = 0o100755
    method: int = DEFLATED
    flags: int = 0
    crc: int | None = None
    packed_size: int | None = None
    size: int | None = None
    start: int | None = None
    body: bytes | None = None
    descriptor: bytes = b""
    gap: bytes = b""
    local: dict[str, int | bytes] = field(default_factory=dict)

    def bytes_of(self) -> bytes:
        if self.body is not None:
            return self.body
        if self.method != DEFLATED:
            return self.content
        packer = zlib.compressobj(9, zlib.DEFLATED, -15)
        return packer.compress(self.content) + packer.flush()

    def build_header(self) -> dict[str, int | bytes]:
        body = self.bytes_of()
        return {
            "name": self.name,
            "flags": self.flags,
            "method": self.method,
            "crc": zlib.crc32(self.content) if self.crc is None else self.crc,
            "packed": len(body) if self.packed_size is None else self.packed_size,
            "size": len(self.content) if self.size is None else self.size,
        }


def archive(*entries: Entry, comment: bytes = b"", before: bytes = b"", after: bytes = b"", **end: int) -> bytes:
    """Return the archive; `end` changes fields of its last record (disk, here, count, length, offset)."""
    out, directory = b"", b""
    for entry in entries:
        header_fields = entry.build_header()
        front = header_fields | entry.local
        out += entry.gap
        at = len(out) if entry.start is None else entry.start
        out += (
            struct.pack(
                "<4s5H3L2H",
                b"PK\x03\x04",
                20,
                front["flags"],
                front["method"],
                0,
                0,
                front["crc"],
                front["packed"],
                front["size"],
                len(front["name"]),
                0,
            )
            + front["name"]
        )
        out += entry.bytes_of() + entry.descriptor
        directory += (
            struct.pack(
                "<4s6H3L5H2L",
                b"PK\x01\x02",
                0x0314,
                20,
                header_fields["flags"],
                header_fields["method"],
                0,
                0,
                header_fields["crc"],
                header_fields["packed"],
                header_fields["size"],
                len(entry.name),
                0,
                0,
                0,
                0,
                entry.mode << 16,
                at,
            )
            + entry.name
        )
    last = {"disk": 0, "here": len(entries), "count": len(entries), "length": len(directory), "offset": len(out)} | end
    tail = struct.pack(
        "<4s4H2LH",
        b"PK\x05\x06",
        last["disk"],
        last["disk"],
        last["here"],
        last["count"],
        last["length"],
        last["offset"],
        len(comment),
    )
    return before + out + directory + tail + comment + after


def program(**fields: object) -> Entry:
    return Entry(PROGRAM.encode(), **fields)  # type: ignore[arg-type]


def beside(name: str | bytes, **fields: object) -> Callable[[], bytes]:
    """Return a function that builds an archive with the program and one more member."""
    raw = name if isinstance(name, bytes) else name.encode()
    utf_8 = 0 if raw.isascii() else 0x800
    fields.setdefault("flags", utf_8)
    return lambda: archive(program(), Entry(raw, **fields))  # type: ignore[arg-type]


def by_python(members: dict[str, bytes]) -> bytes:
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED) as archive_file:
        for name, content in members.items():
            archive_file.writestr(name, content)
    return into.getvalue()


def overlapping(count: int) -> bytes:
    """Return an archive with members that all use the same bytes."""
    entries = [Entry(b"%d" % n, start=0, content=bytes(1000)) for n in range(count)]
    return archive(program(), *entries)


def zeros(megabytes: int) -> Entry:
    """Return a member with this many MiB of zeros, without holding them in memory."""
    packer, body, crc, piece = zlib.compressobj(9, zlib.DEFLATED, -15), b"", 0, bytes(1024 * 1024)
    for _ in range(megabytes):
        body += packer.compress(piece)
        crc = zlib.crc32(piece, crc)
    return Entry(b"zeros", body=body + packer.flush(), crc=crc, size=megabytes * len(piece))


def whole(name: str = PROGRAM, **fields: object) -> Callable[[], bytes]:
    return lambda: archive(Entry(name.encode(), **fields))  # type: ignore[arg-type]


TEXT = Entry(b"LICENSE", b"text", 0o100644)
LONG = Entry(b"a", bytes(5_000_000), method=STORED)
DESCRIPTOR_FIELDS = {"crc": 0, "packed": 0, "size": 0}
DOT_DOT = "entry contains '..': "
GOOD: dict[str, tuple[Callable[[], bytes], set[str]]] = {
    "plain": (whole(), set()),
    "stored": (whole(method=STORED), set()),
    "with texts": (lambda: archive(program(), TEXT, Entry(b"README.md", b"", 0o100644)), set()),
    "by Python": (lambda: by_python({PROGRAM: ELF, "docs/index.md": b"text"}), {"not_executable"}),
    "with a folder": (beside("docs/", content=b"", mode=0o040755, method=STORED), set()),
    "sizes behind the bytes": (
        lambda: archive(program(flags=8, local=DESCRIPTOR_FIELDS, descriptor=DESCRIPTOR), TEXT),
        set(),
    ),
    "for Windows": (whole(f"{PROGRAM}.exe"), set()),
    "with the protocol": (whole(f"{PROGRAM}_x5"), set()),
    "no mode": (whole(mode=0), set()),
    "not executable": (whole(mode=0o100644), {"not_executable"}),
    "comment": (lambda: archive(program(), comment=b"hello"), {"comment"}),
    "archive inside": (beside("more.zip", content=by_python({"a": b"b"})), {"nested"}),
    "name in another alphabet": (beside("лицензия.txt", mode=0o100644), set()),
}
NO_ZIP = {
    "nothing": lambda: b"",
    "text": lambda: b"no archive",
    "page": lambda: b"<html></html>",
    "gzip": lambda: b"\x1f\x8b\x08" + bytes(100),
    "cut": lambda: archive(program())[:-10],
    "without its end": lambda: archive(program())[:-22],
    "comment that is cut": lambda: archive(program(), comment=b"hello")[:-1],
}
HOSTILE: dict[str, tuple[Callable[[], bytes], str]] = {
    **{f"no archive: {name}": (make, "no_zip") for name, make in NO_ZIP.items()},
    "no members": (lambda: archive(), "no_members"),
    "name of many folders": (beside("a/" * 12_000 + "b"), "name_length"),
    "many names of many folders": (
        lambda: archive(program(), *(Entry(b"%d/" % n + b"a/" * 1900 + b"b") for n in range(190))),
        "name_length",
    ),
    "too many members": (lambda: archive(program(), *(Entry(b"%d" % n, b"") for n in range(200))), "members"),
    "says more members": (lambda: archive(program(), here=2, count=2), "directory_short"),
    "says fewer members": (lambda: archive(program(), Entry(b"a"), here=1, count=1), "directory_long"),
    "says 65,535 members": (lambda: archive(program(), here=0xFFFF, count=0xFFFF), "zip64"),
    "says 4 GiB": (lambda: archive(program(), offset=0xFFFFFFFF), "zip64"),
    "several disks": (lambda: archive(program(), disk=1), "disks"),
    "other count on this disk": (lambda: archive(program(), here=0), "disks"),
    "directory before the file": (lambda: archive(program(), length=10_000_000), "directory"),
    "directory behind itself": (lambda: archive(program(), offset=10_000_000), "directory"),
    "directory too long": (lambda: archive(LONG, length=4_500_000, offset=0), "directory_size"),
    "directory of something else": (lambda: archive(program()).replace(b"K\x01\x02", b"K\x01\x03"), "directory_entry"),
    "member nowhere": (whole(start=1_000_000), "local_header"),
    "member in the directory": (lambda: archive(program(), Entry(b"a", start=100)), "local_header"),
    "local header gone": (lambda: archive(program()).replace(b"PK\x03\x04", b"PK\x03\x05"), "local_header"),
    "bytes in front": (lambda: archive(program(), before=b"#!/bin/sh\n"), "prefix"),
    "archive in front": (lambda: archive(program()) + archive(program()), "prefix"),
    "bytes behind": (lambda: archive(program(), after=b"more"), "trailing"),
    "bytes between": (lambda: archive(program(), Entry(b"a", gap=bytes(100))), "gap"),
    "hidden first member": (lambda: archive(program(gap=archive(Entry(b"hidden")))), "gap"),
    "overlapping": (lambda: overlapping(3), "overlap"),
    "overlapping bomb": (lambda: overlapping(150), "overlap"),
    "reaches into the directory": (whole(packed_size=2000), "past_the_end"),
    "two dots": (beside("../evil"), "traversal"),
    "two dots inside": (beside("a/../../evil"), "traversal"),
    "two dots at the end": (beside("a/.."), "traversal"),
    "two dots and backslashes": (beside("..\\evil"), "traversal"),
    "only two dots": (beside(".."), "traversal"),
    "from the root": (beside("/etc/passwd"), "absolute"),
    "from a disk": (beside("C:evil"), "absolute"),
    "from a share": (beside("\\\\host\\share"), "absolute"),
    "backslash": (beside("a\\b"), "backslash"),
    "no name": (beside(""), "name_length"),
    "long name": (beside("a" * 256), "name_length"),
    "line break in a name": (beside("a\nb"), "control"),
    "NUL in a name": (beside("a\0b"), "control"),
    "escape in a name": (beside("\x1b[2Ja"), "control"),
    "text turned round": (beside("a\u202egpj.exe"), "control"),
    "name that is no text": (beside(b"\xff\xfe", flags=0x800), "control"),
    "dot": (beside("./a"), "odd_name"),
    "empty part": (beside("a//b"), "odd_name"),
    "space at the end": (beside("a "), "odd_name"),
    "dot at the end": (beside("a."), "odd_name"),
    "same name": (beside(PROGRAM), "duplicate"),
    "same name as a folder": (beside(f"{PROGRAM}/", content=b"", mode=0o040755), "duplicate"),
    "same on Windows": (beside(PROGRAM.upper()), "same_on_windows"),
    "file and folder": (beside(f"{PROGRAM}/a"), "file_and_folder"),
    "link": (beside("link", content=b"/etc/passwd", mode=0o120777), "symlink"),
    "program is a link": (whole(content=b"/bin/sh", mode=0o120777), "symlink"),
    "device": (beside("dev", mode=0o060666), "device"),
    "character device": (beside("dev", mode=0o020666), "device"),
    "pipe": (beside("pipe", mode=0o010666), "device"),
    "socket": (beside("sock", mode=0o140666), "device"),
    "set user": (beside("sudo", mode=0o104755), "set_user"),
    "folder by mode only": (beside("a", mode=0o040755), "kind"),
    "folder by name only": (beside("a/", mode=0o100644), "kind"),
    "encrypted": (whole(flags=1), "encrypted"),
    "encrypted in front only": (whole(local={"flags": 1}), "encrypted"),
    "bzip2": (whole(method=12), "method"),
    "LZMA": (whole(method=14), "method"),
    "Zstandard": (whole(method=93), "method"),
    "other name in front": (whole(local={"name": b"terraform-provider-rocket_v1.0.1"}), "headers_differ"),
    "other method in front": (whole(local={"method": STORED}), "headers_differ"),
    "other size in front": (whole(local={"size": 1}), "sizes_differ"),
    "other checksum in front": (whole(local={"crc": 1}), "sizes_differ"),
    "stored, two sizes": (whole(method=STORED, size=10), "stored_size"),
    "says less": (whole(size=10), "longer"),
    "bomb that says less": (lambda: archive(program(), Entry(b"z", bytes(10_000_000), size=100)), "longer"),
    "says more": (whole(size=1000), "shorter"),
    "other checksum": (whole(crc=1, local={"crc": 1}), "checksum"),
    "no deflate": (whole(body=b"\xff" * 50), "packing"),
    "deflate without end": (whole(body=zlib.compress(ELF)[2:8]), "packing"),
    "bomb": (lambda: archive(program(), zeros(80)), "ratio"),
    "declared bomb": (lambda: archive(program(), Entry(b"z", b"", size=2**31, local={"size": 2**31})), "too_large"),
    "no program": (whole("README.md"), "no_program"),
    "program of another": (whole("terraform-provider-other_v1.0.0"), "no_program"),
    "program with a longer name": (whole("terraform-provider-rocketeer_v1.0.0"), "no_program"),
    "program in a folder": (whole(f"bin/{PROGRAM}"), "no_program"),
    "program in capitals": (whole("Terraform-provider-rocket_v1.0.0"), "no_program"),
    "other version": (whole("terraform-provider-rocket_v1.0.1"), "program_name"),
    "no version": (whole("terraform-provider-rocket"), "program_name"),
}
