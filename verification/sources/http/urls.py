"""Strict URL parser. The portal doesn't request a URL that it can't parse. Standard library only.

Browsers, resolvers, and libraries interpret unusual URLs differently, so one could check a host and another connect to
a different one. Only the plain form is accepted: a scheme, an ASCII host name, and a path.
"""

import re
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address
from urllib.parse import quote, unquote, urljoin, urlsplit

from verification.sources.errors import RequestRefusedError
from verification.sources.http.address_policy import describe_forbidden_address, is_loopback, parse_ip_address

MAX_URL_LENGTH = 2048
PORTS = frozenset({443, 8443})
MAX_PORT = 65535
DEFAULT_PORTS = {"https": 443, "http": 80}
URL_PATTERN = re.compile(
    r"(?P<scheme>https?)://(?P<host>\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9.-]{1,253})(?::(?P<port>[1-9][0-9]{0,4}))?"
    r"(?P<target>(?:/[A-Za-z0-9._~!$&'()*+,;=:@%/-]*)?(?:\?[A-Za-z0-9._~!$&'()*+,;=:@%/?\[\]|-]*)?)",
    re.IGNORECASE,
)
LABEL_PATTERN = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
# No digits: resolvers read 127.1 and 0x7f.1 as addresses.
TOP_LEVEL_PATTERN = re.compile(r"[a-z]{2,63}|xn--[a-z0-9-]{1,59}")
# Special-use names (RFC 6761, RFC 6762, RFC 7686, RFC 9476), and names that are common in private networks.
PRIVATE_TOP_LEVEL_PATTERN = re.compile(
    "local|localhost|localdomain|internal|intranet|private|corp|home|lan|onion|alt|arpa|test|example|invalid"
)
URL_EXAMPLE = "https://host.example/path"


@dataclass(frozen=True, slots=True)
class ParsedUrl:
    """Parts of a URL. `host` is in lowercase without brackets. `target` is the path and the query."""

    scheme: str
    host: str
    port: int
    target: str

    @property
    def netloc(self) -> str:
        """The host as the Host header writes it."""
        name = f"[{self.host}]" if ":" in self.host else self.host
        return name if self.port == DEFAULT_PORTS[self.scheme] else f"{name}:{self.port}"

    def __str__(self) -> str:
        return f"{self.scheme}://{self.netloc}{self.target}"

    @property
    def literal(self) -> IPv4Address | IPv6Address | None:
        return parse_ip_address(self.host)


def parse_url(text: str, *, loopback: bool = False) -> ParsedUrl:
    """Parse a URL without a request or DNS resolution. Raises RequestRefusedError.

    `loopback` allows plain http and every port for loopback addresses, for development only.
    """
    if len(text) > MAX_URL_LENGTH:
        raise RequestRefusedError(f"The URL is longer than {MAX_URL_LENGTH} characters.")
    # A fragment is never sent.
    address, _, _ = text.partition("#")
    match = URL_PATTERN.fullmatch(address) if address.isascii() else None
    if match is None or int(match["port"] or 0) > MAX_PORT:
        raise RequestRefusedError(
            f"{format_untrusted_url(text)} is not a valid URL. Use the format {URL_EXAMPLE}, without a username."
        )
    scheme = match["scheme"].lower()
    host = match["host"].lower().strip("[]")
    target = match["target"] if match["target"].startswith("/") else f"/{match['target']}"
    link = ParsedUrl(scheme, host, int(match["port"] or DEFAULT_PORTS[scheme]), target)
    if not (loopback and is_this_machine(host)):
        _require_public(link)
    return link


def follow_redirect(link: ParsedUrl, location: str, *, loopback: bool = False) -> ParsedUrl:
    """Return the URL of a redirect after checking it like the first. Raises RequestRefusedError."""
    # Parsers disagree about these characters: some read a backslash as a slash, and urljoin() removes line breaks.
    if not location.isascii() or not location.isprintable() or "\\" in location or " " in location:
        raise RequestRefusedError(f"{link.netloc} redirects to an invalid URL: {format_untrusted_url(location)}.")
    try:
        address = urljoin(str(link), location)
    except ValueError:
        address = location  # parse_url() refuses it with a message
    target = parse_url(address, loopback=loopback)
    if link.scheme == "https" and target.scheme != "https":
        raise RequestRefusedError(f"{link.netloc} redirects from https to http.")
    return target


def get_file_name(address: str) -> str:
    """Return the decoded last part of the path of any URL, blank for an invalid URL."""
    try:
        return unquote(urlsplit(address).path.rpartition("/")[2])
    except ValueError:
        return ""


def format_untrusted_url(text: str) -> str:
    """Return an untrusted URL, escaped and truncated for display."""
    quoted = quote(text[:120], safe="/:?#[]@!$&'()*+,;=%-._~", errors="replace")  # a lone surrogate has no UTF-8
    return quoted + ("…" if len(text) > 120 else "")


def is_this_machine(host: str) -> bool:
    """Return whether a host is localhost or a loopback address."""
    literal = parse_ip_address(host)
    return host == "localhost" or (literal is not None and is_loopback(literal))


def _require_public(link: ParsedUrl) -> None:
    """Raise RequestRefusedError unless the URL is https with a public host name and an allowed port."""
    literal = link.literal
    if literal is not None:
        description = describe_forbidden_address(literal)
        raise RequestRefusedError(f"{link.host} is {description or 'a number'}. Use a public host.")
    labels = link.host.split(".")
    has_labels = len(labels) > 1 and all(map(LABEL_PATTERN.fullmatch, labels))
    if not has_labels or not TOP_LEVEL_PATTERN.fullmatch(labels[-1]):
        raise RequestRefusedError(f"{link.host} is not a public host name.")
    if PRIVATE_TOP_LEVEL_PATTERN.fullmatch(labels[-1]):
        raise RequestRefusedError(f"{link.host} is reserved for private networks. Use a public host.")
    if link.scheme != "https":
        raise RequestRefusedError(f"The URL of {link.host} uses http. Use https.")
    if link.port not in PORTS:
        raise RequestRefusedError(f"Port {link.port} of {link.host} is not allowed. Use port 443.")
