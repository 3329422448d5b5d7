"""Valid and hostile archives with ZIP64 fields, with the expected remarks of the portal."""

import io
import struct
import zipfile
from collections.abc import Callable

from tests.verification.releases.artifacts.archive_cases import PROGRAM, TEXT, Entry, build_archive, build_program
from tests.verification.releases.release_registry import ELF


def build_zip64(*entries: Entry, before: bytes = b"", **changes: int) -> bytes:
    """Return the archive with a ZIP64 end record; `changes` are those of its fields and of the locator before it."""
    archive = build_archive(*entries)
    here, count, length, offset = struct.unpack("<2H2L", archive[-14:-2])
    position = len(archive) - 22
    fields = {"size": 44, "here": here, "count": count, "length": length, "offset": offset, "position": position}
    fields |= {"disks": 1} | changes
    numbers = (fields[name] for name in ("here", "count", "length", "offset"))
    record = struct.pack("<4sQ2H2L4Q", b"PK\x06\x06", fields["size"], 45, 45, 0, 0, *numbers)
    locator = struct.pack("<4sLQL", b"PK\x06\x07", 0, fields["position"], fields["disks"])
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    return before + archive[:-22] + record + locator + end


def build_with_wide_zipfile(limit: int = 0) -> bytes:
    """Return an archive in which Python's writer uses ZIP64 for all sizes and offsets above the limit."""
    buffer = io.BytesIO()
    limits = {"ZIP64_LIMIT": limit, "ZIP_FILECOUNT_LIMIT": 0}
    before = {name: getattr(zipfile, name) for name in limits}
    vars(zipfile).update(limits)
    try:
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive_file:
            for name, content in ((PROGRAM, ELF), ("docs/index.md", b"text")):
                with archive_file.open(name, "w", force_zip64=True) as member:
                    member.write(content)
    finally:
        vars(zipfile).update(before)
    return buffer.getvalue()


VALID: dict[str, tuple[Callable[[], bytes], set[str]]] = {
    "ZIP64 throughout, built by Python": (build_with_wide_zipfile, {"not_executable"}),
    "ZIP64 local headers, built by Python": (lambda: build_with_wide_zipfile(2**31), {"not_executable"}),
    "ZIP64 end record": (lambda: build_zip64(build_program(), TEXT), set()),
}
HOSTILE: dict[str, tuple[Callable[[], bytes], str]] = {
    "ZIP64 end record of another length": (lambda: build_zip64(build_program(), size=45), "zip64"),
    "ZIP64 end record elsewhere": (lambda: build_zip64(build_program(), position=0), "zip64"),
    "ZIP64 end record with another offset": (lambda: build_zip64(build_program(), offset=1), "zip64"),
    "ZIP64 with more members": (lambda: build_zip64(build_program(), count=2**40, here=2**40), "members"),
    "ZIP64 with other counts": (lambda: build_zip64(build_program(), here=2), "disks"),
    "ZIP64 with a huge directory": (lambda: build_zip64(build_program(), length=2**63), "zip64"),
    "ZIP64 on two disks": (lambda: build_zip64(build_program(), disks=2), "members"),
    "bytes before a ZIP64 archive": (lambda: build_zip64(build_program(), before=b"#!/bin/sh\n"), "prefix"),
}
