"""A server under load: requests per second, and processor time per request as the kernel counts it."""

import http.client
import os
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

TICK = os.sysconf("SC_CLK_TCK")
TIMEOUT_SECONDS = 60  # a busy machine takes half a minute for the first response, which loads everything


@dataclass(frozen=True, slots=True)
class Measure:
    """Result of one address: requests per second, CPU milliseconds per request, and kilobytes of the largest body."""

    per_second: float
    cpu_ms: float
    kilobytes: float


class Server:
    """Gunicorn with one worker on a free port of loopback."""

    def __init__(self, port: int) -> None:
        self.port = port
        options = f"-b 127.0.0.1:{port} -w 1 -k gthread --threads 2 --no-control-socket --log-level error"
        command = [sys.executable, "-m", "gunicorn", "portal.wsgi", *options.split()]
        self.process = subprocess.Popen(command, env=os.environ | {"DJANGO_SETTINGS_MODULE": "tests.bench.settings"})
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while time.monotonic() < deadline:
            try:
                http.client.HTTPConnection("127.0.0.1", port, timeout=1).connect()
                return
            except OSError:
                time.sleep(0.1)
        raise RuntimeError("the server did not start")

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(TIMEOUT_SECONDS)

    def read_cpu_seconds(self) -> float:
        """Return the CPU seconds of the worker so far."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        fields = [Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split() for pid in children]
        return sum(int(f[11]) + int(f[12]) for f in fields) / TICK

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
