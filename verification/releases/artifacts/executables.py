"""Platforms of executables, read from their first bytes. Nothing is started."""

import struct
from dataclasses import dataclass

from verification.releases.artifacts.remarks import Remark, build_remark

ELF_MACHINES = {
    3: "386",
    8: "mips",
    20: "ppc",
    21: "ppc64",
    22: "s390x",
    40: "arm",
    62: "amd64",
    183: "arm64",
    243: "riscv64",
    258: "loong64",
}
MACH_MACHINES = {0x01000007: "amd64", 0x0100000C: "arm64", 7: "386", 12: "arm"}
PE_MACHINES = {0x014C: "386", 0x8664: "amd64", 0xAA64: "arm64", 0x01C0: "arm", 0x01C4: "arm"}
FORMATS = {"windows": "PE", "darwin": "Mach-O"}
MACHINES_BY_ARCH = {
    "ppc64le": "ppc64",
    "mipsle": "mips",
    "mips64": "mips",
    "mips64le": "mips",
    "armv6": "arm",
    "armv7": "arm",
}


@dataclass(frozen=True, slots=True)
class ExecutablePlatform:
    """Format of an executable: ELF, Mach-O, PE, or blank. `arch` is in Go's terms, blank if unknown."""

    format: str = ""
    arch: str = ""


def read_platform(head: bytes) -> ExecutablePlatform:
    """Return the platform that the first bytes of an executable show (4 KiB are enough)."""
    if head.startswith(b"\x7fELF") and len(head) >= 20:
        # e_machine is at offset 18, in the byte order that the sixth byte, EI_DATA, names (ELF specification).
        machine = struct.unpack_from(">H" if head[5] == 2 else "<H", head, 18)[0]
        return ExecutablePlatform("ELF", ELF_MACHINES.get(machine, ""))
    if head[:4] in (b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe") and len(head) >= 8:
        return ExecutablePlatform("Mach-O", MACH_MACHINES.get(struct.unpack_from("<L", head, 4)[0], ""))
    if head[:4] in (b"\xca\xfe\xba\xbe", b"\xca\xfe\xba\xbf"):
        return ExecutablePlatform("Mach-O")  # for several machines at once
    if head.startswith(b"MZ") and len(head) >= 64:
        offset = struct.unpack_from("<L", head, 60)[0]
        if head[offset : offset + 4] == b"PE\0\0" and len(head) >= offset + 6:
            return ExecutablePlatform("PE", PE_MACHINES.get(struct.unpack_from("<H", head, offset + 4)[0], ""))
    return ExecutablePlatform()


def list_remarks(actual: ExecutablePlatform, os: str, arch: str) -> tuple[Remark, ...]:
    """Return the differences between an executable and the platform in the name of its archive."""
    if not actual.format:
        return (build_remark("no_executable"),)
    if actual.format != FORMATS.get(os, "ELF"):
        return (build_remark("other_system", format=actual.format, os=os),)
    # ELF has one number for both byte orders and for all versions of ARM, so these aren't told apart.
    if actual.arch and actual.arch != MACHINES_BY_ARCH.get(arch, arch):
        return (build_remark("other_machine", found=actual.arch, arch=arch),)
    return ()
