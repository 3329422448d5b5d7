"""Mail server that refuses some emails and cuts some connections after it accepted the email."""

import random
import threading
import time
from collections import Counter
from email import message_from_bytes
from email.policy import default
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session


class Sink:
    """Received emails. `refuse` and `cut` are shares: answered with 451, or disconnected after acceptance."""

    def __init__(self, port: int, *, refuse: float, cut: float, seed: int) -> None:
        self.refuse = refuse
        self.cut = cut
        self.rng = random.Random(seed)
        self.lock = threading.Lock()
        self.copies: Counter[str] = Counter()
        self.texts: dict[str, list[tuple[float, str]]] = {}  # (time, text) by recipient
        self.cuts = self.refusals = 0
        self.port = port
        self.is_up = False

    def start(self) -> None:
        self.controller = Controller(self, hostname="127.0.0.1", port=self.port, ready_timeout=10)
        self.controller.start()
        self.is_up = True

    def stop(self) -> None:
        if self.is_up:
            self.controller.stop()
        self.is_up = False

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        with self.lock:
            if self.rng.random() < self.refuse:
                self.refusals += 1
                return "451 try again"
            self._accept(envelope)
            if self.rng.random() < self.cut:
                self.cuts += 1
                transport: Any = server.transport
                transport.abort()  # accepted, but the client gets no reply
        return "250 accepted"

    def _accept(self, envelope: Envelope) -> None:
        assert isinstance(envelope.content, bytes)  # text only with decode_data
        message: Any = message_from_bytes(envelope.content, policy=default)
        self.copies[str(message["Message-ID"])] += 1
        if self.copies[str(message["Message-ID"])] == 1:
            body = message.get_body(("plain",)).get_content()
            self.texts.setdefault(envelope.rcpt_tos[0], []).append((time.time(), f"{message['Subject']}\n{body}"))
