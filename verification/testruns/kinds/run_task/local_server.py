"""Local server for callbacks, plans and files, used when there is no portal."""

import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BufferedIOBase
from typing import Any
from uuid import uuid4

from verification.testruns.kinds.run_task import callback_service
from verification.testruns.kinds.run_task.callback_parsing import MAX_REQUEST_BYTES
from verification.testruns.kinds.run_task.driver import RunTaskTarget
from verification.testruns.kinds.run_task.protocol import CALLBACK_TYPE, RunTaskUrls, build_configuration_archive
from verification.testruns.kinds.run_task.records import CallbackRecord
from verification.testruns.kinds.run_task.scenario import RequestStep

REQUEST_TIMEOUT_SECONDS = 10  # that a call may take to be read
MAX_LENGTH_DIGITS = 12
CHUNK_SIZE_PATTERN, MAX_LINE_BYTES = re.compile(rb"([0-9A-Fa-f]{1,12})[;\r\n]"), 1024


@dataclass
class CallbackSlot:
    """One run that can receive results."""

    step: RequestStep
    token_hash: str
    sent_at: float
    is_final: bool = False


@dataclass
class InMemoryCallbackReceiver:
    """Callbacks of one test run. `base`: our URL as the endpoint sees it."""

    target: RunTaskTarget
    base: str = ""
    slots: dict[str, CallbackSlot] = field(default_factory=dict)
    callbacks: list[CallbackRecord] = field(default_factory=list)
    downloads: dict[str, list[str]] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def open(self, step: RequestStep, token_hash: str, result_id: str) -> RunTaskUrls:
        name = str(uuid4())
        with self.lock:
            self.slots[name] = CallbackSlot(step, token_hash, time.monotonic())
        stem = f"{self.base}/task-results/{name}"
        return RunTaskUrls(f"{stem}/callback", f"{stem}/plan", f"{stem}/configuration")

    def list_callbacks(self) -> tuple[CallbackRecord, ...]:
        with self.lock:
            return tuple(self.callbacks)

    def take(self, name: str, callback_request: callback_service.CallbackRequest) -> tuple[int, str]:
        """Return status and message for a callback."""
        with self.lock:
            slot = self.slots.get(name)
            if slot is None:
                return 404, "Result not found."
            record, message = callback_service.process_callback(self._build_context(name, slot), callback_request)
            slot.is_final = slot.is_final or record.is_final
            self.callbacks.append(record)
            return record.answered, message

    def _build_context(self, name: str, slot: CallbackSlot) -> callback_service.CallbackContext:
        others = {other.token_hash: other.step.key for key, other in self.slots.items() if key != name}
        age = time.monotonic() - slot.sent_at
        return callback_service.CallbackContext(
            slot.step.key, slot.token_hash, age, slot.is_final, others, self.target.limits.end
        )

    def give(self, name: str, resource: str, authorization: str) -> bytes | None:
        """Return the plan or configuration for a valid token."""
        with self.lock:
            slot = self.slots.get(name)
            if slot is None or callback_service.get_token_state(self._build_context(name, slot), authorization) not in (
                "right",
                "used",
            ):
                return None
            self.downloads.setdefault(slot.step.key, []).append(resource)
        scenario = self.target.get_scenario(slot.step)
        return scenario.plan.encode() if resource == "plan" else build_configuration_archive(scenario)


class CallbackHandler(BaseHTTPRequestHandler):
    """Handler of one callback request."""

    timeout = REQUEST_TIMEOUT_SECONDS
    server: Any
    server_version, sys_version = "partner-portal-test", ""

    def do_GET(self) -> None:
        name, resource = self._split_path()
        content = self.server.receiver.give(name, resource, self.headers.get("Authorization", ""))
        if content is None or resource not in ("plan", "configuration"):
            self._respond(404, b"Nothing found for this token.")
        else:
            self._respond(200, content, "application/json" if resource == "plan" else "application/gzip")

    def do_PATCH(self) -> None:
        name, resource = self._split_path()
        body, size = self._read_body()
        callback_request = callback_service.CallbackRequest(
            self.command, self.headers.get("Authorization", ""), self.headers.get("Content-Type", ""), body, size
        )
        status, message = (
            self.server.receiver.take(name, callback_request) if resource == "callback" else (404, "Not here.")
        )
        self._respond(status, message.encode())

    do_POST = do_PUT = do_PATCH

    def _read_body(self) -> tuple[bytes, int]:
        """Return the body as far as it was read, and its complete size."""
        if "chunked" in self.headers.get("Transfer-Encoding", "").lower():
            body = b"".join(_read_chunks(self.rfile))
            return body, len(body)
        length = self.headers.get("Content-Length") or "0"
        size = int(length) if length.isdecimal() and len(length) < MAX_LENGTH_DIGITS else 0
        return self.rfile.read(min(size, MAX_REQUEST_BYTES)), size

    def _split_path(self) -> tuple[str, str]:
        parts = self.path.partition("?")[0].strip("/").split("/")
        return (parts[-2], parts[-1]) if len(parts) > 1 else ("", "")

    def _respond(self, status: int, body: bytes, content_type: str = CALLBACK_TYPE) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing. The records contain every callback."""


def _read_chunks(stream: BufferedIOBase) -> Iterator[bytes]:
    """Return a chunked body, cut slightly above the maximum size."""
    remaining_bytes = MAX_REQUEST_BYTES + 1
    while (
        remaining_bytes > 0 and (size := CHUNK_SIZE_PATTERN.match(stream.readline(MAX_LINE_BYTES))) and int(size[1], 16)
    ):
        yield stream.read(min(int(size[1], 16), remaining_bytes))
        remaining_bytes -= int(size[1], 16)
        stream.readline(MAX_LINE_BYTES)
    if remaining_bytes > 0:
        stream.readline(MAX_LINE_BYTES)  # the empty line at its end; else the answer could meet a reset connection


class CallbackServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, address: tuple[str, int], receiver: InMemoryCallbackReceiver) -> None:
        super().__init__(address, CallbackHandler)
        self.receiver = receiver

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore clients that disconnect."""


@contextmanager
def open_callback_server(
    target: RunTaskTarget, host: str = "127.0.0.1", port: int = 0, base: str = ""
) -> Iterator[InMemoryCallbackReceiver]:
    """Serve callbacks while the context is open. `base`: our public URL if it differs."""
    receiver = InMemoryCallbackReceiver(target)
    server = CallbackServer((host, port), receiver)
    receiver.base = (base or f"http://{host}:{server.server_address[1]}").rstrip("/")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)
