"""What does a registry answer to Terraform's own questions? Discovery, versions and packages, as they came.

Nothing is judged here: an answer keeps its status, so that verification.releases can say what Terraform would make of
it, and a refusal of ours or an outage keeps its sentence.
"""

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import BinaryIO, TypeVar, cast
from urllib.parse import quote, urljoin, urlsplit

from verification.sources.errors import Refused, Unreadable
from verification.sources.http.client import ARCHIVE, JSON, SIGNATURE, SUMS, Answer, Forbidden, Kind, Outbound
from verification.sources.http.transport import Deadline
from verification.terraform.go_json import Misread, read

T = TypeVar("T")
IN_MEMORY = 8 * 1024 * 1024
DISCOVERY = "/.well-known/terraform.json"
FALLBACK = "/v1/providers/"


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of one question. `answer` is None where there was none; `refusal` then says why.

    `own`: the address is the registry's, which no publisher chose.
    """

    address: str
    answer: Answer | None = None
    refusal: Unreadable | None = None
    own: bool = False

    @property
    def ok(self) -> bool:
        return self.answer is not None and self.answer.status == 200

    @property
    def status(self) -> int:
        return self.answer.status if self.answer else 0

    @property
    def body(self) -> bytes:
        return self.answer.body if self.answer and self.ok else b""

    @property
    def place(self) -> str:
        """The host that answered, with its port where it is not the usual one."""
        return self.answer.link.netloc if self.answer else urlsplit(self.address).netloc

    @property
    def ours(self) -> bool:
        """Whether nothing was learned: an outage, an answer that says to come back later, a registry not let in."""
        silent = self.answer is None and (not isinstance(self.refusal, Refused) or self._is_shut_out)
        return silent or self.status == 429 or self.status >= 500

    @property
    def _is_shut_out(self) -> bool:
        """Whether the registry itself stands, by its name, where no request may go: a network's doing."""
        return self.own and isinstance(self.refusal, Forbidden)

    @property
    def trouble(self) -> str:
        """Why there is nothing to read, as a sentence; blank where there is."""
        if self.ok:
            return ""
        if self.answer is None:
            return str(self.refusal)
        return f"{self.place} answered {self.answer.status_line} for {self.address.rpartition('/')[2] or self.place}."

    def resolve(self, address: str) -> str:
        """An address that stands in this answer, made whole."""
        return urljoin(str(self.answer.link) if self.answer else self.address, address)


@dataclass
class RegistryProtocol:
    """A client for one registry. `base_url` is its root; each address is asked once.

    `seconds` is for all questions together, from the first on: whoever reads forty slow archives is free again in
    time. 0: each has its own time and there is no other end.
    """

    base_url: str
    outbound: Outbound
    seconds: float = 0
    _known: dict[str, Reply] = field(default_factory=dict)
    _base: str = ""
    _deadline: Deadline | None = None

    @property
    def host(self) -> str:
        return urlsplit(self.base_url).netloc

    def versions(self, namespace: str, name: str) -> Reply:
        return self._own(f"{self._providers()}{_part(namespace)}/{_part(name)}/versions")

    def package(self, namespace: str, name: str, version: str, os: str, arch: str) -> Reply:
        parts = "/".join(map(_part, (namespace, name, version, "download", os, arch)))
        return self._own(f"{self._providers()}{parts}")

    def _own(self, address: str) -> Reply:
        return replace(self.ask(address, JSON), own=True)

    def sums(self, address: str) -> Reply:
        return self.ask(address, SUMS)

    def signature(self, address: str) -> Reply:
        return self.ask(address, SIGNATURE)

    def document(self, address: str) -> Reply:
        return self.ask(address, JSON)

    def archive(self, address: str, look: Callable[[BinaryIO, int], T]) -> tuple[Reply, T | None]:
        """The archive in a file without a name, gone when it was looked at; (reply, what `look` made of it)."""
        with cast(BinaryIO, tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)) as file:
            reply = self._asked(address, ARCHIVE, file)
            return reply, look(file, reply.answer.size) if reply.answer and reply.ok else None

    def ask(self, address: str, kind: Kind) -> Reply:
        if address not in self._known:
            self._known[address] = self._asked(address, kind)
        return self._known[address]

    def _asked(self, address: str, kind: Kind, into: BinaryIO | None = None) -> Reply:
        try:
            return Reply(address, self.outbound.ask(address, self._hurried(kind), into=into))
        except Unreadable as refusal:
            return Reply(address, refusal=refusal)

    def _hurried(self, kind: Kind) -> Kind:
        """The kind with no more time than there is. Raises TooSlow where there is none."""
        if not self.seconds:
            return kind
        if self._deadline is None:
            self._deadline = Deadline(self.seconds)
        return replace(kind, seconds=min(kind.seconds, self._deadline.left()))

    def _providers(self) -> str:
        """Where providers are asked for: what the discovery document says, else the usual place."""
        if not self._base:
            reply = self.ask(self.base_url.rstrip("/") + DISCOVERY, JSON)
            self._base = reply.resolve(_discovered(reply.body)) if reply.ok else self.base_url.rstrip("/") + FALLBACK
            self._base = self._base.rstrip("/") + "/"
        return self._base


def _discovered(body: bytes) -> str:
    try:
        said = read(body)
    except Misread:
        return FALLBACK
    found = said.get("providers.v1") if isinstance(said, dict) else None
    return found if isinstance(found, str) and found else FALLBACK


def _part(text: str) -> str:
    return quote(text, safe="+~")
