"""Tests of the examples in the webhook guide and of the tables in the webhook reference."""

import os
import re
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as configured
from django.core.management import call_command
from standardwebhooks import Webhook

from portal.audit.event_types import WEBHOOKS
from portal.webhooks import retry_policy
from portal.webhooks.event_types import DOCUMENTATION
from portal.webhooks.models import WebhookEndpoint, generate_secret
from portal.webhooks.payloads import build_example

DOCS = Path(__file__).parents[3] / "docs"
GUIDE = (DOCS / "how-to" / "set-up-webhooks.md").read_text()
REFERENCE = (DOCS / "reference" / "webhooks.md").read_text()


def read_example(language: str) -> str:
    match = re.search(rf"```{language}\n(.*?)```", GUIDE, re.DOTALL)
    assert match
    return match[1]


@pytest.fixture
def signed_headers(tmp_path: Path) -> dict[str, str]:
    secret = generate_secret().value
    at = datetime.now(tz=UTC)
    body = '{"name": "Ünicode"}'
    (tmp_path / "body.json").write_text(body)
    other = Webhook(generate_secret().value).sign("msg_1", at, body)
    signature = f"{other} {Webhook(secret).sign('msg_1', at, body)}"
    return {"secret": secret, "id": "msg_1", "timestamp": str(int(at.timestamp())), "signature": signature}


@pytest.mark.parametrize(("changed_part", "verdict"), [("", "valid"), ("id", "invalid"), ("secret", "invalid")])
def test_shell_example_distinguishes_valid_signatures(
    signed_headers: dict[str, str], tmp_path: Path, changed_part: str, verdict: str
) -> None:
    if changed_part:
        signed_headers[changed_part] = generate_secret().value
    process = subprocess.run(
        ["sh", "-c", read_example("sh")],
        cwd=tmp_path,
        env=os.environ | signed_headers,
        capture_output=True,
        text=True,
        check=True,
    )
    assert process.stdout == f"{verdict}\n"


def test_python_example_reads_a_message(signed_headers: dict[str, str], tmp_path: Path) -> None:
    there: dict[str, Any] = {}
    exec(read_example("python"), there)
    headers = {f"webhook-{name}": signed_headers[name] for name in ("id", "timestamp", "signature")}
    assert there["receive"](signed_headers["secret"], headers, (tmp_path / "body.json").read_bytes()) == {
        "name": "Ünicode"
    }


def test_docs_list_all_retry_delays() -> None:
    delays = [retry_policy.format_delay(wait) for wait in retry_policy.RETRY_DELAYS_SECONDS]
    assert f"{', '.join(delays[:-1])} and {delays[-1]}," in REFERENCE
    assert sum(retry_policy.RETRY_DELAYS_SECONDS) == pytest.approx(3 * 24 * 3600, rel=0.05)


@pytest.mark.parametrize("key", WEBHOOKS)
def test_every_event_type_has_an_example(key: str) -> None:
    example = build_example(key)
    fields = set(WEBHOOKS[key].payload_names.values())
    assert example["type"] == key
    assert fields <= set(example["data"])
    assert fields <= set(DOCUMENTATION.samples)


@pytest.mark.django_db
def test_new_key_reencrypts_webhook_secrets(settings: Any) -> None:
    row = WebhookEndpoint(name="Build", event_types=["tier.granted"], created_at=datetime.now(tz=UTC))
    row.set_url("https://ci.acme.com/")
    secret = row.set_secret(row.created_at)
    row.save()
    settings.ENCRYPTION_KEYS = ["a newer key", *configured.ENCRYPTION_KEYS]
    call_command("rotate_encryption_keys")
    settings.ENCRYPTION_KEYS = ["a newer key"]
    row.refresh_from_db()
    assert (row.decrypt("url").value, row.list_signing_secrets(row.created_at)) == (
        "https://ci.acme.com/",
        (secret,),
    )
