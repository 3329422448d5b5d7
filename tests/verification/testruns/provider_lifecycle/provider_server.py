"""Server that forks the example provider, so that its imports are loaded once.

Terraform starts a provider several times per command, and imports take most of its processor time. The executable of
`write_executable` only passes its environment, working folder, and files to the server, then exits as the fork does.
Run as `python -m tests.verification.testruns.provider_lifecycle.provider_server SOCKET`. Only for tests without a
sandbox: the fork runs outside of it.
"""

import os
import socket
import struct
import subprocess
import sys
import threading
import traceback
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

from tests.codebase.project_files import ROOT

LENGTH = struct.Struct("<L")
MAX_FILES = 3  # standard input, output, and error
LOST_EXIT_CODE = 70
# what the provider imports only when it starts
LAZY_IMPORTS = (
    "cryptography.hazmat.primitives.asymmetric.rsa",
    "cryptography.x509",
    "tf.gen.grpc_controller_pb2_grpc",
    "tf.gen.grpc_stdio_pb2_grpc",
    "tf.gen.tfplugin_pb2_grpc",
    "tf.provider",
)
# without site packages and the module socket, which take longer to import than all else
CLIENT = """#!{python} -IS
import _socket, array, os
connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
connection.connect({address!r})
texts = [os.getcwd(), {fault!r}, *(part for item in os.environ.items() for part in item)]
message = b"\\0".join(map(os.fsencode, texts))
files = [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, array.array("i", [0, 1, 2]))]
connection.sendmsg([len(message).to_bytes(4, "little")], files)
connection.sendall(message)
code = connection.recv(1)
os._exit(code[0] if code else {lost})
"""


class ProviderServer:
    """The server as a child process, and the executables that use it."""

    def __init__(self, folder: Path) -> None:
        self.address = str(folder / "server")
        command = [sys.executable, "-m", __spec__.name, self.address]
        self.process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.process.stdout is not None
        self.process.stdout.readline()  # until it listens

    def write_executable(self, folder: Path, name: str, fault: str) -> Path:
        """Write an executable that behaves like the example provider with a fault."""
        path = folder / name
        path.write_text(CLIENT.format(python=sys.executable, address=self.address, fault=fault, lost=LOST_EXIT_CODE))
        path.chmod(0o755)
        return path

    def stop(self) -> None:
        self.process.terminate()
        self.process.communicate()


def serve(address: str) -> NoReturn:
    """Fork a provider for each connection."""
    from examples import provider

    for name in LAZY_IMPORTS:
        import_module(name)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen(64)
        print(flush=True)
        while True:
            connection, _ = listener.accept()
            if os.fork() == 0:
                listener.close()
                run_provider(connection, provider)
            connection.close()
            reap_forks()


def reap_forks() -> None:
    while os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG):
        pass


def run_provider(connection: socket.socket, provider: Any) -> NoReturn:
    """Become the provider, and send the exit code to the client."""
    exit_process = os._exit

    def exit_with_client(code: int) -> NoReturn:
        sys.stdout.flush()
        connection.sendall(bytes([code]))
        exit_process(code)

    def exit_when_client_is_killed() -> None:
        connection.recv(1)
        exit_process(LOST_EXIT_CODE)

    os._exit = exit_with_client  # type: ignore[assignment]
    provider.FAULT = take_over_client(connection)
    threading.Thread(target=exit_when_client_is_killed, daemon=True).start()
    try:
        provider.main()
    except SystemExit as end:
        print(end, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
    exit_with_client(1)


def take_over_client(connection: socket.socket) -> str:
    """Replace files, folder, and environment of this process by those of the client, and return the fault."""
    head, files, *_ = socket.recv_fds(connection, LENGTH.size, MAX_FILES)
    with connection.makefile("rb") as stream:
        folder, fault, *variables = map(os.fsdecode, stream.read(*LENGTH.unpack(head)).split(b"\0"))
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(zip(variables[::2], variables[1::2], strict=True))
    sys.argv = [folder]
    return fault


if __name__ == "__main__":
    serve(sys.argv[1])
