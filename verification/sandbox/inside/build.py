"""What is there in a room? A root of its own, made of nothing but what is named here."""

import os
import resource
from pathlib import Path
from typing import Any

from verification.sandbox.base import HOME, WORK
from verification.sandbox.inside import kernel

OUTSIDE, INSIDE = 60999, 1000  # user ids; the first has no entry in any passwd and owns no file
MERGED = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
ETC = ("alternatives", "ld.so.cache", "localtime", "ssl/certs", "ssl/openssl.cnf", "pki/tls/certs")
DEVICES = ("null", "zero", "full", "random", "urandom")
WRITTEN = {
    "etc/passwd": f"sandbox:x:{INSIDE}:{INSIDE}::{HOME}:/bin/sh\n",
    "etc/group": f"sandbox:x:{INSIDE}:\n",
    "etc/hosts": "127.0.0.1 localhost\n::1 localhost\n",
    "etc/resolv.conf": "nameserver 192.0.2.1\noptions timeout:1 attempts:1\n",  # leads nowhere, and asking it is seen
    "etc/nsswitch.conf": "hosts: files dns\n",
}
DECOYS = (".aws/credentials", ".ssh/id_ed25519", ".netrc", ".config/gcloud/application_default_credentials.json",
          ".docker/config.json", ".kube/config", ".azure/accessTokens.json")  # fmt: skip
SPACES = kernel.NEWNS | kernel.NEWPID | kernel.NEWNET | kernel.NEWIPC | kernel.NEWUTS | kernel.NEWUSER


def leave_root(binds: list[list[str]], staging: str) -> list[list[str]]:
    """As root: bring what is to be seen to where an ordinary user reaches it, then be such a user."""
    kernel.unshare(kernel.NEWNS)
    kernel.mount("", "/", flags=kernel.REC | kernel.PRIVATE)
    reachable = []
    for number, (source, target) in enumerate(binds):
        place = f"{staging}/bind{number}"
        _like(source, place)
        kernel.bind(source, place)
        reachable.append([place, target])
    os.setgroups([])
    os.setresgid(OUTSIDE, OUTSIDE, OUTSIDE)
    os.setresuid(OUTSIDE, OUTSIDE, OUTSIDE)
    kernel.prctl(kernel.DUMPABLE, 1)  # else this process may not write its own maps
    return reachable


def new_spaces() -> None:
    """Namespaces of its own; the next child is the first process of them."""
    uid, gid = os.getuid(), os.getgid()
    kernel.unshare(SPACES)
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{INSIDE} {uid} 1")
    Path("/proc/self/gid_map").write_text(f"{INSIDE} {gid} 1")


def root(staging: str, disk: int, binds: list[list[str]]) -> None:
    """Build the root file system in the staging folder and move into it."""
    kernel.mount("", "/", flags=kernel.REC | kernel.PRIVATE)
    place = f"{staging}/root"
    kernel.mount("tmpfs", place, "tmpfs", kernel.NOSUID | kernel.NODEV, f"size={disk},nr_inodes=20000,mode=0755")
    for name in ("proc", "dev", "tmp", "etc", WORK.strip("/"), HOME.strip("/"), "run"):
        os.makedirs(f"{place}/{name}")
    for path, text in WRITTEN.items():
        Path(place, path).write_text(text)
    for source, target in [*_system(place), *binds]:
        _like(source, f"{place}{target}")
        kernel.bind(source, f"{place}{target}")
    for device in DEVICES:
        _like("/dev/null", f"{place}/dev/{device}")
        kernel.mount(f"/dev/{device}", f"{place}/dev/{device}", flags=kernel.BIND)
    os.symlink("/proc/self/fd", f"{place}/dev/fd")
    kernel.mount("proc", f"{place}/proc", "proc", kernel.NOSUID | kernel.NODEV | kernel.NOEXEC)
    kernel.pivot(place)


def _system(place: str) -> list[tuple[str, str]]:
    """What of the machine is to be seen: /usr, and its other names."""
    found = [("/usr", "/usr")]
    for name in MERGED:
        if os.path.islink(f"/{name}"):
            os.symlink(os.readlink(f"/{name}"), f"{place}/{name}")
        elif os.path.isdir(f"/{name}"):
            found.append((f"/{name}", f"/{name}"))
    return found + [(f"/etc/{name}", f"/etc/{name}") for name in ETC if os.path.exists(f"/etc/{name}")]


def _like(source: str, target: str) -> None:
    """An empty folder or file to put the source on."""
    if os.path.isdir(source):
        os.makedirs(target, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        Path(target).touch()


def decoys() -> list[str]:
    """Credentials in the home folder that are worth nothing; their paths."""
    found = [f"{HOME}/{name}" for name in DECOYS]
    for path in found:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        Path(path).write_text("planted: whoever reads this is seen\n")
    return found


def no_further_spaces() -> None:
    """Nobody in here makes namespaces in which they would be root again."""
    Path("/proc/sys/user/max_user_namespaces").write_text("0")


def bounds(limits: dict[str, Any]) -> None:
    """What the kernel itself holds a program to. Memory is watched more closely than it can be bounded here."""
    seconds = int(limits["seconds"]) + 2
    processes = limits["processes"] + 32
    for what, most in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_CPU, seconds * 4),
        (resource.RLIMIT_DATA, 2 * limits["memory"]),
        (resource.RLIMIT_NOFILE, 4096),
        (resource.RLIMIT_NPROC, processes),
        (resource.RLIMIT_MEMLOCK, 0),
    ):
        hard = resource.getrlimit(what)[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(what, (most, most))
