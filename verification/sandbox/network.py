"""Sockets in a sandbox's network namespace, opened by a short-lived process and used from outside."""

import socket
import subprocess
import sys

from verification.sandbox.bubblewrap import build_unavailable_error

PROXY_PORT = 3128
HELPER_SECONDS = 15.0
# Only a process with a single thread can enter a user namespace, so a separate process runs this. Root keeps its
# permissions and stays in its own user namespace.
HELPER = """
import ctypes, fcntl, os, socket, sys
child, kind, number = sys.argv[1:]
network = os.open(f"/proc/{child}/ns/net", os.O_RDONLY)
owner = fcntl.ioctl(network, 0xB701)  # NS_GET_USERNS
libc = ctypes.CDLL(None, use_errno=True)
user, net = (owner, 0x10000000), (network, 0x40000000)  # named kinds: a service manager may forbid any other
for namespace, kind_of in [net] if os.geteuid() == 0 else [user, net]:
    if libc.setns(namespace, kind_of) < 0:
        sys.exit(os.strerror(ctypes.get_errno()))
if kind == "diagnostics":
    opened = [socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 4)]  # NETLINK_SOCK_DIAG
    if int(number):
        listener = socket.socket()
        listener.setsockopt(socket.SOL_IP, 15, 1)  # IP_FREEBIND: loopback may come up later
        listener.bind(("127.0.0.1", int(number)))
        listener.listen(64)
        opened.append(listener)
else:
    opened = [socket.socket(socket.AddressFamily(int(kind))) for _ in range(int(number))]
socket.send_fds(socket.socket(fileno=0), [b"."], [each.fileno() for each in opened])
"""


def open_diagnostics(child: int, listener_port: int) -> list[socket.socket]:
    """Return a socket for queries about the sandbox's sockets, and one that listens on its loopback if requested.

    `child` is a process in the sandbox. `listener_port` is 0 for no listener.
    """
    return _open_sockets(child, "diagnostics", listener_port)


def open_tcp_sockets(child: int, family: socket.AddressFamily, count: int) -> list[socket.socket]:
    """Return unconnected TCP sockets that belong to the sandbox's network. `child` is a process in the sandbox."""
    return _open_sockets(child, str(int(family)), count)


def _open_sockets(child: int, kind: str, number: int) -> list[socket.socket]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        command = [sys.executable, "-I", "-S", "-c", HELPER, str(child), kind, str(number)]
        # Its standard input is a socket, through which it sends the descriptors.
        completed_process = subprocess.run(  # noqa: S603 - our own program
            command, stdin=theirs.fileno(), env={}, capture_output=True, timeout=HELPER_SECONDS, check=False
        )
        if completed_process.returncode:
            reason = completed_process.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
            raise build_unavailable_error(f"the network of the sandbox cannot be entered ({reason})")
        _, descriptors, _, _ = socket.recv_fds(ours, 1, 16)
    return [socket.socket(fileno=descriptor) for descriptor in descriptors]
