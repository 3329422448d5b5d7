#!/usr/bin/env python3
"""Example endpoint of a run task, with 25 faults to choose from. Needs only the standard library.

    python3 examples/run_task_endpoint.py --port 9000 --key SECRET
    python3 examples/run_task_endpoint.py --port 9000 --key SECRET --fault no-callback

A run fails if its plan contains "0.0.0.0/0" or, before there is a plan, if its configuration contains "failing".
"""

import argparse
import hashlib
import hmac
import io
import json
import tarfile
import threading
import time
import urllib.error
import urllib.request
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TEST_TOKEN = "test-token"
STAGES = ("pre_plan", "post_plan", "pre_apply", "post_apply")
FAULTS = {
    "verification-202": "responds to the verification request with 202",
    "verification-callback": "sends a result for the verification request too",
    "accepts-unsigned": "accepts requests without a signature",
    "accepts-wrong-signature": "accepts any signature",
    "verifies-parsed-body": "verifies the signature of the reserialized document instead of the received bytes",
    "malformed-500": "returns 500 if the body is not JSON",
    "rejects-new-stage": "rejects unknown stages",
    "redirects": "redirects every request to another path",
    "closes-connection": "closes the connection of a run without a response",
    "slow-response": "waits before it responds to a run",
    "slow-body": "sends the body of its response byte by byte, without an end",
    "endless-body": "sends a body without an end",
    "no-callback": "sends no result",
    "never-finishes": "reports that it is running, again and again",
    "stops-reporting": "reports that it is running, then sends nothing for too long",
    "late-result": "sends its result after the time limit",
    "duplicate-result": "sends its result twice",
    "contradictory-results": "sends one result, then the opposite one",
    "missing-token": "sends its result without a token",
    "token-of-another-run": "sends its result with the token of the previous run",
    "posts-result": "sends its result with POST",
    "invalid-result": "sends a result that is not JSON",
    "huge-result": "sends a message of ten megabytes",
    "invalid-outcomes": "sends eleven outcomes, with a level that doesn't exist",
    "always-passes": "passes every run",
}
VARIANTS = {
    "outcome_id": "names the ID of an outcome as the JSON schema does",
    "outcomes-in-attributes": "puts outcomes where the integrations page shows them",
    "long-body": "sends an outcome with a body longer than the JSON schema allows",
    "tag-with-space": "uses a tag name with a space, as the example of the API page does",
    "responds-after-work": "responds after it has sent its result",
    "unexpected-body": "responds with 200 and an arbitrary body",
}


def compute_signature(body: bytes, key: str) -> str:
    return hmac.new(key.encode(), body, hashlib.sha512).hexdigest()


def send_request(request: urllib.request.Request) -> bytes:
    """Return the body of the response. Raises OSError."""
    try:
        with urllib.request.urlopen(request, timeout=20) as response:
            return response.read()
    except urllib.error.HTTPError as error:
        error.close()
        raise


class Endpoint(ThreadingHTTPServer):
    """The server. `fault`: a fault or variant, or blank. `pace`: the unit of the delays of slow faults in seconds."""

    daemon_threads = True

    def __init__(self, key: str = "", fault: str = "", port: int = 0, pace: float = 1.0) -> None:
        self.closed = threading.Event()
        super().__init__(("127.0.0.1", port), Handler)
        self.key = key
        self.fault = fault
        self.pace = pace
        self.tokens: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/run-task"

    def create_worker(self, request: dict) -> threading.Thread:
        """Return an unstarted thread that evaluates one run."""
        return threading.Thread(target=RunEvaluation(self, request).evaluate, daemon=True)

    def server_close(self) -> None:
        """Close the port, and end slow evaluations, which would report to a platform that no longer listens."""
        self.closed.set()
        super().server_close()

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore clients that close the connection."""


class Handler(BaseHTTPRequestHandler):
    server: Endpoint

    def do_POST(self) -> None:
        fault = self.server.fault
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if fault == "redirects":
            self.respond(307, location="/elsewhere")
            return
        try:
            request = json.loads(body)
        except ValueError:
            self.respond(500 if fault == "malformed-500" else 400)
            return
        if not self.is_signed(body, request):
            self.respond(401)
        elif fault == "rejects-new-stage" and request["stage"] not in STAGES:
            self.respond(400)
        elif request["access_token"] == TEST_TOKEN:
            self.verify(request)
        else:
            self.run(request)

    def is_signed(self, body: bytes, request: object) -> bool:
        """Return whether the key of the run task signed these bytes."""
        key = self.server.key
        fault = self.server.fault
        signature = self.headers.get("X-TFC-Task-Signature", "")
        if fault == "accepts-unsigned" and not signature:
            return True
        if fault == "accepts-wrong-signature" and signature:
            return True
        if fault == "verifies-parsed-body":
            body = json.dumps(request, separators=(",", ":"), ensure_ascii=False).encode()
        return hmac.compare_digest(compute_signature(body, key), signature) if key else True

    def verify(self, request: dict) -> None:
        """Respond to the verification request, which only asks whether the endpoint exists."""
        if self.server.fault == "verification-callback":
            self.server.create_worker(request).start()
        self.respond(202 if self.server.fault == "verification-202" else 200)

    def run(self, request: dict) -> None:
        """Respond first, then evaluate the run."""
        fault = self.server.fault
        worker = self.server.create_worker(request)
        if fault == "closes-connection":
            self.close_connection = True
            return
        if fault == "slow-response":
            time.sleep(1.3 * self.server.pace)
        worker.start()
        if fault == "responds-after-work":
            worker.join()
        if fault in ("slow-body", "endless-body"):
            self.respond_endlessly(b"." if fault == "slow-body" else bytes(65536), 0.1 if fault == "slow-body" else 0)
        else:
            self.respond(200, body=b"\x00<what?>" if fault == "unexpected-body" else b"")

    def respond(self, status: int, body: bytes = b"", location: str = "") -> None:
        self.send_response(status)
        if location:
            self.send_header("Location", location)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def respond_endlessly(self, piece: bytes, pause: float) -> None:
        self.send_response(200)
        self.end_headers()
        self.close_connection = True
        for _ in range(100_000):
            self.wfile.write(piece)
            time.sleep(pause)

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing."""


