#!/usr/bin/env python3
"""What does a run task's endpoint look like? A good one, and 25 faults to choose from. Standard library only.

    python3 examples/run_task_endpoint.py --port 9000 --key SECRET
    python3 examples/run_task_endpoint.py --port 9000 --key SECRET --fault never-calls-back

It lets a run pass unless the plan opens something to the whole internet, or, before there is a plan, unless the
configuration says "failing". It listens on 127.0.0.1 alone.
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
    "verification-202": "answers the verification request with 202",
    "verification-called-back": "sends a result for the verification request too",
    "unsigned-taken": "takes requests without a signature",
    "wrong-signature-taken": "does not look at the signature that it is given",
    "signature-of-parsed-body": "computes the signature over the document that it has written anew",
    "malformed-500": "breaks on a body that is no JSON",
    "new-stage-refused": "refuses a stage that it does not know",
    "redirects": "redirects every request to another address of its own",
    "hangs-up": "closes the connection of a run without an answer",
    "slow-answer": "takes its time before it answers a run",
    "slow-body": "sends the body of its answer byte by byte, without an end",
    "endless-body": "sends a body without an end",
    "never-calls-back": "sends no result",
    "never-ends": "says that it is running, again and again",
    "silent-too-long": "says that it is running, and then nothing for too long",
    "too-late": "sends its result when the run has been given up",
    "called-back-twice": "sends its result twice",
    "contradicts-itself": "sends one result and then the other",
    "token-missing": "sends its result without a token",
    "token-of-another-run": "sends its result with the token of the run before",
    "posts-result": "sends its result with POST",
    "garbage-result": "sends a result that is not JSON",
    "huge-result": "sends a message of ten megabytes",
    "bad-outcomes": "sends eleven outcomes with a level that there is not",
    "always-passes": "lets every run pass",
}
VARIANTS = {
    "outcome_id": "names an outcome's id as the JSON schema does",
    "outcomes-in-attributes": "puts outcomes where the integrations page shows them",
    "long-body": "sends an outcome with a body longer than the JSON schema allows",
    "tag-with-space": "names a tag as the API page's own example does",
    "answers-after-the-work": "answers once its result has been taken",
    "garbage-answer": "answers 200 with a body that means nothing",
}


def signature(body: bytes, key: str) -> str:
    return hmac.new(key.encode(), body, hashlib.sha512).hexdigest()


def asked(request: urllib.request.Request) -> bytes:
    """Return the body of the answer. Raises OSError."""
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.read()
    except urllib.error.HTTPError as refusal:
        refusal.close()
        raise


class Endpoint(ThreadingHTTPServer):
    """The server. `how` is a fault, a variant, or blank; `pace` is the second by which slow faults are slow."""

    daemon_threads = True

    def __init__(self, key: str = "", how: str = "", port: int = 0, pace: float = 1.0) -> None:
        self.closed = threading.Event()
        super().__init__(("127.0.0.1", port), Handler)
        self.key = key
        self.how = how
        self.pace = pace
        self.tokens: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/run-task"

    def work_on(self, request: dict) -> threading.Thread:
        """Return the work about one run, to be started."""
        return threading.Thread(target=Work(self, request).do, daemon=True)

    def server_close(self) -> None:
        """Close the port, and end slow work, which would report to a platform that no longer listens."""
        self.closed.set()
        super().server_close()

    def handle_error(self, request: object, client_address: object) -> None:
        """Somebody who hangs up is no news."""


class Handler(BaseHTTPRequestHandler):
    server: Endpoint

    def do_POST(self) -> None:
        how = self.server.how
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if how == "redirects":
            self.say(307, location="/elsewhere")
            return
        try:
            request = json.loads(body)
        except ValueError:
            self.say(500 if how == "malformed-500" else 400)
            return
        if not self.is_signed(body, request):
            self.say(401)
        elif how == "new-stage-refused" and request["stage"] not in STAGES:
            self.say(400)
        elif request["access_token"] == TEST_TOKEN:
            self.verify(request)
        else:
            self.run(request)

    def is_signed(self, body: bytes, request: object) -> bool:
        """Whether the signature is that of these bytes and our key."""
        key = self.server.key
        how = self.server.how
        given = self.headers.get("X-TFC-Task-Signature", "")
        if how == "unsigned-taken" and not given:
            return True
        if how == "wrong-signature-taken" and given:
            return True
        if how == "signature-of-parsed-body":
            body = json.dumps(request, separators=(",", ":"), ensure_ascii=False).encode()
        return hmac.compare_digest(signature(body, key), given) if key else True

    def verify(self, request: dict) -> None:
        """Respond to the verification request, which only asks whether the endpoint exists."""
        if self.server.how == "verification-called-back":
            self.server.work_on(request).start()
        self.say(202 if self.server.how == "verification-202" else 200)

    def run(self, request: dict) -> None:
        """Answer first, work afterwards."""
        how = self.server.how
        work = self.server.work_on(request)
        if how == "hangs-up":
            self.close_connection = True
            return
        if how == "slow-answer":
            time.sleep(1.3 * self.server.pace)
        work.start()
        if how == "answers-after-the-work":
            work.join()
        if how in ("slow-body", "endless-body"):
            self.say_for_ever(b"." if how == "slow-body" else bytes(65536), 0.1 if how == "slow-body" else 0)
        else:
            self.say(200, body=b"\x00<what?>" if how == "garbage-answer" else b"")

    def say(self, status: int, body: bytes = b"", location: str = "") -> None:
        self.send_response(status)
        if location:
            self.send_header("Location", location)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def say_for_ever(self, piece: bytes, pause: float) -> None:
        self.send_response(200)
        self.end_headers()
        self.close_connection = True
        for _ in range(100_000):
            self.wfile.write(piece)
            time.sleep(pause)

    def log_message(self, format: str, *args: object) -> None:
        """Silent."""


class Work:
    """What is done about one run, after the answer."""

    def __init__(self, server: Endpoint, request: dict) -> None:
        self.how = server.how
        self.pace = server.pace
        self.request = request
        self.closed = server.closed
        self.token = request["access_token"]
        self.before = server.tokens[-1] if server.tokens else "the token of another run"
        server.tokens.append(self.token)

    def do(self) -> None:
        how = self.how
        pace = self.pace
        if how == "never-calls-back":
            return
        if how in ("never-ends", "too-late", "silent-too-long"):
            self.linger(pace)
        if how == "never-ends" or self.closed.is_set():
            return
        status = "passed" if how == "always-passes" or self.looks_fine() else "failed"
        self.report(status)
        if how == "called-back-twice":
            self.report(status)
        if how == "contradicts-itself":
            self.report("failed" if status == "passed" else "passed")

    def linger(self, pace: float) -> None:
        """Be slow in one of three ways."""
        beats, pause = {"never-ends": (40, 0.4), "too-late": (5, 0.6), "silent-too-long": (1, 1.6)}[self.how]
        for _ in range(beats):
            self.report("running")
            if self.closed.wait(pause * pace):
                return

    def looks_fine(self) -> bool:
        """Whether the run may pass; where our own work breaks, it may not, and the platform hears of it."""
        try:
            return self.is_fine()
        except OSError:
            return False

    def is_fine(self) -> bool:
        address = self.request.get("plan_json_api_url")
        if address:
            return b"0.0.0.0/0" not in self.fetched(address)
        packed = self.fetched(self.request["configuration_version_download_url"])
        with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
            return not any(b"failing" in archive.extractfile(name).read() for name in archive.getnames())

    def fetched(self, address: str) -> bytes:
        return asked(urllib.request.Request(address, headers={"Authorization": f"Bearer {self.token}"}))

    def report(self, status: str) -> None:
        """Send a result, or news."""
        body = json.dumps(self.document(status)).encode() if self.how != "garbage-result" else b"status=passed"
        headers = {"Content-Type": "application/vnd.api+json", "Authorization": f"Bearer {self.token}"}
        if self.how == "token-missing":
            del headers["Authorization"]
        if self.how == "token-of-another-run":
            headers["Authorization"] = f"Bearer {self.before}"
        method = "POST" if self.how == "posts-result" else "PATCH"
        address = self.request["task_result_callback_url"]
        with suppress(OSError):  # it was refused, or nobody is there; a good endpoint would log it
            asked(urllib.request.Request(address, body, headers, method=method))

    def document(self, status: str) -> dict:
        message = "x" * 10_000_000 if self.how == "huge-result" else f"The run is {status}."
        attributes = {"status": status, "message": message, "url": "https://example.com/results/1"}
        data = {"type": "task-results", "attributes": attributes}
        if status != "running":
            outcomes = {"data": [self.outcome(number) for number in range(11 if self.how == "bad-outcomes" else 1)]}
            (attributes if self.how == "outcomes-in-attributes" else data.setdefault("relationships", {}))[
                "outcomes"
            ] = outcomes
        return {"data": data}

    def outcome(self, number: int) -> dict:
        level = "catastrophe" if self.how == "bad-outcomes" else "warning"
        tag = "Cost centre" if self.how == "tag-with-space" else "Severity"
        return {
            "type": "task-result-outcomes",
            "attributes": {
                "outcome_id" if self.how == "outcome_id" else "outcome-id": f"RULE-{number}",
                "description": "Something worth a look",
                "body": "# Details\n" + "x" * (20_000 if self.how == "long-body" else 10),
                "url": "https://example.com/results/1",
                "tags": {"Status": [{"label": "Looked at"}], tag: [{"label": "High", "level": level}]},
            },
        }


def main() -> None:
    epilog = "faults and variants:\n" + "\n".join(f"  {name:26} {what}" for name, what in (FAULTS | VARIANTS).items())
    parser = argparse.ArgumentParser(
        description="A run task's endpoint on 127.0.0.1.",
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--port", type=int, default=9000)
    parser.add_argument("--key", default="", help="the run task's HMAC key; without it nothing is verified")
    parser.add_argument("--fault", default="", choices=[*FAULTS, *VARIANTS], metavar="NAME", help="one of those below")
    parser.add_argument("--pace", type=float, default=10.0, help="the seconds by which slow faults are slow")
    given = parser.parse_args()
    server = Endpoint(given.key, given.fault, given.port, given.pace)
    print(f"Listening on {server.url}", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        server.server_close()


if __name__ == "__main__":
    main()
