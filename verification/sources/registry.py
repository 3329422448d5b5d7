"""What does the provider registry say? A small client of its v1 API."""

import json
import time
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import quote

import requests
from django.conf import settings

from verification.base import Denied, NotFound, Unavailable, Unreadable
from verification.sources.github import text

TIMEOUT = 10  # seconds to connect, and between two parts of an answer
DEADLINE = 20  # seconds for the whole answer
MAX_BYTES = 5 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Listing:
    """A provider as the registry lists it. `source` is the repository's address."""

    full_name: str
    tier: str
    version: str
    source: str
    published_at: datetime | None
    downloads: int


class Registry:
    """A client for one run. The base address comes from the settings unless given."""

    def __init__(self, base_url: str = "") -> None:
        self.base_url = (base_url or settings.REGISTRY_URL).rstrip("/")
        self._known: dict[str, Listing | Unreadable] = {}

    def provider(self, namespace: str, name: str) -> Listing:
        """The provider NAMESPACE/NAME. Raises Unreadable."""
        wanted = f"{namespace}/{name}"
        if wanted not in self._known:
            try:
                self._known[wanted] = self._read(namespace, name)
            except Unreadable as refusal:
                self._known[wanted] = refusal
        answer = self._known[wanted]
        if isinstance(answer, Unreadable):
            raise answer
        return answer

    def page_of(self, namespace: str, name: str) -> str:
        """Where people see the provider."""
        return f"{self.base_url}/providers/{quote(namespace)}/{quote(name)}/latest"

    def _read(self, namespace: str, name: str) -> Listing:
        address = f"{self.base_url}/v1/providers/{quote(namespace, safe='')}/{quote(name, safe='')}"
        try:
            return _listing(json.loads(_fetch(address, f"{namespace}/{name}")))
        except (requests.RequestException, OSError) as error:
            raise Unavailable("The registry did not answer, so the provider was not read.") from error
        except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
            raise Unavailable("The registry described the provider in a way that we do not understand.") from error


def _fetch(address: str, wanted: str) -> bytes:
    """The body, within the limits of size and time. Raises Unreadable and requests' exceptions."""
    until = time.monotonic() + DEADLINE
    headers = {"Accept": "application/json", "User-Agent": "partner-portal"}
    with requests.get(address, timeout=TIMEOUT, stream=True, allow_redirects=False, headers=headers) as response:
        if response.status_code == 404:
            raise NotFound(f"The registry does not list {wanted}.")
        if response.status_code in {401, 403}:
            raise Denied(f"The registry does not let the portal read {wanted}.")
        if response.status_code != 200:
            raise Unavailable(f"The registry answered {response.status_code}, so {wanted} was not read.")
        body = bytearray()
        for part in response.iter_content(65536):
            body += part
            if len(body) > MAX_BYTES or time.monotonic() > until:
                raise Unavailable(f"The registry's answer about {wanted} was too long or too slow.")
        return bytes(body)


def _listing(raw: dict[str, Any]) -> Listing:
    published = text(raw.get("published_at"))
    downloads = raw.get("downloads")
    return Listing(
        full_name=f"{text(raw['namespace'])}/{text(raw['name'])}",
        tier=text(raw.get("tier")),
        version=text(raw["version"]),
        source=text(raw["source"]),
        published_at=datetime.fromisoformat(published) if published else None,
        downloads=downloads if isinstance(downloads, int) else 0,
    )