class RunEvaluation:
    """Evaluation of one run, after the response."""

    def __init__(self, server: Endpoint, request: dict) -> None:
        self.fault = server.fault
        self.pace = server.pace
        self.request = request
        self.closed = server.closed
        self.token = request["access_token"]
        self.previous_token = server.tokens[-1] if server.tokens else "the token of another run"
        server.tokens.append(self.token)

    def evaluate(self) -> None:
        fault = self.fault
        if fault == "no-callback":
            return
        if fault in ("never-finishes", "late-result", "stops-reporting"):
            self.report_slowly()
        if fault == "never-finishes" or self.closed.is_set():
            return
        status = "passed" if fault == "always-passes" or self.has_passed() else "failed"
        self.report(status)
        if fault == "duplicate-result":
            self.report(status)
        if fault == "contradictory-results":
            self.report("failed" if status == "passed" else "passed")

    def report_slowly(self) -> None:
        """Report that the run is being evaluated, in one of three slow ways."""
        reports_by_fault = {"never-finishes": (40, 0.4), "late-result": (5, 0.6), "stops-reporting": (1, 1.6)}
        report_count, pause = reports_by_fault[self.fault]
        for _ in range(report_count):
            self.report("running")
            if self.closed.wait(pause * self.pace):
                return

    def has_passed(self) -> bool:
        """Return whether the run passes. It fails if the plan or the configuration can't be read."""
        try:
            return self.is_allowed()
        except OSError:
            return False

    def is_allowed(self) -> bool:
        """Return whether the plan, or the configuration before there is a plan, is allowed. Raises OSError."""
        plan_url = self.request.get("plan_json_api_url")
        if plan_url:
            return b"0.0.0.0/0" not in self.fetch(plan_url)
        configuration = self.fetch(self.request["configuration_version_download_url"])
        with tarfile.open(fileobj=io.BytesIO(configuration)) as archive:
            return not any(b"failing" in archive.extractfile(name).read() for name in archive.getnames())

    def fetch(self, url: str) -> bytes:
        return send_request(urllib.request.Request(url, headers={"Authorization": f"Bearer {self.token}"}))

    def report(self, status: str) -> None:
        """Send a result, or that the run is being evaluated."""
        body = json.dumps(self.build_document(status)).encode() if self.fault != "invalid-result" else b"status=passed"
        headers = {"Content-Type": "application/vnd.api+json", "Authorization": f"Bearer {self.token}"}
        if self.fault == "missing-token":
            del headers["Authorization"]
        if self.fault == "token-of-another-run":
            headers["Authorization"] = f"Bearer {self.previous_token}"
        request = urllib.request.Request(self.request["task_result_callback_url"], body, headers)
        request.method = "POST" if self.fault == "posts-result" else "PATCH"
        with suppress(OSError):  # refused or unreachable; a real endpoint would log it
            send_request(request)

    def build_document(self, status: str) -> dict:
        message = "x" * 10_000_000 if self.fault == "huge-result" else f"The run is {status}."
        attributes = {"status": status, "message": message, "url": "https://example.com/results/1"}
        data = {"type": "task-results", "attributes": attributes}
        if status != "running":
            count = 11 if self.fault == "invalid-outcomes" else 1
            target = attributes if self.fault == "outcomes-in-attributes" else data.setdefault("relationships", {})
            target["outcomes"] = {"data": [self.build_outcome(number) for number in range(count)]}
        return {"data": data}

    def build_outcome(self, number: int) -> dict:
        level = "catastrophe" if self.fault == "invalid-outcomes" else "warning"
        tag = "Cost center" if self.fault == "tag-with-space" else "Severity"
        return {
            "type": "task-result-outcomes",
            "attributes": {
                "outcome_id" if self.fault == "outcome_id" else "outcome-id": f"RULE-{number}",
                "description": "An issue to review",
                "body": "# Details\n" + "x" * (20_000 if self.fault == "long-body" else 10),
                "url": "https://example.com/results/1",
                "tags": {"Status": [{"label": "Reviewed"}], tag: [{"label": "High", "level": level}]},
            },
        }


def main() -> None:
    choices = FAULTS | VARIANTS
    epilog = "faults and variants:\n" + "\n".join(f"  {name:26} {text}" for name, text in choices.items())
    parser = argparse.ArgumentParser(
        description="Run an example endpoint of a run task on 127.0.0.1.",
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--port", type=int, default=9000, help="port to listen on (default: %(default)s)")
    parser.add_argument("--key", default="", help="HMAC key of the run task; without it, signatures aren't verified")
    parser.add_argument("--fault", default="", choices=choices, metavar="NAME", help="fault or variant, see below")
    parser.add_argument("--pace", type=float, default=10.0, help="unit of the delays of slow faults in seconds")
    options = parser.parse_args()
    server = Endpoint(options.key, options.fault, options.port, options.pace)
    print(f"Listening on {server.url}", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        server.server_close()


if __name__ == "__main__":
    main()
