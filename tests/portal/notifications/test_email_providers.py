"""Tests of email providers: complete configuration, and delivery results."""

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any, get_args

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.mail import get_connection

from portal.environment import PortalSettings
from portal.notifications import email_providers
from tests.portal.notifications.test_email import queue_email, send_due_emails

pytestmark = [pytest.mark.any_database, pytest.mark.usefixtures("clock")]

ACCEPTED_RESPONSE = (200, {"To": "alice@acme.example", "MessageID": "1", "ErrorCode": 0, "Message": "OK"})
REFUSED_RESPONSE = (
    422,
    {"ErrorCode": 406, "Message": "Found inactive addresses: alice@acme.example. Inactive recipients"},
)


class Provider(HTTPServer):
    """API of a provider on loopback that stores requests and gives the configured response."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.received_requests: list[tuple[str, str, dict[str, Any]]] = []
        self.answers: list[tuple[int, dict[str, Any]]] = []


class Handler(BaseHTTPRequestHandler):
    server: Provider

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.received_requests.append((self.path, self.headers["X-Postmark-Server-Token"], body))
        status, answer = self.server.answers.pop(0) if self.server.answers else ACCEPTED_RESPONSE
        self.send_response(status)
        self.end_headers()
        self.wfile.write(json.dumps(answer).encode())

    def log_message(self, *words: Any) -> None:
        """Print nothing."""


@pytest.fixture
def postmark(settings: Any) -> Iterator[Provider]:
    server = Provider()
    Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    settings.EMAIL_STORED_ONLY = False
    settings.EMAIL_BACKEND = email_providers.get_backend("postmark", host="")
    address = f"http://127.0.0.1:{server.server_port}"
    settings.ANYMAIL = email_providers.build_anymail_settings("postmark", key="secret", address=address)
    yield server
    server.shutdown()
    server.server_close()


def test_email_is_sent_through_the_provider_once(db: None, postmark: Provider, now: datetime) -> None:
    row = queue_email(now, unsubscribe="https://portal.example/stop/")
    assert [send_due_emails(), send_due_emails()] == [1, 0]
    row.refresh_from_db()
    ((path, key, request_body),) = postmark.received_requests
    assert (row.state, path, key, request_body["To"]) == ("sent", "/email", "secret", "alice@acme.example")
    assert {"Name": "List-Unsubscribe-Post", "Value": "List-Unsubscribe=One-Click"} in request_body["Headers"]


@pytest.mark.parametrize(
    ("answer", "state", "why"),
    [
        (REFUSED_RESPONSE, "failed", "The mail provider refused the address."),
        ((422, {"ErrorCode": 300, "Message": "No."}), "failed", "The mail provider responded with 422."),
        ((401, {"ErrorCode": 10, "Message": "No."}), "queued", "The mail provider responded with 401."),
        ((429, {}), "queued", "The mail provider responded with 429."),
        ((503, {}), "queued", "The mail provider responded with 503."),
    ],
)
def test_refusal_is_shown_and_temporary_error_is_retried(
    db: None, postmark: Provider, now: datetime, answer: Any, state: str, why: str
) -> None:
    postmark.answers = [answer]
    row = queue_email(now)
    send_due_emails()
    row.refresh_from_db()
    assert (row.state, row.last_error) == (state, why)


def test_email_that_cannot_be_sent_does_not_delay_others(db: None, postmark: Provider, now: datetime) -> None:
    row = queue_email(now, to="alice@")
    queue_email(now, "second")
    send_due_emails()
    row.refresh_from_db()
    message = "The mail provider can't send this email (AnymailInvalidAddress)."
    assert (row.state, row.last_error, len(postmark.received_requests)) == ("failed", message, 1)


def test_provider_outage_loses_no_email(
    db: None, postmark: Provider, settings: Any, now: datetime, time_machine: Any
) -> None:
    there = settings.ANYMAIL
    settings.ANYMAIL = email_providers.build_anymail_settings("postmark", key="secret", address="http://127.0.0.1:9")
    row = queue_email(now)
    send_due_emails()
    row.refresh_from_db()
    assert (row.state, row.last_error[:44]) == ("queued", "The mail provider could not be reached (Anym")
    settings.ANYMAIL = there
    time_machine.move_to(now + timedelta(minutes=2), tick=False)
    assert (send_due_emails(), len(postmark.received_requests)) == (1, 1)


def test_setting_accepts_every_provider_with_a_key() -> None:
    accepted = get_args(PortalSettings.model_fields["EMAIL_PROVIDER"].annotation)
    assert accepted == (email_providers.SMTP, *email_providers.KEY_SETTING_BY_PROVIDER)


@pytest.mark.parametrize("provider", email_providers.KEY_SETTING_BY_PROVIDER)
def test_every_provider_uses_its_key_and_url(provider: str, settings: Any) -> None:
    settings.ANYMAIL = email_providers.build_anymail_settings(provider, key="secret", address="https://api.example/v1")
    connection = get_connection(email_providers.get_backend(provider, host=""))
    attributes = vars(connection)
    assert "secret" in attributes.values()
    assert "https://api.example/v1/" in attributes.values()


def test_incomplete_configuration_is_refused() -> None:
    assert (
        email_providers.build_anymail_settings("smtp", key="", address=""),
        email_providers.get_backend("smtp", host="h"),
    ) == (
        {},
        "django.core.mail.backends.smtp.EmailBackend",
    )
    with pytest.raises(ImproperlyConfigured, match="EMAIL_PROVIDER_KEY is not set"):
        email_providers.build_anymail_settings("postmark", key="", address="")
    with pytest.raises(ImproperlyConfigured, match="EMAIL_PROVIDER is not"):
        email_providers.build_anymail_settings("smtp", key="secret", address="")
    with pytest.raises(ImproperlyConfigured, match="both set"):
        email_providers.get_backend("postmark", host="mail.example")
