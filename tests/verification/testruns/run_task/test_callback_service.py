"""Tests of callbacks that are sent in unusual ways."""

import http.client
import json
import socket
from io import BytesIO
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.test import RequestFactory
from django.urls import reverse
from django.utils import timezone

from portal.core.crypto import hash_token
from tests.verification.testruns.run_task.results import build_callback, create_pending_request
from verification.testruns.kinds.run_task import database_store
from verification.testruns.kinds.run_task.callback_parsing import MAX_REQUEST_BYTES
from verification.testruns.kinds.run_task.local_server import InMemoryStore, open_callback_server
from verification.testruns.kinds.run_task.protocol import RunTaskTarget
from verification.testruns.kinds.run_task.views import receive_run_task_callback

PASSED_RESULT: dict[str, Any] = {
    "data": {"type": "task-results", "attributes": {"status": "passed", "message": "Fine."}}
}
RUN = next(act for act in RunTaskTarget("http://127.0.0.1:9/", "", ("post_plan",)).list_steps() if act.scenario)


def send_in_chunks(store: InMemoryStore, body: bytes) -> int:
    """Send a result with chunked encoding. Return the status of the response."""
    where = urlsplit(store.add_request(RUN, hash_token("token")).callback)
    connection = http.client.HTTPConnection(str(where.hostname), where.port, timeout=5)
    headers = {"Authorization": "Bearer token", "Content-Type": "application/vnd.api+json"}
    pieces = (body[at : at + 7000] for at in range(0, len(body), 7000))
    connection.request("PATCH", where.path, body=pieces, headers=headers, encode_chunked=True)
    status = connection.getresponse().status
    connection.close()
    return status


@pytest.mark.parametrize(("size", "status"), [(0, 200), (20_000, 422)])
def test_chunked_result_is_read(size: int, status: int) -> None:
    with open_callback_server(RunTaskTarget("http://127.0.0.1:9/", "", ("post_plan",))) as store:
        document = {"data": {**PASSED_RESULT["data"], "attributes": {"status": "passed", "message": "x" * size}}}
        assert send_in_chunks(store, json.dumps(document).encode()) == status
        assert [(each.status, each.response_status) for each in store.callbacks] == [("passed", status)]


@pytest.mark.parametrize("chunks", [b"2\r\n{", b"2\r\n{}\r\n", b"x\r\n"])
def test_chunked_result_without_its_end_does_not_count(chunks: bytes) -> None:
    with open_callback_server(RunTaskTarget("http://127.0.0.1:9/", "", ("post_plan",))) as store:
        where = urlsplit(store.add_request(RUN, hash_token("token")).callback)
        head = f"PATCH {where.path} HTTP/1.1\r\nAuthorization: Bearer token\r\nTransfer-Encoding: chunked\r\n\r\n"
        with socket.create_connection((str(where.hostname), where.port), timeout=5) as connection:
            connection.sendall(head.encode() + chunks)
            connection.shutdown(socket.SHUT_WR)
            response = connection.makefile("rb").read()
        assert response.splitlines()[0] == b"HTTP/1.1 400 Bad Request"
        assert b"The request body ended early." in response
        assert store.callbacks == []


@pytest.mark.django_db
@pytest.mark.parametrize(("more", "status"), [(0, 200), (MAX_REQUEST_BYTES, 413)])
def test_portal_reads_a_chunked_result(run_task: Any, alice: Any, more: int, status: int) -> None:
    request, token = create_pending_request(run_task, alice)
    body = json.dumps(PASSED_RESULT).encode() + b" " * more
    environ: Any = {"wsgi.input": BytesIO(body), "wsgi.input_terminated": True, "HTTP_AUTHORIZATION": f"Bearer {token}"}
    path = reverse("inbound:run_task_callback", args=[request.uuid])
    http_request: Any = RequestFactory().generic("PATCH", path, **environ)
    assert receive_run_task_callback(http_request, request.uuid).status_code == status


@pytest.mark.django_db
def test_unstorable_characters_are_removed_from_a_result(run_task: Any, alice: Any) -> None:
    request, token = create_pending_request(run_task, alice)
    raw = json.dumps(PASSED_RESULT).replace("Fine.", "half \\ud83d, none \\u0000").encode()
    assert database_store.record_callback(request.uuid, build_callback(token, body=raw), timezone.now())[0] == 200
    assert request.callbacks.get().record["message"] == "half ?, none "


@pytest.mark.django_db
def test_result_whose_body_ends_early_is_not_stored(run_task: Any, alice: Any) -> None:
    request, token = create_pending_request(run_task, alice)
    body = json.dumps(PASSED_RESULT).encode()
    environ: Any = {"wsgi.input": BytesIO(body[:20]), "CONTENT_LENGTH": str(len(body))}
    path = reverse("inbound:run_task_callback", args=[request.uuid])
    http_request: Any = RequestFactory().generic("PATCH", path, HTTP_AUTHORIZATION=f"Bearer {token}", **environ)
    response = receive_run_task_callback(http_request, request.uuid)
    assert (response.status_code, response.content, request.callbacks.count()) == (
        400,
        b"The request body ended early.",
        0,
    )
