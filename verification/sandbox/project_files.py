"""Access to files of a sandbox from outside, without following links that a program created."""

import os
import re
import shutil
import stat
from contextlib import suppress
from pathlib import Path, PurePosixPath

LEFTOVER = re.compile(r"sandbox-(?:job-)?(\d+)-")
FOLDER_FLAGS = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def open_beneath(folder: int, name: str, flags: int, mode: int = 0o644) -> int:
    """Open a file below the folder. A symbolic link anywhere on the way, and `..`, raise OSError."""
    parent = _open_parent(folder, name)
    try:
        return os.open(PurePosixPath(name).name, flags | os.O_NOFOLLOW | os.O_CLOEXEC, mode, dir_fd=parent)
    finally:
        os.close(parent)


def _open_parent(folder: int, name: str, owner: int = -1, *, is_created: bool = False) -> int:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts:
        raise PermissionError(1, "it lies outside the folder")
    # One part after another, so that a program can't exchange a folder for a link between a check and its use.
    current = os.dup(folder)
    for part in path.parent.parts:
        try:
            if is_created:
                _make_folder(current, part, owner)
            following = os.open(part, FOLDER_FLAGS, dir_fd=current)
        finally:
            os.close(current)
        current = following
    return current


def _make_folder(parent: int, name: str, owner: int) -> None:
    try:
        os.mkdir(name, 0o755, dir_fd=parent)
    except FileExistsError:
        return
    if owner >= 0:
        os.chown(name, owner, owner, dir_fd=parent, follow_symlinks=False)


def make_folders(folder: int, name: str, owner: int = -1) -> None:
    """Create a folder below the folder, and its parents."""
    os.close(_open_parent(folder, f"{name}/file", owner, is_created=True))


def write_file(folder: int, name: str, data: bytes, owner: int = -1) -> None:
    """Write a file below the folder and create its parents. `owner` is a user and group, or -1 for our own."""
    os.close(_open_parent(folder, name, owner, is_created=True))
    # A program can put a pipe in the place of the file, and opening one would otherwise wait for a reader.
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NONBLOCK
    with os.fdopen(open_beneath(folder, name, flags), "wb") as file:
        if owner >= 0:
            os.fchown(file.fileno(), owner, owner)
        file.write(data)


def write_link(folder: int, name: str, target: str, owner: int = -1) -> None:
    """Create a symbolic link below the folder."""
    parent = _open_parent(folder, name, owner, is_created=True)
    try:
        os.symlink(target, PurePosixPath(name).name, dir_fd=parent)
    finally:
        os.close(parent)


def read_file(folder: int, name: str, size: int) -> bytes:
    """Return the first bytes of a regular file below the folder."""
    with os.fdopen(open_beneath(folder, name, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise FileNotFoundError(2, "there is no such file")
        return file.read(size)


def remove_leftovers(folder: Path) -> None:
    """Remove the folders of supervisors that were killed. The names of the folders contain the process ID."""
    for path in folder.glob("sandbox-*"):
        match = LEFTOVER.match(path.name)
        with suppress(OSError):
            # The folder of another user belongs to another service, which may not see our processes.
            if match and not Path("/proc", match[1]).exists() and path.lstat().st_uid == os.geteuid():
                shutil.rmtree(path, ignore_errors=True)
