"""Minimal webhook intake that webhook_intake.py compares with: WSGI, psycopg, and one INSERT of the same row."""

import hashlib
import hmac
import json
import os
import threading
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Any

import psycopg

SECRET = os.environ.get("BENCH_SECRET", "").encode()
INSERT = (
    "INSERT INTO sla_githubdelivery (monitored_repository_id, delivery_id, event, digest, body, received_at,"
    " attempts, outcome) VALUES (%s, %s, %s, %s, %s, %s, 0, '')"
    " ON CONFLICT (monitored_repository_id, delivery_id) DO NOTHING"
)
local = threading.local()


def open_connection() -> psycopg.Connection[Any]:
    if not hasattr(local, "line"):
        local.line = psycopg.connect(os.environ["DATABASE_URL"], autocommit=True)
    connection: psycopg.Connection[Any] = local.line
    return connection


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    body = environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"]))
    expected_signature = "sha256=" + hmac.new(SECRET, body, hashlib.sha256).hexdigest()
    if not hmac.compare_digest(expected_signature, environ.get("HTTP_X_HUB_SIGNATURE_256", "")):
        start_response("401 Unauthorized", [("Content-Length", "0")])
        return [b""]
    json.loads(body)
    monitored_repository_id = int(environ["HTTP_X_REPOSITORY"])
    row = (
        monitored_repository_id,
        environ["HTTP_X_GITHUB_DELIVERY"],
        environ["HTTP_X_GITHUB_EVENT"],
        hashlib.sha256(body).hexdigest(),
        body,
        datetime.now(UTC),
    )
    open_connection().execute(INSERT, row)
    start_response("202 Accepted", [("Content-Length", "6"), ("Content-Type", "text/plain")])
    return [b"Taken."]
