"""Which system calls has a partner's program no use for? They answer "not permitted", by a filter in the kernel.

What is named here widens the kernel's surface or keeps memory that no limit counts. A table by machine: other machines
have no filter, and no room either.
"""

import ctypes
import struct

from verification.sandbox.inside import kernel

ARCHITECTURE = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
DENIED: dict[str, dict[str, int]] = {
    "x86_64": {
        "ptrace": 101, "shmget": 29, "shmat": 30, "msgget": 68, "semget": 64, "personality": 135, "pivot_root": 155,
        "mount": 165, "umount2": 166, "swapon": 167, "reboot": 169, "init_module": 175, "quotactl": 179,
        "add_key": 248, "request_key": 249, "keyctl": 250, "kexec_load": 246, "unshare": 272, "perf_event_open": 298,
        "fanotify_init": 300, "open_by_handle_at": 304, "setns": 308, "process_vm_readv": 310,
        "process_vm_writev": 311, "finit_module": 313, "memfd_create": 319, "kexec_file_load": 320, "bpf": 321,
        "userfaultfd": 323, "io_uring_setup": 425, "open_tree": 428, "move_mount": 429, "fsopen": 430,
        "memfd_secret": 447,
    },
    "aarch64": {
        "ptrace": 117, "shmget": 194, "shmat": 196, "msgget": 186, "semget": 190, "personality": 92, "pivot_root": 41,
        "mount": 40, "umount2": 39, "swapon": 224, "reboot": 142, "init_module": 105, "quotactl": 60, "add_key": 217,
        "request_key": 218, "keyctl": 219, "kexec_load": 104, "unshare": 97, "perf_event_open": 241,
        "fanotify_init": 262, "open_by_handle_at": 265, "setns": 268, "process_vm_readv": 270,
        "process_vm_writev": 271, "finit_module": 273, "memfd_create": 279, "kexec_file_load": 294, "bpf": 280,
        "userfaultfd": 282, "io_uring_setup": 425, "open_tree": 428, "move_mount": 429, "fsopen": 430,
        "memfd_secret": 447,
    },
}  # fmt: skip
LOAD, EQUAL, AT_LEAST, RETURN = 0x20, 0x15, 0x35, 0x06
ALLOW, REFUSE, KILL = 0x7FFF0000, 0x00050001, 0x80000000  # REFUSE: EPERM
OTHER_ABI = 0x40000000  # x32 numbers its calls from here
NUMBER, MACHINE = 0, 4  # where they stand in what the filter is shown


def program(machine: str) -> bytes:
    """The filter as the kernel's own little program. Raises KeyError for a machine without a table."""
    denied = sorted(DENIED[machine].values())
    lines = [(LOAD, 0, 0, MACHINE), (EQUAL, 1, 0, ARCHITECTURE[machine]), (RETURN, 0, 0, KILL), (LOAD, 0, 0, NUMBER)]
    lines.append((AT_LEAST, len(denied) + 1, 0, OTHER_ABI))
    lines += [(EQUAL, len(denied) - at, 0, number) for at, number in enumerate(denied)]
    lines += [(RETURN, 0, 0, ALLOW), (RETURN, 0, 0, REFUSE)]
    return b"".join(struct.pack("HBBI", *line) for line in lines)


def install(code: bytes) -> None:
    """From now on, for this process and all that it starts."""
    buffer = ctypes.create_string_buffer(code, len(code))
    header = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(buffer)))
    kernel.prctl(kernel.SECCOMP, 2, ctypes.addressof(header))
