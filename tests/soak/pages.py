"""Signed-in client that requests pages at a fixed rate and records every status other than 200."""

import re
import threading
import time
from collections.abc import Mapping
from http.client import HTTPException
from http.cookiejar import CookieJar
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, Request, build_opener

from portal.demo.content import SIGN_INS

PER_SECOND = 5
TIMEOUT_SECONDS = 60
PATHS = (
    "/",
    "/integrations/",
    "/directory/",
    "/status/",
    "/notifications/",
    "/help/glossary/",
    "/healthz",
    "/accounts/email/",
)
TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')


class PageReader:
    """Browser of one user."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.opener = build_opener(HTTPCookieProcessor(CookieJar()))
        self.milliseconds: list[float] = []
        self.failures: list[tuple[str, str]] = []
        self.paths = PATHS

    @property
    def count(self) -> int:
        return len(self.milliseconds)

    def sign_in(self) -> None:
        """Sign in as the first user of the demo world. Raises RuntimeError if that fails."""
        email, password, *_ = SIGN_INS[0]
        token = TOKEN.search(self.fetch_text("/accounts/login/"))
        if token is None:
            raise RuntimeError("the sign-in page holds no form")
        self._ask("/accounts/login/", {"login": email, "password": password, "csrfmiddlewaretoken": token[1]})
        if "/accounts/logout/" not in self.fetch_text("/"):
            raise RuntimeError("the sign-in did not work")

    def run(self, stop: threading.Event) -> None:
        """Request one page after the other until stopped."""
        number = 0
        begin = time.monotonic()
        while not stop.wait(max(0.0, begin + number / PER_SECOND - time.monotonic())):
            path = self.paths[number % len(self.paths)]
            number += 1
            asked_at = time.monotonic()
            try:
                status = self._ask(path)[0]
                if status != 200:
                    self.failures.append((path, str(status)))
            except (OSError, HTTPException) as problem:
                self.failures.append((path, repr(problem)))
            self.milliseconds.append((time.monotonic() - asked_at) * 1000)

    def fetch_status(self, path: str) -> int:
        """Return the status of a URL, or 0 without an answer."""
        try:
            return self._ask(path)[0]
        except (OSError, HTTPException):
            return 0

    def fetch_text(self, path: str) -> str:
        return self._ask(path)[1]

    def _ask(self, path: str, form: Mapping[str, str] | None = None) -> tuple[int, str]:
        data = urlencode(form).encode() if form else None
        request = Request(self.url + path, data=data, headers={"Referer": self.url + path})
        try:
            with self.opener.open(request, timeout=TIMEOUT_SECONDS) as answer:
                return answer.status, answer.read().decode(errors="replace")
        except HTTPError as refusal:
            with refusal:
                return refusal.code, refusal.read().decode(errors="replace")

    def percentiles(self) -> list[int]:
        """Return the median, the 99th percentile, and the maximum in milliseconds."""
        sorted_milliseconds = sorted(self.milliseconds)
        return (
            [round(sorted_milliseconds[int((len(sorted_milliseconds) - 1) * part)]) for part in (0.5, 0.99, 1.0)]
            if sorted_milliseconds
            else []
        )
