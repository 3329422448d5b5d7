"""Which calls of the Linux kernel make a room? Those that Python has no name for. Raises OSError as os does."""

import ctypes
import fcntl
import os
import socket
import struct

_libc = ctypes.CDLL(None, use_errno=True)

NEWNS, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET = 0x00020000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000
NEWCGROUP = 0x02000000
RDONLY, NOSUID, NODEV, NOEXEC, REMOUNT, BIND, REC, PRIVATE = 1, 2, 4, 8, 32, 4096, 16384, 1 << 18
DETACH = 2
PDEATHSIG, DUMPABLE, NO_NEW_PRIVS, SECCOMP = 1, 4, 38, 22
IN_OPEN = 0x20
SYS_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}


def _check(code: int, what: str) -> int:
    if code < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{what}: {os.strerror(error)}")
    return code


def unshare(flags: int) -> None:
    _check(_libc.unshare(flags), "unshare")


def mount(source: str, target: str, kind: str = "", flags: int = 0, data: str = "") -> None:
    done = _libc.mount(
        source.encode(), target.encode(), kind.encode() or None, ctypes.c_ulong(flags), data.encode() or None
    )
    _check(done, f"mount {target}")


def bind(source: str, target: str) -> None:
    """The source appears at the target too, read only."""
    mount(source, target, flags=BIND | REC)
    kept = os.statvfs(target).f_flag & NOEXEC
    mount("", target, flags=BIND | REMOUNT | RDONLY | NOSUID | NODEV | kept)


def pivot(folder: str) -> None:
    """The folder becomes the root, and the old root is gone."""
    os.chdir(folder)
    number = SYS_PIVOT_ROOT[os.uname().machine]
    _check(_libc.syscall(number, b".", b"."), "pivot_root")
    _check(_libc.umount2(b".", DETACH), "umount")
    os.chdir("/")


def prctl(option: int, value: int, pointer: int = 0) -> None:
    zero = ctypes.c_ulong(0)
    _check(_libc.prctl(option, ctypes.c_ulong(value), ctypes.c_void_p(pointer or None), zero, zero), f"prctl {option}")


def loopback_up() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        fcntl.ioctl(asked, 0x8914, struct.pack("16sH14x", b"lo", 1 | 64))  # SIOCSIFFLAGS: up, running


def watch(paths: list[str]) -> int:
    """A descriptor that becomes readable when one of the files is opened."""
    found = _check(_libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC), "inotify")
    for path in paths:
        _check(_libc.inotify_add_watch(found, path.encode(), IN_OPEN), "inotify")
    return found
