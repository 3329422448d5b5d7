"""Client for Terraform's registry protocol: discovery, versions, and packages, as returned.

Nothing is evaluated here: a response keeps its status, so that verification.releases can predict Terraform's decision,
and a refused request or an outage keeps its message.
"""

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import BinaryIO, TypeVar, cast
from urllib.parse import quote, urljoin, urlsplit

from verification.sources.errors import RequestRefusedError, SourceError
from verification.sources.http.client import (
    ARCHIVE,
    JSON,
    OutboundClient,
    ResponseKind,
    SourceResponse,
)
from verification.sources.http.transport import RequestDeadline
from verification.terraform.go_json import JsonReadError, decode_json

T = TypeVar("T")
MAX_MEMORY_BYTES = 8 * 1024 * 1024
DISCOVERY_PATH = "/.well-known/terraform.json"
DEFAULT_PROVIDERS_PATH = "/v1/providers/"
MISSING_STATUSES = (404, 410)


@dataclass(frozen=True, slots=True)
class RegistryReply:
    """Outcome of one request. Without a `response`, `refusal` holds the reason.

    `is_own`: the address belongs to the registry and was not chosen by a publisher.
    """

    address: str
    response: SourceResponse | None = None
    refusal: SourceError | None = None
    is_own: bool = False

    @property
    def ok(self) -> bool:
        return self.response is not None and self.response.status == 200

    @property
    def status(self) -> int:
        return self.response.status if self.response else 0

    @property
    def body(self) -> bytes:
        return self.response.body if self.response and self.ok else b""

    @property
    def sha256(self) -> str:
        return self.response.sha256 if self.response and self.ok else ""

    @property
    def host(self) -> str:
        """Return the host that responded, with its port unless it is the default."""
        return self.response.link.netloc if self.response else urlsplit(self.address).netloc

    @property
    def is_inconclusive(self) -> bool:
        """Return whether the reply is inconclusive: an outage, a rate limit, or a refusal by the registry itself."""
        # No publisher causes another reply of the registry itself, such as 403 or a name that the network forbids.
        if self.is_own:
            return not (self.ok or self.is_missing)
        has_no_response = self.response is None and not isinstance(self.refusal, RequestRefusedError)
        return has_no_response or self.status == 429 or self.status >= 500

    @property
    def is_missing(self) -> bool:
        """Return whether the server doesn't have what was requested."""
        return self.status in MISSING_STATUSES

    @property
    def error(self) -> str:
        """Return why there is no content, blank if there is some."""
        if self.ok:
            return ""
        if self.response is None:
            return str(self.refusal)
        return f"{self.host} returned {self.response.status_line} for {self.address.rpartition('/')[2] or self.host}."

    def resolve(self, address: str) -> str:
        """Return the absolute form of a URL from this reply. An invalid one is unchanged; its request is refused."""
        try:
            return urljoin(str(self.response.link) if self.response else self.address, address)
        except ValueError:
            return address


@dataclass
class RegistryProtocol:
    """Client for one registry. `base_url` is its root; each address is requested once.

    `seconds` limits all requests together, counted from the first, so that many slow archives cannot exceed it. With 0,
    only the timeout of each request applies.
    """

    base_url: str
    outbound: OutboundClient
    seconds: float = 0
    _replies: dict[str, RegistryReply] = field(default_factory=dict)
    _deadline: RequestDeadline | None = None

    @property
    def host(self) -> str:
        return urlsplit(self.base_url).netloc

    def get_versions(self, namespace: str, name: str) -> RegistryReply:
        return self._request_own(f"{self._providers_url}{_quote_part(namespace)}/{_quote_part(name)}/versions")

    def get_package(self, namespace: str, name: str, version: str, os: str, arch: str) -> RegistryReply:
        parts = "/".join(map(_quote_part, (namespace, name, version, "download", os, arch)))
        return self._request_own(f"{self._providers_url}{parts}")

    def _request_own(self, address: str) -> RegistryReply:
        # Publishers choose all other addresses, so only these show that our network forbids the registry itself.
        return replace(self.request(address, JSON), is_own=True)

    def download_archive(self, address: str, inspect: Callable[[BinaryIO, int], T]) -> tuple[RegistryReply, T | None]:
        """Download an archive to a temporary file. Return the reply and the result of `inspect`, None on failure."""
        with cast(BinaryIO, tempfile.SpooledTemporaryFile(max_size=MAX_MEMORY_BYTES)) as file:
            # Unlike other replies, an archive isn't cached, because it can be 500 MB.
            reply = self._send_request(address, ARCHIVE, file)
            return reply, inspect(file, reply.response.size) if reply.response and reply.ok else None

    def request(self, address: str, kind: ResponseKind) -> RegistryReply:
        if address not in self._replies:
            self._replies[address] = self._send_request(address, kind)
        return self._replies[address]

    def _send_request(self, address: str, kind: ResponseKind, into: BinaryIO | None = None) -> RegistryReply:
        try:
            return RegistryReply(address, self.outbound.request(address, self._limit_time(kind), into=into))
        except SourceError as refusal:
            return RegistryReply(address, refusal=refusal)

    def _limit_time(self, kind: ResponseKind) -> ResponseKind:
        """Return the response kind with its timeout limited to the remaining time. Raises if no time remains."""
        if not self.seconds:
            return kind
        # From the first request on, because the client can be built long before it is used.
        if self._deadline is None:
            self._deadline = RequestDeadline(self.seconds)
        return replace(kind, seconds=min(kind.seconds, self._deadline.get_remaining_seconds()))

    @cached_property
    def _providers_url(self) -> str:
        """Return the providers URL from the discovery document, or the default."""
        root = self.base_url.rstrip("/")
        reply = self.request(root + DISCOVERY_PATH, JSON)
        # The URL can be relative to the document (Terraform, Remote Service Discovery).
        base = reply.resolve(_parse_discovery(reply.body)) if reply.ok else root + DEFAULT_PROVIDERS_PATH
        return base.rstrip("/") + "/"


def _parse_discovery(body: bytes) -> str:
    try:
        document = decode_json(body)
    except JsonReadError:
        return DEFAULT_PROVIDERS_PATH
    providers_url = document.get("providers.v1") if isinstance(document, dict) else None
    return providers_url if isinstance(providers_url, str) and providers_url else DEFAULT_PROVIDERS_PATH


def _quote_part(text: str) -> str:
    # Go leaves the plus sign of build metadata in a path as it is.
    return quote(text, safe="+~")
