"""Responses of the callback URL. Each run has one token, stored as a hash, which expires after use or with age.

Pure functions, shared by the portal's callback URL and the local server of the command.
"""

import hashlib
import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass

from portal.core.json_text import clean_json
from verification.testruns.kinds.run_task.callback_parsing import (
    FINAL_STATUSES,
    MAX_REQUEST_BYTES,
    ParsedCallback,
    parse_callback,
)
from verification.testruns.kinds.run_task.protocol import CALLBACK_TYPE
from verification.testruns.kinds.run_task.records import CallbackRecord, redact_text, sanitize_callback

BEARER_PREFIX = "bearer "
TOKEN_MESSAGES = {
    "missing": "The bearer token is missing.",
    "unknown": "The bearer token doesn't match this run.",
    "another": "The bearer token belongs to another run.",
    "used": "The result is final, so its token is no longer valid.",
    "dead": "The token has expired.",
}


@dataclass(frozen=True, slots=True)
class CallbackContext:
    """Stored data of the run. `age`: seconds since it was sent. `others`: token hashes of the other runs."""

    act: str
    token_hash: str
    age: float
    is_final: bool
    others: Mapping[str, str]
    end: float


@dataclass(frozen=True, slots=True)
class CallbackRequest:
    """A request to the callback URL. `size`: of the complete body, even if it was not read."""

    method: str
    authorization: str
    content_type: str
    body: bytes
    size: int


def generate_token() -> str:
    """Return a token for one run."""
    return secrets.token_urlsafe(32)


def hash_token(token: str) -> str:
    """Return the SHA-256 hash of a token. Tokens are long and random, so a plain hash is safe to store."""
    return hashlib.sha256(token.encode()).hexdigest()


def get_token_state(context: CallbackContext, authorization: str) -> str:
    """Return right, missing, unknown, another, used or dead."""
    token = authorization[len(BEARER_PREFIX) :].strip() if authorization.lower().startswith(BEARER_PREFIX) else ""
    if not token:
        return "missing"
    token_hash = hash_token(token)
    if not hmac.compare_digest(token_hash, context.token_hash):
        return "another" if token_hash in context.others else "unknown"
    if context.age > context.end:
        return "dead"
    return "used" if context.is_final else "right"


def process_callback(context: CallbackContext, request: CallbackRequest) -> tuple[CallbackRecord, str]:
    """Return the record of a callback, with its response status, and the response message."""
    token = get_token_state(context, request.authorization)
    parsed_callback = _parse_body(request)
    status, message = _determine_response(request, token, parsed_callback)
    record = CallbackRecord(
        act=context.act,
        after=round(context.age, 3),
        method=request.method[:20],
        answered=status,
        token=token,
        status=parsed_callback.status,
        message=parsed_callback.message,
        url=parsed_callback.url,
        content_type=request.content_type[:100],
        size=request.size,
        body=redact_text(
            request.body[:20_000].decode("utf-8", "replace"), [request.authorization[len(BEARER_PREFIX) :].strip()]
        ),
        outcomes=tuple(parsed_callback.outcomes),
        form=tuple(parsed_callback.form),
        limits=tuple(parsed_callback.limits),
        shape=tuple(parsed_callback.shape),
        notes=tuple(parsed_callback.notes),
    )
    return sanitize_callback(record), clean_json(message)


def _parse_body(request: CallbackRequest) -> ParsedCallback:
    if request.size > MAX_REQUEST_BYTES:
        return ParsedCallback(limits=[f"The callback body is larger than {MAX_REQUEST_BYTES} bytes."])
    return parse_callback(request.body)


def _determine_response(request: CallbackRequest, token: str, parsed_callback: ParsedCallback) -> tuple[int, str]:
    if request.method != "PATCH":
        return 405, "Send results with PATCH."
    if token != "right":  # noqa: S105
        return 401, TOKEN_MESSAGES[token]
    if request.size > MAX_REQUEST_BYTES:
        return 413, parsed_callback.limits[0]
    if not parsed_callback.is_taken:
        return 422, " ".join([*parsed_callback.form, *parsed_callback.limits, *parsed_callback.shape][:3])
    return 200, "The final result was recorded." if parsed_callback.status in FINAL_STATUSES else "Noted."


def is_expected(content_type: str) -> bool:
    """Return whether this is the platform's media type."""
    return content_type.partition(";")[0].strip().lower() == CALLBACK_TYPE
