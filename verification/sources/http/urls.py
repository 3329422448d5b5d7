"""Which host does an address name? One strict parser; what it does not understand is not asked. Standard library only.

Browsers, resolvers and libraries read odd spellings differently, so that one of them checks a host and another one
dials a second. Here only the plain form passes: a scheme, a host name in plain letters, a path.
"""

import re
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address
from urllib.parse import quote, urljoin

from verification.sources.errors import Refused
from verification.sources.http.address_policy import forbidden, is_loopback, parse

MAX_LENGTH = 2048
PORTS = frozenset({443, 8443})
DEFAULT_PORT = {"https": 443, "http": 80}
LINK = re.compile(
    r"(?P<scheme>https?)://(?P<host>\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9.-]{1,253})(?::(?P<port>[1-9][0-9]{0,4}))?"
    r"(?P<target>(?:/[A-Za-z0-9._~!$&'()*+,;=:@%/-]*)?(?:\?[A-Za-z0-9._~!$&'()*+,;=:@%/?\[\]|-]*)?)",
    re.IGNORECASE,
)
LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
TOP = re.compile(r"[a-z]{2,63}|xn--[a-z0-9-]{1,59}")
PRIVATE_TOP = re.compile(
    "local|localhost|localdomain|internal|intranet|private|corp|home|lan|onion|alt|arpa|test|example|invalid"
)
PLAIN = "https://host.example/path"


@dataclass(frozen=True, slots=True)
class Link:
    """An address taken apart. `host` in small letters, without brackets; `target` is path and query."""

    scheme: str
    host: str
    port: int
    target: str

    @property
    def netloc(self) -> str:
        """The host as the Host header writes it."""
        name = f"[{self.host}]" if ":" in self.host else self.host
        return name if self.port == DEFAULT_PORT[self.scheme] else f"{name}:{self.port}"

    def __str__(self) -> str:
        return f"{self.scheme}://{self.netloc}{self.target}"

    @property
    def literal(self) -> IPv4Address | IPv6Address | None:
        return parse(self.host)


def read(text: str, *, loopback: bool = False) -> Link:
    """The link that the text is. Raises Refused with a sentence; no request is made and no name resolved.

    `loopback` lets plain http and every port pass for this machine's own addresses, for development only.
    """
    if len(text) > MAX_LENGTH:
        raise Refused(f"The address is longer than {MAX_LENGTH} characters.")
    address, _, _ = text.partition("#")
    found = LINK.fullmatch(address) if address.isascii() else None
    if found is None:
        raise Refused(f"{shown(text)} is not of the form {PLAIN}, in plain letters and without a user name.")
    scheme, host = found["scheme"].lower(), found["host"].lower().strip("[]")
    link = Link(scheme, host, int(found["port"] or DEFAULT_PORT[scheme]), _target(found["target"]))
    if not (loopback and _is_this_machine(host)):
        _public(link)
    return link


def follow(link: Link, location: str, *, loopback: bool = False) -> Link:
    """The link that a redirect names, judged anew. Raises Refused."""
    if not location.isascii() or not location.isprintable() or "\\" in location or " " in location:
        raise Refused(f"{link.netloc} redirects to {shown(location)}, which is no plain address.")
    target = read(urljoin(str(link), location), loopback=loopback)
    if link.scheme == "https" and target.scheme != "https":
        raise Refused(f"{link.netloc} redirects from https to http.")
    return target


def shown(text: str) -> str:
    """An address that others wrote, safe to print and not long."""
    return quote(text[:120], safe="/:?#[]@!$&'()*+,;=%-._~") + ("…" if len(text) > 120 else "")


def _target(target: str) -> str:
    return target if target.startswith("/") else f"/{target}"


def _is_this_machine(host: str) -> bool:
    literal = parse(host)
    return host == "localhost" or (literal is not None and is_loopback(literal))


def _public(link: Link) -> None:
    """Raises Refused unless the link could lead to a public host over https."""
    literal = link.literal
    if literal is not None:
        what = forbidden(literal)
        raise Refused(f"{link.host} is {what or 'a number'}; name a public host instead.")
    labels = link.host.split(".")
    if len(labels) < 2 or not all(LABEL.fullmatch(label) for label in labels) or not TOP.fullmatch(labels[-1]):
        raise Refused(f"{link.host} is not the name of a public host.")
    if PRIVATE_TOP.fullmatch(labels[-1]):
        raise Refused(f"{link.host} is a name for private networks; name a public host instead.")
    if link.scheme != "https":
        raise Refused(f"The address of {link.host} begins with http; only https is read.")
    if link.port not in PORTS:
        raise Refused(f"Port {link.port} of {link.host} is not read; use 443.")
