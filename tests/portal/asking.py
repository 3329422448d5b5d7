"""Sends a request and takes back everything that it wrote."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
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


@contextmanager
def capture_queries() -> Iterator[list[str]]:
    """Collect the queries of a block, without savepoints."""
    queries: list[str] = []

    def execute(run: Callable[..., Any], sql: str, parameters: Any, many: bool, context: Any) -> Any:
        queries.extend([sql] if sql.startswith(STATEMENTS) else [])
        return run(sql, parameters, many, context)

    with connection.execute_wrapper(execute):
        yield queries


def client_of(user: Any) -> Client:
    client = Client(raise_request_exception=False)
    if user is not None:
        client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
        note_sign_in(client, user)
    return client


@dataclass(frozen=True, slots=True)
class Answer:
    """The status of an answer (see access.txt), all that it says, its Cache-Control header, and its queries."""

    code: str
    text: str
    cache_control: str
    query_count: int


def send_request(
    client: Client, url: str, fields: dict[str, Any] | None = None, *, keep: bool = False
) -> tuple[str, str]:
    """The code of one request and all that its answer says; whatever it wrote, cookies too, is taken back.

    With `keep` the rows stay as they were written, for a look at them.
    """
    answer = request_answer(client, url, fields, keep=keep)
    return answer.code, answer.text


def request_answer(client: Client, url: str, fields: dict[str, Any] | None = None, *, keep: bool = False) -> Answer:
    """The answer to one request, as `send_request` makes it."""
    before, cookies = AuditEvent.objects.count(), deepcopy(client.cookies)
    if fields and fields.get("file"):
        fields = fields | {"file": SimpleUploadedFile(str(fields["file"]), b"All tests passed.")}
    with transaction.atomic():
        with capture_queries() as queries:
            answer = client.get(url) if fields is None else client.post(url, fields)
            text = serialize_response(answer)
        write_mark = "+" if AuditEvent.objects.count() > before else ""
        transaction.set_rollback(not keep)
    client.cookies = cookies
    led_in = answer.status_code == 302 and answer["Location"].startswith("/accounts/")
    code = "in" if led_in else str(answer.status_code)
    return Answer(code + write_mark, text, answer.headers.get("Cache-Control", ""), len(queries))


def serialize_response(answer: Any) -> str:
    """All that an answer says: its head, its cookies and its body."""
    body = b"".join(answer.streaming_content) if answer.streaming else answer.content
    close_answer(answer)
    return f"{answer.headers} {answer.cookies} {body.decode('utf-8', 'replace')}"


def close_answer(answer: Any) -> None:
    """Close an answer's files, but not the connection that the test's own transaction is open on."""
    request_finished.disconnect(close_old_connections)
    try:
        answer.close()
    finally:
        request_finished.connect(close_old_connections)
