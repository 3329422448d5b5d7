"""Preconditions of bin/up: its own data folder, a free port, and space on the disk."""

import fcntl
import os
import shutil
import socket
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

MIN_FREE_MB = 50
MB = 1_000_000


class StartError(Exception):
    """A reason why the portal cannot start, and what to do about it."""


def require_data_folder(folder: Path) -> None:
    """Create the data folder if it is missing. Raises StartError if it can't be written."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Permissions alone don't tell: the file system can be read-only or full.
        with TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise StartError(
            f"The data folder {folder} is not writable: {error.strerror}. Make it writable,"
            " or run PORTAL_DATA=/path bin/up."
        ) from None


def lock_data_folder(folder: Path) -> IO[str]:
    """Lock a data folder for as long as the returned file is open.

    The system releases the lock however this process ends, so a crash leaves nothing to clean up.

    Raises:
        StartError: Another process has locked the folder.
    """
    # Not "w", which would erase the owner's process ID before the lock is ours.
    handle = (folder / "up.lock").open("a+")
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        handle.seek(0)
        owner = handle.read().strip() or "unknown"
        handle.close()
        raise StartError(
            f"The data folder {folder} is already in use (process {owner}). Stop that portal,"
            " or run PORTAL_DATA=/path bin/up."
        ) from None
    handle.truncate(0)
    handle.write(f"{os.getpid()}\n")
    handle.flush()
    return handle


def require_free_port(host: str, port: int) -> None:
    """Raise StartError if the port cannot be served on."""
    with socket.socket() as probe:
        # As servers do: connections of an earlier run that the system still remembers don't matter.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except (OSError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or "invalid port number"
            raise StartError(
                f"Port {port} is not available: {reason}. Stop the other process, or run PORT=8001 bin/up."
            ) from None


def require_disk_space(folder: Path) -> None:
    """Raise StartError if the disk of a folder is nearly full."""
    message = describe_full_disk(folder)
    if message:
        raise StartError(f"{message}. Free some space, or run PORTAL_DATA=/path bin/up.")


def describe_full_disk(folder: Path, min_free_mb: int = MIN_FREE_MB) -> str:
    """Return why the disk of a folder is nearly full, without a period, or an empty string if it isn't."""
    free_mb = shutil.disk_usage(folder).free // MB
    if free_mb >= min_free_mb:
        return ""
    return f"The disk of {folder} has {free_mb} MB left, and the portal needs {min_free_mb} MB"
