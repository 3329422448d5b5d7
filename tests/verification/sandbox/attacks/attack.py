"""Program that attacks the sandbox from inside and prints the result of every attempt."""

import os
from dataclasses import dataclass

from verification.sandbox.types import ExitReason

PREAMBLE = """
import ctypes, errno, os, socket, struct, sys, time
libc = ctypes.CDLL(None, use_errno=True)

def report(name, error):
    print(name, "succeeded" if error is None else errno.errorcode.get(error, error), flush=True)

def attempt(name, action):
    try:
        action()
        report(name, None)
    except OSError as error:
        report(name, error.errno)

def attempt_change(name, action):
    try:
        action()
        print(name, "succeeded", flush=True)
    except OSError as error:  # which one depends on the owner of the file outside
        is_refusal = error.errno in (errno.EROFS, errno.EACCES, errno.EPERM)
        print(name, "refused" if is_refusal else errno.errorcode[error.errno], flush=True)

def fill_buffer(connection):
    connection.setblocking(False)
    try:
        while True: connection.send(bytes(65536))
    except BlockingIOError:
        pass

def call(name, *arguments):
    failed = libc.syscall(ctypes.c_long(NUMBERS[name]), *arguments) < 0
    report(name, ctypes.get_errno() if failed else None)
"""
# System calls by number: a C library may lack a function or refuse by itself.
NUMBERS = {
    "x86_64": {
        "ptrace": 101,
        "process_vm_readv": 310,
        "process_vm_writev": 311,
        "pidfd_getfd": 438,
        "kcmp": 312,
        "mount": 165,
        "umount2": 166,
        "pivot_root": 155,
        "chroot": 161,
        "open_tree": 428,
        "move_mount": 429,
        "fsopen": 430,
        "mount_setattr": 442,
        "unshare": 272,
        "setns": 308,
        "clone": 56,
        "clone3": 435,
        "add_key": 248,
        "request_key": 249,
        "keyctl": 250,
        "bpf": 321,
        "userfaultfd": 323,
        "perf_event_open": 298,
        "io_uring_setup": 425,
        "io_setup": 206,
        "init_module": 175,
        "finit_module": 313,
        "kexec_load": 246,
        "reboot": 169,
        "swapon": 167,
        "syslog": 103,
        "quotactl": 179,
        "personality": 135,
        "acct": 163,
        "settimeofday": 164,
        "sethostname": 170,
        "memfd_create": 319,
        "memfd_secret": 447,
        "shmget": 29,
        "msgget": 68,
        "semget": 64,
        "open_by_handle_at": 304,
        "fanotify_init": 300,
        "seccomp": 317,
        "mbind": 237,
        "inotify_init1": 294,
        "inotify_add_watch": 254,
    },
    "aarch64": {
        "ptrace": 117,
        "process_vm_readv": 270,
        "process_vm_writev": 271,
        "pidfd_getfd": 438,
        "kcmp": 272,
        "mount": 40,
        "umount2": 39,
        "pivot_root": 41,
        "chroot": 51,
        "open_tree": 428,
        "move_mount": 429,
        "fsopen": 430,
        "mount_setattr": 442,
        "unshare": 97,
        "setns": 268,
        "clone": 220,
        "clone3": 435,
        "add_key": 217,
        "request_key": 218,
        "keyctl": 219,
        "bpf": 280,
        "userfaultfd": 282,
        "perf_event_open": 241,
        "io_uring_setup": 425,
        "io_setup": 0,
        "init_module": 105,
        "finit_module": 273,
        "kexec_load": 104,
        "reboot": 142,
        "swapon": 224,
        "syslog": 116,
        "quotactl": 60,
        "personality": 92,
        "acct": 89,
        "settimeofday": 170,
        "sethostname": 161,
        "memfd_create": 279,
        "memfd_secret": 447,
        "shmget": 194,
        "msgget": 186,
        "semget": 190,
        "open_by_handle_at": 265,
        "fanotify_init": 262,
        "seccomp": 277,
        "mbind": 235,
        "inotify_init1": 26,
        "inotify_add_watch": 27,
    },
}
MACHINE = os.uname().machine


@dataclass(frozen=True)
class Attack:
    """A program and its expected result: its output, or the limit at which it is stopped.

    `is_strict` stops the program when it uses the network. `has_proxy` gives it a proxy for a different host.
    The runner replaces `arguments`, which are names of locations on the host.
    """

    source: str
    lines: tuple[str, ...] = ()
    reason: ExitReason = ExitReason.FINISHED
    exit_code: int | None = 0
    is_strict: bool = False
    has_proxy: bool = False
    arguments: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """Return the whole program."""
        return f"{PREAMBLE}NUMBERS = {NUMBERS.get(MACHINE, {})!r}\n{self.source}"


def expect_refusal(*names: str, error: str = "EPERM") -> Attack:
    """Return an attack that makes system calls with meaningless arguments, all of which must be refused."""
    source = "".join(f'call("{name}", 0, 0, 0, 0, 0, 0)\n' for name in names)
    return Attack(source, tuple(f"{name} {error}" for name in names))


def expect_stop(source: str, reason: ExitReason, *, is_strict: bool = False, has_proxy: bool = False) -> Attack:
    """Return an attack that must be stopped."""
    return Attack(source, (), reason, None, is_strict, has_proxy)
