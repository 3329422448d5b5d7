"""Servers that relay connections, each in a thread of its own while a context is open."""

import asyncio
import socket
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from typing import ParamSpec, TypeVar

BUFFER_BYTES = 64 * 1024
MAX_CONNECTIONS = 64  # each takes two descriptors of the supervisor
CLOSE_SECONDS = 1.0  # to wait for the thread, which normally ends immediately
Stream = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Handler = Callable[[Stream], Coroutine[None, None, None]]
P = ParamSpec("P")
T = TypeVar("T")


@contextmanager
def serve(listener: socket.socket, handle: Handler) -> Iterator[None]:
    """Handle the connections to a listening socket. At the end, close the socket and all connections."""
    listener.listen()  # here, so that the first connection can't come before it
    stop: Future[None] = Future()
    thread = threading.Thread(target=asyncio.run, args=(_serve(listener, handle, stop),), daemon=True, name="relay")
    thread.start()
    try:
        yield
    finally:
        stop.set_result(None)
        thread.join(CLOSE_SECONDS)


async def _serve(listener: socket.socket, handle: Handler, stop: Future[None]) -> None:
    slots = asyncio.Semaphore(MAX_CONNECTIONS)

    async def handle_connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            # A program can close its connections anytime, and those that are open at the end are canceled.
            with suppress(OSError, asyncio.CancelledError):
                if not slots.locked():
                    async with slots:
                        await handle((reader, writer))
                        # In the slot, because data that the program doesn't read keeps the descriptor open.
                        await _close(writer)
        finally:
            writer.transport.abort()  # no effect on a closed connection

    server = await asyncio.start_server(handle_connection, sock=listener)
    await asyncio.wrap_future(stop)
    server.close()


async def join(near: Stream, far: Stream) -> None:
    """Copy bytes in both directions until both sides have closed, and close the far one."""
    try:
        await asyncio.gather(_copy(near[0], far[1]), _copy(far[0], near[1]))
        await _close(far[1])
    finally:
        far[1].transport.abort()  # no effect on a closed connection


async def run_in_thread(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Return the result of a blocking function.

    Each call has a thread of its own: in a pool, hosts that don't answer could delay other connections, and at the end
    the process would wait for them.
    """
    result: Future[T] = Future()

    def run() -> None:
        try:
            value = function(*args, **kwargs)
        except Exception as error:
            result.set_exception(error)
        else:
            result.set_result(value)

    result.set_running_or_notify_cancel()  # so that the thread can set a result that no one waits for anymore
    threading.Thread(target=run, daemon=True, name="relay-connect").start()
    return await asyncio.wrap_future(result)


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    # An error ends only this direction: the other one still delivers what has arrived.
    with suppress(OSError):
        while data := await reader.read(BUFFER_BYTES):
            writer.write(data)
            await writer.drain()
    if not writer.can_write_eof():  # TLS has no half-closed connections
        await _close(writer)
        return
    with suppress(OSError):
        writer.write_eof()


async def _close(writer: asyncio.StreamWriter) -> None:
    """Send what is left, and close the connection, unless it is lost already."""
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()
