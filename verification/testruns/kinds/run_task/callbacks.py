"""Responses of the callback URL. Each run has one token, stored as a hash, which expires after use or with age.

Pure functions, shared by the portal's callback URL and the local server of the command.
"""

import hmac
from collections.abc import Collection
from dataclasses import dataclass

from portal.core.crypto import hash_token
from portal.core.json_text import clean_json
from verification.testruns.kinds.run_task.callback_parsing import MAX_REQUEST_BYTES, parse_callback
from verification.testruns.kinds.run_task.records import FINAL_STATUSES, CallbackRecord, ParsedCallback, redact_text

BEARER_PREFIX = "bearer "
MAX_STORED_BODY_BYTES = 20_000
TOKEN_MESSAGES = {
    "missing": "The bearer token is missing.",
    "unknown": "The bearer token doesn't match this run.",
    "other_run": "The bearer token belongs to another run.",
    "used": "The result is final, so its token is no longer valid.",
    "expired": "The token has expired.",
}
# An endpoint can send its result before it has downloaded everything.
DOWNLOAD_TOKENS = ("valid", "used")


@dataclass(frozen=True, slots=True)
class CallbackContext:
    """Stored data of one run.

    Attributes:
        age: Seconds since the run was sent.
        is_final: Whether it has a final result.
        other_hashes: The hashes of the other runs' tokens.
        end_seconds: The age at which its token expires.
    """

    key: str
    token_hash: str
    age: float
    is_final: bool
    other_hashes: Collection[str]
    end_seconds: float


@dataclass(frozen=True, slots=True)
class CallbackRequest:
    """A request to the callback URL. `size`: of the complete body, even if it was not read."""

    method: str
    authorization: str
    content_type: str
    body: bytes
    size: int


def get_token_state(context: CallbackContext, authorization: str) -> str:
    """Return valid, missing, unknown, other_run, used, or expired."""
    token = _get_token(authorization)
    if not token:
        return "missing"
    token_hash = hash_token(token)
    # The callback URL isn't a secret, so the time of the comparison must not help anyone guess the token.
    if not hmac.compare_digest(token_hash, context.token_hash):
        return "other_run" if token_hash in context.other_hashes else "unknown"
    if context.age > context.end_seconds:
        return "expired"
    return "used" if context.is_final else "valid"


def _get_token(authorization: str) -> str:
    is_bearer = authorization.lower().startswith(BEARER_PREFIX)
    return authorization[len(BEARER_PREFIX) :].strip() if is_bearer else ""


def process_callback(context: CallbackContext, request: CallbackRequest) -> tuple[CallbackRecord, str]:
    """Return the record of a callback, with its response status, and the response message."""
    token = get_token_state(context, request.authorization)
    callback = ParsedCallback(length_problems=(f"The callback body is larger than {MAX_REQUEST_BYTES} bytes.",))
    # The body is parsed even if its token is wrong: the rules about form and limits report every callback.
    if request.size <= MAX_REQUEST_BYTES:
        callback = parse_callback(request.body)
    status, message = _determine_response(request, token, callback)
    body = request.body[:MAX_STORED_BODY_BYTES].decode("utf-8", "replace")
    record = CallbackRecord(
        **callback.as_dict(),
        key=context.key,
        elapsed_seconds=round(context.age, 3),
        method=request.method[:20],
        response_status=status,
        token=token,
        content_type=request.content_type[:100],
        size=request.size,
        body=redact_text(body, [_get_token(request.authorization)]),
    )
    return CallbackRecord.load(clean_json(record.as_dict())), clean_json(message)


def _determine_response(request: CallbackRequest, token: str, callback: ParsedCallback) -> tuple[int, str]:
    if request.method != "PATCH":
        return 405, "Send results with PATCH."
    # Someone without the token of this run learns nothing about size and content.
    if token != "valid":  # noqa: S105
        return 401, TOKEN_MESSAGES[token]
    if request.size > MAX_REQUEST_BYTES:
        return 413, callback.length_problems[0]
    if callback.problems:
        return 422, " ".join(callback.problems[:3])
    return 200, "The final result was recorded." if callback.status in FINAL_STATUSES else "Noted."
