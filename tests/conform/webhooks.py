"""Signatures of sent webhooks compared with the Standard Webhooks specification and its official library.

The specification is also applied by hand, with the standard library alone: the portal signs with the official library,
so that one could not show its own faults.
"""

import base64
import hashlib
import hmac
import random
from datetime import UTC, datetime, timedelta

from standardwebhooks import Webhook
from standardwebhooks.webhooks import WebhookVerificationError

from portal.core.crypto import Secret
from portal.webhooks.http_delivery import DeliveryBatch, build_headers
from portal.webhooks.models import WebhookDelivery, WebhookEndpoint, generate_secret
from tests.conform.base import Disagreement, RunOptions, Suite, SuiteReport

REFERENCE = "Standard Webhooks: HMAC-SHA256 computed as specified, and the official library"
SHORT_CASES = 100
LONG_CASES = 2000
BODIES = ("{}", '{"type":"message.sent_to_partner"}', '{"name":"Łódź 火箭"}', '{"a":"' + "b" * 70_000 + '"}')
DAMAGES = ("none", "body", "id", "timestamp", "secret", "old")


def run(options: RunOptions) -> SuiteReport:
    """Sign messages as the portal does; have both references verify them as sent and damaged."""
    count = LONG_CASES if options.full else SHORT_CASES
    draw = random.Random(options.seed)
    disagreements = tuple(filter(None, (compare(draw) for _ in range(count))))
    figures = (("Kinds of tampering", ", ".join(DAMAGES[1:])),)
    return SuiteReport(REFERENCE, count, disagreements, figures=figures)


def compare(draw: random.Random) -> Disagreement | None:
    """Return a disagreement unless exactly the undamaged message is accepted, under each of its secrets."""
    secrets = tuple(generate_secret() for _ in range(draw.choice((1, 2))))
    letter = WebhookDelivery(pk=1, message_id=f"msg_{draw.randrange(10**12)}", body=draw.choice(BODIES))
    damage = draw.choice(DAMAGES)
    now = datetime.now(UTC)
    at = now - timedelta(hours=1) if damage == "old" else now
    headers = build_headers(
        DeliveryBatch(WebhookEndpoint.Format.WEBHOOK, Secret(""), secrets, (letter,), at), letter, at
    )
    body = letter.body
    secret = draw.choice(secrets).value
    if damage == "body":
        body += " "
    elif damage == "id":
        headers["webhook-id"] += "0"
    elif damage == "timestamp":
        headers["webhook-timestamp"] = str(int(at.timestamp()) - 1)
    elif damage == "secret":
        secret = generate_secret().value
    expected = damage == "none"
    answers = {
        "by hand": verify_by_hand(body, headers, secret, now),
        "library": verify_by_library(body, headers, secret),
    }
    if set(answers.values()) == {expected}:
        return None
    return Disagreement(f"damage: {damage}, {len(secrets)} secrets", f"meant to be {expected}", str(answers))


def verify_by_hand(body: str, headers: dict[str, str], secret: str, now: datetime) -> bool:
    """Apply the specification: sign `id.timestamp.body`, accept any signature of version 1 within five minutes."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    text = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.{body}".encode()
    expected = "v1," + base64.b64encode(hmac.digest(key, text, hashlib.sha256)).decode()
    is_recent = abs(now.timestamp() - int(headers["webhook-timestamp"])) <= 300
    return is_recent and expected in headers["webhook-signature"].split(" ")


def verify_by_library(body: str, headers: dict[str, str], secret: str) -> bool:
    try:
        Webhook(secret).verify(body, headers)
    except WebhookVerificationError:
        return False
    return True


SUITE = Suite("webhooks", "Webhook signatures", run)
