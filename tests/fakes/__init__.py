"""Stand-ins for the world outside: servers on loopback, never mocks of our own code."""

import socket


def free_port() -> int:
    """A loopback port that is free now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
