"""Local server for callbacks and downloads, used when there is no portal."""

import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from io import BufferedIOBase, BytesIO
from uuid import uuid4

from django.core.handlers.wsgi import WSGIHandler
from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler
from django.http import HttpRequest, HttpResponse

from verification.testruns.kinds.run_task.callback_parsing import MAX_REQUEST_BYTES
from verification.testruns.kinds.run_task.callbacks import CallbackContext, CallbackRequest, process_callback
from verification.testruns.kinds.run_task.driver import RunTaskStore, build_download
from verification.testruns.kinds.run_task.http_responses import respond_to_callback, respond_to_download
from verification.testruns.kinds.run_task.protocol import RequestStep, RunTaskTarget, RunTaskUrls
from verification.testruns.kinds.run_task.records import CallbackRecord, Exchange, RunTaskRecords

# A client that connects and sends nothing would keep its thread.
REQUEST_TIMEOUT_SECONDS = 10
CHUNK_SIZE_PATTERN = re.compile(rb"([0-9A-Fa-f]{1,12})[;\r\n]")
MAX_LINE_BYTES = 1024


@dataclass
class CallbackSlot:
    """One request whose run can receive results."""

    key: str
    token_hash: str
    sent_at: float


@dataclass
class InMemoryStore(RunTaskStore):
    """The requests and callbacks of one test run. `base`: our URL as the endpoint sees it."""

    poll_seconds = 0.05
    target: RunTaskTarget
    base: str = ""
    slots: dict[str, CallbackSlot] = field(default_factory=dict)
    exchanges: list[Exchange] = field(default_factory=list)
    callbacks: list[CallbackRecord] = field(default_factory=list)
    # Callbacks arrive on the server's threads while the driver reads them.
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add_request(self, step: RequestStep, token_hash: str) -> RunTaskUrls:
        name = str(uuid4())
        with self.lock:
            self.slots[name] = CallbackSlot(step.key, token_hash, time.monotonic())
        return RunTaskUrls(*(f"{self.base}/{resource}/{name}" for resource in ("callback", "plan", "configuration")))

    def save_exchange(self, exchange: Exchange) -> None:
        self.exchanges.append(exchange)

    def load_records(self, *, is_complete: bool = False) -> RunTaskRecords:
        with self.lock:
            callbacks = tuple(self.callbacks)
        return RunTaskRecords(tuple(self.exchanges), callbacks, bool(self.target.key), is_complete, self.target.limits)

    def compute_ages(self) -> dict[str, float]:
        return {slot.key: time.monotonic() - slot.sent_at for slot in self.slots.values()}

    def _build_context(self, slot: CallbackSlot) -> CallbackContext:
        is_final = any(each.is_final for each in self.callbacks if each.key == slot.key)
        others = [other.token_hash for other in self.slots.values() if other is not slot]
        age = time.monotonic() - slot.sent_at
        limits = self.target.limits
        return CallbackContext(slot.key, slot.token_hash, age, is_final, others, limits.end_seconds)

    def receive(self, name: str, callback_request: CallbackRequest) -> tuple[int, str]:
        """Return status and message for a callback."""
        with self.lock:
            slot = self.slots.get(name)
            if slot is None:
                return 404, "Result not found."
            record, message = process_callback(self._build_context(slot), callback_request)
            self.callbacks.append(record)
            return record.response_status, message

    def get_download(self, name: str, resource: str, authorization: str) -> bytes | None:
        """Return the plan or configuration for a valid token, None otherwise."""
        with self.lock:
            slot = self.slots.get(name)
            context = self._build_context(slot) if slot else None
        return build_download(self.target, context, resource, authorization) if context else None


class CallbackApplication(WSGIHandler):
    """A WSGI application that responds as the portal does, without its middleware."""

    def __init__(self, store: InMemoryStore) -> None:
        self.store = store

    def get_response(self, request: HttpRequest) -> HttpResponse:
        resource, _, name = request.path_info.strip("/").rpartition("/")
        if resource == "callback":
            return respond_to_callback(request, lambda callback: self.store.receive(name, callback))
        return respond_to_download(request, resource, lambda *arguments: self.store.get_download(name, *arguments))


class CallbackRequestHandler(WSGIRequestHandler):
    """Handler of one connection, whose requests can be chunked."""

    timeout = REQUEST_TIMEOUT_SECONDS

    def handle_one_request(self) -> None:
        # The next request on this connection is read from the socket, not from the body that replaced it.
        stream = self.rfile
        super().handle_one_request()
        self.rfile = stream

    def parse_request(self) -> bool:
        is_valid = super().parse_request()
        # Django's development server reads no chunked bodies, which HTTP clients send when they don't know the length.
        if is_valid and "chunked" in self.headers.get("Transfer-Encoding", "").lower():
            try:
                body = b"".join(_read_chunks(self.rfile))
            except ValueError as error:
                self.send_error(HTTPStatus.BAD_REQUEST, explain=str(error))
                return False
            self.rfile = BytesIO(body)
            self.headers["Content-Length"] = str(len(body))
        return is_valid

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing. The records contain every callback."""


def _read_chunks(stream: BufferedIOBase) -> Iterator[bytes]:
    """Yield the pieces of a chunked body, cut slightly above the maximum size. Raises ValueError without its end."""
    remaining_bytes = MAX_REQUEST_BYTES + 1
    while remaining_bytes > 0:
        match = CHUNK_SIZE_PATTERN.match(stream.readline(MAX_LINE_BYTES))
        size = min(int(match[1], 16), remaining_bytes) if match else 0
        chunk = stream.read(size)
        # The stream ends quietly. Half a result would count against the partner.
        if match is None or len(chunk) < size:
            raise ValueError("The request body ended early.")
        yield chunk
        # The empty line after the chunk or, after the last one, at the end. Unread data would reset the connection, and
        # the reset would reach the client instead of our response.
        stream.readline(MAX_LINE_BYTES)
        if size == 0:
            return
        remaining_bytes -= size


class CallbackServer(ThreadedWSGIServer):
    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore clients that disconnect."""


@contextmanager
def open_callback_server(
    target: RunTaskTarget, host: str = "127.0.0.1", port: int = 0, base: str = ""
) -> Iterator[InMemoryStore]:
    """Serve callbacks while the context is open. `base`: our public URL if it differs."""
    with CallbackServer((host, port), CallbackRequestHandler) as server:
        store = InMemoryStore(target, (base or f"http://{host}:{server.server_address[1]}").rstrip("/"))
        server.set_app(CallbackApplication(store))
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield store
        finally:
            server.shutdown()
            thread.join(5)
