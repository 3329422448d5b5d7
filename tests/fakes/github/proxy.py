"""Proxy that adds what the emulated GitHub lacks: licenses, ETags, asset bytes, tokens, and faults."""

import hashlib
import http.client
import json
import re
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

from tests.fakes.github.state import OWNER_TOKEN, State, build_license

REPOSITORY = re.compile(r"^/repos/([^/]+/[^/]+)$")
LICENSE = re.compile(r"^/repos/([^/]+/[^/]+)/license$")
ASSET = re.compile(r"^/repos/[^/]+/[^/]+/releases/assets/(\d+)$")
ISSUE_LISTS = re.compile(r"^/repos/([^/]+/[^/]+)/issues/(comments|events)$")
REPOSITORY_PATH = re.compile(r"^/repos/([^/]+/[^/]+)(.*)$")
DOWNLOAD = re.compile(r"^/([^/]+/[^/]+)/releases/download/(?:([^/]+)/)?([^/]+)$")  # the emulator forgets the tag
HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding", "content-length", "date", "server"}
MAX_STALL_SECONDS = 30


class Handler(BaseHTTPRequestHandler):
    """One request, answered by a fault, by the proxy itself, or by the emulator with additions."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # or the body waits 40 ms for the client to acknowledge the headers
    server: "Proxy"

    def log_message(self, *_: Any) -> None:
        """Log nothing."""

    def handle_any(self) -> None:
        state = self.server.state
        length = int(self.headers.get("Content-Length") or 0)
        self.sent = self.rfile.read(length)
        self.plain_path = urlsplit(self.path).path.removeprefix("/api/v3")
        state.requests.append(f"{self.command} {self.plain_path}")
        fault = next((each for each in state.faults if each.applies_to(self.plain_path)), None)
        if fault is not None:
            self.fail(fault.kind)
        elif app_answer := state.apps.answer(self.command, self.plain_path, self.headers.get("Authorization", "")):
            self.answer_json(*app_answer)
        elif access_answer := state.user_access.answer(
            self.command, self.plain_path, self.headers.get("Authorization", ""), self.sent
        ):
            self.answer_json(*access_answer)
        elif not self.has_known_token():
            self.answer_json(401, {"message": "Bad credentials", "documentation_url": ""})
        elif not self.answer_from_proxy():
            self.forward()

    do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = do_HEAD = handle_any

    def has_known_token(self) -> bool:
        scheme, _, token = self.headers.get("Authorization", "").partition(" ")
        state = self.server.state
        known = (state.tokens, state.apps.issued_tokens, state.user_access.logins)
        return scheme.lower() not in {"token", "bearer"} or any(token in tokens for tokens in known)

    def fail(self, kind: int | str) -> None:
        handlers_by_kind: dict[str, Callable[[], None]] = {
            "rate_limit": self.answer_rate_limit,
            "stall": self.stall,
            "cut": lambda: self.answer(200, b'{"id": 1, "na', length=5000),
            "garbage": lambda: self.answer(200, b"<html>We are down for maintenance</html>"),
        }
        if isinstance(kind, int):
            self.answer_json(kind, {"message": "Server Error" if kind >= 500 else "Refused"})
        else:
            handlers_by_kind[kind]()
        self.close_connection = True

    def answer_rate_limit(self) -> None:
        headers = {"X-RateLimit-Limit": "60", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "4102444800"}
        self.answer_json(403, {"message": "API rate limit exceeded for 127.0.0.1."}, headers)

    def stall(self) -> None:
        self.server.state.released.wait(MAX_STALL_SECONDS)

    def answer_from_proxy(self) -> bool:
        state = self.server.state
        if self.answer_issues():
            return True
        if state.hidden and self.plain_path.startswith("/repos/"):
            self.answer_json(404, {"message": "Not Found"})
            return True
        if self.command == "GET" and (match := LICENSE.match(self.plain_path)):
            self.answer_license(state.licenses.get(match[1].lower()))
            return True
        if match := REPOSITORY.match(self.plain_path):
            target = state.moved.get(match[1].lower())
            if target:
                self.answer_json(301, {"url": target}, {"Location": f"{self.server.url}/repos/{target}"})
                return True
        return self.answer_repository_issues() or self.answer_bytes() or self.answer_user_repositories()

    def answer_user_repositories(self) -> bool:
        """Answer with a page of the repositories that a person's token can read."""
        access = self.server.state.user_access
        login = access.logins.get(self.headers.get("Authorization", "").partition(" ")[2])
        if login is None or self.plain_path != "/user/repos":
            return False
        query = dict(parse_qsl(urlsplit(self.path).query))
        page = int(query.get("page", "1"))
        size = int(query.get("per_page", "30"))
        names = access.readable.get(login, [])
        rows = [
            self.request_upstream(f"/repos/{name}", OWNER_TOKEN)[1] for name in names[(page - 1) * size : page * size]
        ]
        next_page = f"{self.server.url}/user/repos?per_page={size}&page={page + 1}"
        self.answer_tagged(200, rows, {"Link": f'<{next_page}>; rel="next"'} if names[page * size :] else {})
        return True

    def answer_issues(self) -> bool:
        """Answer for the issues of a repository that has a tracker."""
        match = REPOSITORY_PATH.match(self.plain_path)
        tracker = self.server.state.trackers.get(match[1].lower()) if match else None
        if tracker is None or match is None:
            return False
        if self.command == "POST" and tracker.redeliver(match[2]):
            self.answer_json(202, {})
            return True
        if tracker.private and "Authorization" not in self.headers:
            self.answer_json(404, {"message": "Not Found"})
            return True
        query = dict(parse_qsl(urlsplit(self.path).query))
        tracker_response = tracker.answer(match[2], query) if self.command == "GET" else None
        if tracker_response is not None:
            next_page = tracker.build_next_page_query(match[2], query, tracker_response[1])
            address = f"{self.server.url}{self.plain_path}?{urlencode(next_page)}"
            self.answer_tagged(*tracker_response, {"Link": f'<{address}>; rel="next"'} if next_page else {})
        return tracker_response is not None

    def answer_repository_issues(self) -> bool:
        """Answer with the comments or events of all issues, because the emulator lists them per issue only."""
        match = ISSUE_LISTS.match(self.plain_path)
        if match is None or self.command != "GET":
            return False
        status, issues = self.request_upstream(f"/repos/{match[1]}/issues?state=all&per_page=100")
        if status != 200:
            return False
        rows = []
        for issue in issues:
            issue_rows = self.request_upstream(f"/repos/{match[1]}/issues/{issue['number']}/{match[2]}?per_page=100")[1]
            rows += [row | {"issue": issue} if match[2] == "events" else row for row in issue_rows]
        query = dict(parse_qsl(urlsplit(self.path).query))
        rows = [row for row in rows if row.get("updated_at", "9") >= query.get("since", "")]
        first = (int(query.get("page", "1")) - 1) * int(query.get("per_page", "30"))
        rows.sort(key=lambda row: row["id"], reverse=match[2] == "events")
        self.answer_tagged(200, rows[first : first + int(query.get("per_page", "30"))])
        return True

    def request_upstream(self, path: str, token: str = "") -> tuple[int, Any]:
        connection = http.client.HTTPConnection("127.0.0.1", self.server.state.upstream, timeout=MAX_STALL_SECONDS)
        request_headers = {"Authorization": self.headers["Authorization"]} if "Authorization" in self.headers else {}
        request_headers |= {"Authorization": f"token {token}"} if token else {}
        try:
            connection.request("GET", path, headers=request_headers)
            response = connection.getresponse()
            return response.status, json.loads(response.read())
        finally:
            connection.close()

    def answer_tagged(self, status: int, value: Any, more: dict[str, str] | None = None) -> None:
        """Answer with an ETag, and with 304 if the client has the same body."""
        body = json.dumps(value).encode()
        tag = f'W/"{hashlib.sha256(body).hexdigest()}"'
        is_unchanged = status == 200 and self.headers.get("If-None-Match") == tag
        headers = {"Content-Type": "application/json", "ETag": tag} | (more or {})
        self.answer(304 if is_unchanged else status, b"" if is_unchanged else body, headers)

    def answer_license(self, spdx: str | None) -> None:
        if spdx is None:
            self.answer_json(404, {"message": "Not Found"})
        else:
            self.answer_json(200, {"name": "LICENSE", "path": "LICENSE", "license": build_license(spdx)})

    def answer_bytes(self) -> bool:
        state = self.server.state
        content: bytes | None = None
        if match := DOWNLOAD.match(self.plain_path):
            of = match[1].lower()
            tag = match[2]
            file = match[3]
            matching_downloads = (data for key, data in state.downloads.items() if (key[0], key[2]) == (of, file))
            content = state.downloads.get((of, tag, file)) if tag else next(matching_downloads, None)
            content = None if self.is_hidden(match[1]) else content
        elif (match := ASSET.match(self.plain_path)) and "octet-stream" in self.headers.get("Accept", ""):
            repository = "/".join(self.plain_path.split("/")[2:4])
            content = (
                None
                if self.is_hidden(repository, self.headers.get("Authorization", ""))
                else state.assets.get(match[1])
            )
        if content is not None:
            self.answer(200, content, {"Content-Type": "application/octet-stream"})
        return content is not None

    def is_hidden(self, full_name: str, authorization: str = "") -> bool:
        """Return whether a repository is private and the token belongs to no one who can read it."""
        access = self.server.state.user_access
        login = access.logins.get(authorization.partition(" ")[2], "")
        is_private = bool(self.request_upstream(f"/repos/{full_name}", OWNER_TOKEN)[1].get("private"))
        return is_private and full_name not in access.readable.get(login, [])

    def forward(self) -> None:
        """Answer with the emulator's response and add what it lacks."""
        upstream = http.client.HTTPConnection("127.0.0.1", self.server.state.upstream, timeout=MAX_STALL_SECONDS)
        headers = {k: v for k, v in self.headers.items() if k.lower() not in HOP_BY_HOP | {"if-none-match"}}
        if headers.get("Authorization", "").partition(" ")[2] in self.server.state.apps.issued_tokens:
            del headers["Authorization"]  # the emulator has no Apps; public data needs no token
        if (token := headers.get("Authorization", "").partition(" ")[2]) in self.server.state.user_access.logins:
            upstream_token = self.server.state.user_access.translate_token(token, self.plain_path, OWNER_TOKEN)
            headers |= {"Authorization": f"token {upstream_token}"} if upstream_token else {}
            headers = headers if upstream_token else {k: v for k, v in headers.items() if k != "Authorization"}
        query = urlsplit(self.path).query
        try:
            upstream.request(self.command, self.plain_path + (f"?{query}" if query else ""), self.sent, headers)
            response = upstream.getresponse()
            body = response.read()
        except OSError:
            self.answer_json(502, {"message": "The emulator doesn't answer"})
            return
        finally:
            upstream.close()
        kept_headers = {k: v for k, v in response.getheaders() if k.lower() not in HOP_BY_HOP}
        self.complete_response(response.status, body, kept_headers)

    def complete_response(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        if status in {401, 403} and self.plain_path.startswith("/repos/"):
            self.answer_json(404, {"message": "Not Found"})  # GitHub hides what the client may not see
            return
        if status == 200 and self.plain_path == "/login/oauth/access_token":
            body = self.grant_access(body)
            headers["content-type"] = "application/json"
        match = REPOSITORY.match(self.plain_path)
        if status == 200 and match and self.command == "GET":
            body = self.add_license(match[1].lower(), body)
        if status == 200 and self.command == "GET" and "json" in headers.get("content-type", ""):
            tag = f'W/"{hashlib.sha256(body).hexdigest()}"'
            headers["ETag"] = tag
            if self.headers.get("If-None-Match") == tag:
                status = 304
                body = b""
        self.answer(status, body, headers)

    def grant_access(self, body: bytes) -> bytes:
        """Return tokens of the App instead of the emulator's."""
        token = parse_token(body)
        if not token:
            return body
        login = self.request_upstream("/user", token)[1]["login"]
        self.server.state.user_access.accounts[login] = token
        return json.dumps(self.server.state.user_access.issue_tokens(login)).encode()

    def add_license(self, name: str, body: bytes) -> bytes:
        spdx = self.server.state.licenses.get(name)
        repository = json.loads(body) | {"license": build_license(spdx) if spdx else None}
        return json.dumps(repository | self.server.state.extra.get(name, {})).encode()

    def answer_json(self, status: int, value: Any, headers: dict[str, str] | None = None) -> None:
        self.answer(status, json.dumps(value).encode(), {"Content-Type": "application/json"} | (headers or {}))

    def answer(
        self, status: int, body: bytes, headers: dict[str, str] | None = None, length: int | None = None
    ) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        if status != 304:
            self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        if self.command != "HEAD" and status != 304:
            self.wfile.write(body)


def parse_token(body: bytes) -> str:
    """Return the token of an OAuth response, which is JSON or form-encoded."""
    try:
        return str(json.loads(body).get("access_token", ""))
    except ValueError:
        return parse_qs(body.decode()).get("access_token", [""])[0]


class Proxy(ThreadingHTTPServer):
    """Proxy on a free loopback port."""

    daemon_threads = True
    block_on_close = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.state = State()
        self.url = f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, *_: Any) -> None:
        """Ignore clients that close the connection, as some tests do."""
