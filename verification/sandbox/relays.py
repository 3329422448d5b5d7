"""Servers that relay connections, each in a thread of its own while a context is open."""

import asyncio
import socket
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

BUFFER_BYTES = 64 * 1024
MAX_CONNECTIONS = 64  # each takes two descriptors of the supervisor
CLOSE_SECONDS = 1.0  # to wait for the thread, which can hang in a name resolution
Stream = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Handler = Callable[[Stream], Coroutine[None, None, None]]


@contextmanager
def serve(listener: socket.socket, handle: Handler) -> Iterator[None]:
    """Handle the connections to a listening socket. At the end, close the socket and all connections."""
    listener.listen()  # here, so that the first connection can't come before it
    stop: Future[None] = Future()
    thread = threading.Thread(target=asyncio.run, args=(_serve(listener, handle, stop),), daemon=True)
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
            if not slots.locked():
                async with slots:
                    await handle((reader, writer))
            writer.close()
        # A program can close its connections anytime, and those that are open at the end are canceled.
        except (OSError, asyncio.CancelledError):
            writer.transport.abort()

    # By default, six connections to hosts that don't answer could delay all others.
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(MAX_CONNECTIONS))
    server = await asyncio.start_server(handle_connection, sock=listener)
    await asyncio.wrap_future(stop)
    server.close()


async def join(near: Stream, far: Stream) -> None:
    """Copy bytes in both directions until both sides have closed, and close the far one."""
    try:
        await asyncio.gather(_copy(near[0], far[1]), _copy(far[0], near[1]))
        far[1].close()
    except (OSError, asyncio.CancelledError):
        far[1].transport.abort()
        raise


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(BUFFER_BYTES):
        writer.write(data)
        await writer.drain()
    if writer.can_write_eof():
        writer.write_eof()
    else:  # TLS has no half-closed connections
        writer.close()
        await writer.wait_closed()
