"""Fixtures of the notification tests."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP

from tests.servers.base import find_free_port


class MailServer:
    """Mail server on loopback that stores accepted emails and gives the configured response."""

    def __init__(self) -> None:
        self.accepted: list[Any] = []
        self.answers: list[str] = []
        self.sender_answer = "250 OK"
        self.recipient_answer = "250 OK"
        self.sessions: set[Any] = set()

    async def handle_MAIL(self, server: SMTP, session: Any, envelope: Any, sender: str, options: list[str]) -> str:
        envelope.mail_from = sender
        return self.sender_answer

    async def handle_RCPT(self, server: SMTP, session: Any, envelope: Any, address: str, options: list[str]) -> str:
        envelope.rcpt_tos.append(address)
        return self.recipient_answer

    async def handle_DATA(self, server: SMTP, session: Any, envelope: Any) -> str:
        self.sessions.add(session)
        answer = self.answers.pop(0) if self.answers else "250 accepted"
        if answer.startswith("250"):
            self.accepted.append(envelope)
        return answer


@pytest.fixture
def mail_server(settings: Any) -> Iterator[MailServer]:
    handler = MailServer()
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST = "127.0.0.1"
    settings.EMAIL_PORT = find_free_port()
    controller = Controller(handler, hostname="127.0.0.1", port=settings.EMAIL_PORT)
    controller.start()
    settings.EMAIL_USE_TLS = False
    settings.EMAIL_STORED_ONLY = False
    yield handler
    controller.stop()


@pytest.fixture
def clock(time_machine: Any, now: datetime) -> Any:
    time_machine.move_to(now, tick=False)
    return time_machine
