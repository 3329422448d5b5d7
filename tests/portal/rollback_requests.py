"""Requests whose changes to the database are rolled back."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.signals import request_finished
from django.db import close_old_connections, connection, transaction
from django.test import Client

from portal.audit.models import AuditEvent
from tests.conftest import note_sign_in

MAX_QUERIES = 15  # of a page or an operation that reads
STATEMENTS = ("SELECT", "INSERT", "UPDATE", "DELETE", "WITH", "DECLARE", "FETCH")
EVENT_INSERT = f'INSERT INTO "{AuditEvent._meta.db_table}"'


@contextmanager
def capture_queries() -> Iterator[list[str]]:
    """Collect the queries of a block, without savepoints."""
    queries: list[str] = []

    def execute(run: Callable[..., Any], sql: str, parameters: Any, many: bool, context: Any) -> Any:
        queries.extend([sql] if sql.startswith(STATEMENTS) else [])
        return run(sql, parameters, many, context)

    with connection.execute_wrapper(execute):
        yield queries


@dataclass(slots=True)
class BlockEffects:
    """Queries of a block of code, and whether it recorded an event."""

    queries: list[str]
    has_event: bool = False


@contextmanager
def roll_back() -> Iterator[BlockEffects]:
    """Roll back the changes of a block, and collect what it did."""
    with transaction.atomic():
        with capture_queries() as queries:
            effects = BlockEffects(queries)
            yield effects
        inserts = [query for query in queries if query.startswith(EVENT_INSERT)]
        count = AuditEvent.objects.count() if inserts else 0  # an insert may have been rolled back
        transaction.set_rollback(True)
    effects.has_event = bool(inserts) and AuditEvent.objects.count() < count


class RecordingClient(Client):
    """Client for thousands of requests. Its responses have no contexts, because copying them takes long."""

    def request(self, **request: Any) -> Any:
        response = self.handler(self._base_environ(**request))  # type: ignore[attr-defined]  # not in the stubs
        self.cookies.update(response.cookies)
        return response


def create_client(user: Any, client_class: type[Client] = RecordingClient) -> Client:
    client = client_class(raise_request_exception=False)
    if user is not None:
        client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
        note_sign_in(client, user)
    return client


@dataclass(frozen=True, slots=True)
class RecordedResponse:
    """Status of a response (see access.txt), its headers and body, Cache-Control header, and number of queries."""

    code: str
    text: str
    cache_control: str
    query_count: int


def send_request(client: Client, url: str, fields: dict[str, Any] | None = None) -> tuple[str, str]:
    """Return the code and text of a response. Changes to the database and to cookies are rolled back."""
    answer = record_response(client, url, fields)
    return answer.code, answer.text


def record_response(client: Client, url: str, fields: dict[str, Any] | None = None) -> RecordedResponse:
    """Return the response to a request, which is sent as in `send_request`."""
    cookies = copy(client.cookies)  # a response replaces the cookies that it sets
    with roll_back() as effects:
        answer = post_form(client, url, fields) if fields is not None else client.get(url)
        text = serialize_response(answer)
    client.cookies = cookies
    is_sign_in_redirect = answer.status_code == 302 and answer["Location"].startswith("/accounts/")
    code = "in" if is_sign_in_redirect else str(answer.status_code)
    write_mark = "+" if effects.has_event else ""
    return RecordedResponse(code + write_mark, text, answer.headers.get("Cache-Control", ""), len(effects.queries))


def post_form(client: Client, url: str, fields: dict[str, Any]) -> Any:
    """Submit a form. Return the response."""
    if fields.get("file"):
        fields = fields | {"file": SimpleUploadedFile(str(fields["file"]), b"All tests passed.")}
    return client.post(url, fields)


def serialize_response(answer: Any) -> str:
    """Return a response's headers, cookies, and body as text."""
    body = b"".join(answer.streaming_content) if answer.streaming else answer.content
    close_answer(answer)
    return f"{answer.headers} {answer.cookies} {body.decode('utf-8', 'replace')}"


def close_answer(answer: Any) -> None:
    """Close a response's files, but not the database connection, which the test's transaction needs."""
    request_finished.disconnect(close_old_connections)
    try:
        answer.close()
    finally:
        request_finished.connect(close_old_connections)
