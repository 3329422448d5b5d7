"""A mail server that refuses and cuts: it writes down what it accepted before it says so."""

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
    """What arrived. `refuse` and `cut` are shares of messages: answered 451, or cut off after acceptance."""

    def __init__(self, port: int, *, refuse: float, cut: float, seed: int) -> None:
        self.refuse, self.cut = refuse, cut
        self.draw = random.Random(seed)
        self.lock = threading.Lock()
        self.copies: Counter[str] = Counter()
        self.texts: dict[str, list[tuple[float, str]]] = {}  # moment and text of each, by reader
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
            if self.draw.random() < self.refuse:
                self.refusals += 1
                return "451 try again"
            self._accept(envelope)
            if self.draw.random() < self.cut:
                self.cuts += 1
                transport: Any = server.transport
                transport.abort()  # accepted, and the client never hears it
        return "250 accepted"

    def _accept(self, envelope: Envelope) -> None:
        message: Any = message_from_bytes(envelope.content or b"", policy=default)
        self.copies[str(message["Message-ID"])] += 1
        if self.copies[str(message["Message-ID"])] == 1:
            body = message.get_body(("plain",)).get_content()
            self.texts.setdefault(envelope.rcpt_tos[0], []).append((time.time(), f"{message['Subject']}\n{body}"))
