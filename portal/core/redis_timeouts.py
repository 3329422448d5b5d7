"""Timeouts of connections to Redis. They are short, because pages wait."""

TIMEOUT_SECONDS = 0.3  # for a connection or a response
SOCKET_TIMEOUTS = {"socket_connect_timeout": TIMEOUT_SECONDS, "socket_timeout": TIMEOUT_SECONDS}
