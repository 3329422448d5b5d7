"""What does an address answer to something that is posted to it? Through the same guard as everything that is read.

Public hosts only, https only, redirects are an answer like any other and are not followed. What comes back is cut, not
refused: whoever receives may answer at length.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from http.client import HTTPResponse, IncompleteRead

from verification.sources.http import urls
from verification.sources.http.client import AGENT, Broken, Outbound
from verification.sources.http.transport import HEADER_BYTES, Deadline, TooMuch, TooSlow


@dataclass(frozen=True, slots=True)
class Posted:
    """What came back: the status, the headers in small letters, the first bytes of the body, the seconds it took."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    seconds: float


def post(
    outbound: Outbound, address: str, body: bytes, headers: Mapping[str, str], *, seconds: float, most: int
) -> Posted:
    """Post `body` once. Raises Refused (before anything is sent) and Unavailable, each with a sentence."""
    deadline = Deadline(seconds)
    link = urls.read(address, loopback=outbound.loopback)
    ours = {"Host": link.netloc, "User-Agent": AGENT, "Accept-Encoding": "identity", "Connection": "close"}
    try:
        with outbound.talking(link, deadline) as connection:
            connection.request("POST", link.target, body=body, headers=ours | dict(headers))
            response = connection.getresponse()
            told = {name.lower(): value for name, value in response.getheaders()}
            connection.allow(most + HEADER_BYTES)
            return Posted(response.status, told, _beginning(response, most), deadline.gone())
    except TooMuch:
        raise Broken(f"{link.netloc} answered with longer headers than are read.") from None


def _beginning(response: HTTPResponse, most: int) -> bytes:
    """The first bytes of the body. The status has been heard: what breaks off after it changes nothing."""
    kept = b""
    try:
        while len(kept) < most and (chunk := response.read1(most - len(kept))):
            kept += chunk
    except (OSError, IncompleteRead, TooMuch, TooSlow):
        return kept
    return kept
