"""A server under load: requests per second, and processor time per request as the kernel counts it."""

import http.client
import os
import signal
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from tests.servers.base import Server, can_connect, find_free_port

TICK = os.sysconf("SC_CLK_TCK")
TIMEOUT_SECONDS = 60  # a busy machine takes half a minute for the first response, which loads everything
START_SECONDS = 120
STOP_SECONDS = 90  # gunicorn itself kills workers that take longer than 30 seconds, its graceful timeout


@dataclass(frozen=True, slots=True)
class Measure:
    """Result of one address: requests per second, CPU milliseconds per request, and kilobytes of the largest body."""

    per_second: float
    cpu_ms: float
    kilobytes: float


class Gunicorn(Server):
    """A WSGI application in gunicorn on a free port of loopback."""

    def __init__(self, application: str = "portal.wsgi", *, workers: int = 1, threads: int = 2) -> None:
        self.application = application
        self.workers = workers
        self.port = find_free_port()
        options = f"-b 127.0.0.1:{self.port} -w {workers} -k gthread --threads {threads} --preload --log-level error"
        command = [sys.executable, "-m", "gunicorn", application, "--no-control-socket", *options.split()]
        log = Path(os.environ["PORTAL_DATA"]) / f"gunicorn-{self.port}.log"
        super().__init__(command, log, self.has_started, seconds=START_SECONDS)

    def has_started(self) -> bool:
        """Return whether all workers run and the port accepts connections."""
        return len(self.list_workers()) == self.workers and can_connect(self.port)

    def stop(self, how: signal.Signals = signal.SIGTERM, seconds: float = STOP_SECONDS) -> None:
        """Stop the server. Raise RuntimeError if it had to be killed, or ended with an error."""
        super().stop(how, seconds)
        if self.process.returncode:
            output = self.log.read_text(errors="replace").strip()[-1000:]
            raise RuntimeError(f"gunicorn of {self.application} ended with {self.process.returncode}: {output}")

    def list_workers(self) -> list[int]:
        """Return the process IDs of the workers."""
        try:
            children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text()
        except OSError:
            return []
        return [int(pid) for pid in children.split()]

    def read_cpu_seconds(self) -> float:
        """Return the CPU seconds of the workers so far."""
        stats = [Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split() for pid in self.list_workers()]
        return sum(int(fields[11]) + int(fields[12]) for fields in stats) / TICK

    def measure(self, path: str, cookie: str, seconds: float = 4, clients: int = 2) -> Measure:
        """Request one address as fast as it answers. Raise RuntimeError for any status but 200."""
        counts = [0] * clients
        sizes = [0] * clients
        wrong = []

        def send_requests(which: int, until: float) -> None:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT_SECONDS)
            while time.monotonic() < until:
                connection.request("GET", path, headers={"Cookie": cookie})
                response = connection.getresponse()
                body = response.read()
                if response.status != 200:
                    wrong.append(response.status)
                    return
                counts[which] += 1
                sizes[which] = len(body)

        before = self.read_cpu_seconds()
        start = time.monotonic()
        threads = [threading.Thread(target=send_requests, args=(n, start + seconds)) for n in range(clients)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        elapsed_seconds = time.monotonic() - start
        cpu = self.read_cpu_seconds() - before
        total = sum(counts)
        if wrong or not total:
            raise RuntimeError(f"{path} answered {wrong}")
        return Measure(total / elapsed_seconds, cpu / total * 1000, max(sizes) / 1000)
