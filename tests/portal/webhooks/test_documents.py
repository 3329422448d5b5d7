"""Do the examples of the document hold, and does it name every kind of event?"""

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

from portal.webhooks import retry_policy
from portal.webhooks import secrets as sealing
from portal.webhooks.event_kinds import KINDS, SAMPLES
from portal.webhooks.models import Endpoint
from portal.webhooks.payloads import example

TEXT = (Path(__file__).parents[3] / "docs" / "webhooks.md").read_text()


def block(language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)
    assert found
    return found[1]


@pytest.fixture
def signed(tmp_path: Path) -> dict[str, str]:
    secret, at, body = sealing.new_secret().value, datetime.now(tz=UTC), '{"name": "Ünicode"}'
    (tmp_path / "body.json").write_text(body)
    other = Webhook(sealing.new_secret().value).sign("msg_1", at, body)
    signature = f"{other} {Webhook(secret).sign('msg_1', at, body)}"
    return {"secret": secret, "id": "msg_1", "timestamp": str(int(at.timestamp())), "signature": signature}


@pytest.mark.parametrize(("changed", "verdict"), [("", "ours"), ("id", "not ours"), ("secret", "not ours")])
def test_the_shell_example_tells_ours_from_others(
    signed: dict[str, str], tmp_path: Path, changed: str, verdict: str
) -> None:
    if changed:
        signed[changed] = sealing.new_secret().value
    done = subprocess.run(
        ["sh", "-c", block("sh")], cwd=tmp_path, env=os.environ | signed, capture_output=True, text=True, check=True
    )
    assert done.stdout == f"{verdict}\n"


def test_the_python_example_reads_a_message(signed: dict[str, str], tmp_path: Path) -> None:
    there: dict[str, Any] = {}
    exec(block("python"), there)
    headers = {f"webhook-{name}": signed[name] for name in ("id", "timestamp", "signature")}
    assert there["receive"](signed["secret"], headers, (tmp_path / "body.json").read_bytes()) == {"name": "Ünicode"}


def test_the_document_names_every_kind_and_every_wait() -> None:
    assert [kind.name for kind in KINDS if f"| `{kind.name}` |" not in TEXT] == []
    said = [retry_policy.words(wait) for wait in retry_policy.WAITS]
    assert f"{', '.join(said[:-1])} and {said[-1]}," in TEXT
    assert sum(retry_policy.WAITS) == pytest.approx(3 * 24 * 3600, rel=0.05)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_every_kind_has_an_example(kind: Any) -> None:
    told = example(kind)
    assert told["type"] == kind.name
    assert set(kind.fields) <= set(told["data"])
    assert set(kind.fields) <= set(SAMPLES)


@pytest.mark.django_db
def test_a_new_key_seals_every_webhook_anew(settings: Any) -> None:
    row = Endpoint(name="Build", kinds=["tier.granted"], made_at=datetime.now(tz=UTC))
    sealing.set_address(row, "https://ci.acme.com/")
    secret = sealing.set_secret(row, row.made_at)
    row.save()
    settings.CREDENTIALS_KEYS = ["a newer key", *configured.CREDENTIALS_KEYS]
    call_command("rekey_webhooks")
    settings.CREDENTIALS_KEYS = ["a newer key"]
    row.refresh_from_db()
    assert (sealing.address(row).value, sealing.secrets(row, row.made_at)) == ("https://ci.acme.com/", (secret,))
