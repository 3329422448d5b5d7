"""The thinnest intake there is, the floor of hooks.py: WSGI and psycopg by hand, one INSERT of the same row."""

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
    "INSERT INTO sla_githubdelivery (watch_id, delivery_id, event, digest, body, received_at, attempts, outcome)"
    " VALUES (%s, %s, %s, %s, %s, %s, 0, '') ON CONFLICT (watch_id, delivery_id) DO NOTHING"
)
local = threading.local()


def connection() -> psycopg.Connection[Any]:
    if not hasattr(local, "line"):
        local.line = psycopg.connect(os.environ["DATABASE_URL"], autocommit=True)
    line: psycopg.Connection[Any] = local.line
    return line


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    body = environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"]))
    signed = "sha256=" + hmac.new(SECRET, body, hashlib.sha256).hexdigest()
    if not hmac.compare_digest(signed, environ.get("HTTP_X_HUB_SIGNATURE_256", "")):
        start_response("401 Unauthorized", [("Content-Length", "0")])
        return [b""]
    json.loads(body)
    watch = int(environ["HTTP_X_WATCH"])
    row = (
        watch,
        environ["HTTP_X_GITHUB_DELIVERY"],
        environ["HTTP_X_GITHUB_EVENT"],
        hashlib.sha256(body).hexdigest(),
        body,
        datetime.now(UTC),
    )
    connection().execute(INSERT, row)
    start_response("202 Accepted", [("Content-Length", "6"), ("Content-Type", "text/plain")])
    return [b"Taken."]
