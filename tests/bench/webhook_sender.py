"""Sender of signed webhooks that records what the server acknowledged."""

import hashlib
import hmac
import http.client
import threading
import time
from dataclasses import dataclass, field

from integrations.sla.models import MonitoredRepository
from tests.bench.monitored_repositories import SECRET


@dataclass
class Sender:
    """Posts signed payloads, all different, to the monitored repositories in turn."""

    monitored_repositories: list[MonitoredRepository]
    body: bytes
    run: str
    acknowledged: list[tuple[int, str]] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    refused: list[int] = field(default_factory=list)
    lost: int = 0
    elapsed_seconds: float = 0.0  # until the last response
    lock: threading.Lock = field(default_factory=threading.Lock)

    def post(self, line: http.client.HTTPConnection, number: int, since: float) -> None:
        name = f"{self.run}-{number}"
        monitored_repository = self.monitored_repositories[number % len(self.monitored_repositories)]
        body = self.body.replace(b"NUMBER", name.encode(), 1).replace(
            b'"id": 4711,', b'"id": %d,' % (monitored_repository.repository_id or 0)
        )
        headers = {
            "Content-Type": "application/json",
            "X-GitHub-Delivery": name,
            "X-GitHub-Event": "issues",
            "X-Hub-Signature-256": "sha256=" + hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest(),
            "X-Repository": str(monitored_repository.pk),
        }
        try:
            line.request("POST", f"/inbound/github/{monitored_repository.uuid}/", body, headers)
            answer = line.getresponse()
            answer.read()
        except (OSError, http.client.HTTPException):
            line.close()
            with self.lock:
                self.lost += 1
            return
        with self.lock:
            self.seconds.append(time.monotonic() - since)
            if answer.status == 202:
                self.acknowledged.append((monitored_repository.pk, name))
            else:
                self.refused.append(answer.status)
