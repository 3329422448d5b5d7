"""What does a run task's endpoint answer to a request of ours? Through the outbound guard, and no redirect followed.

How it answers is what is looked at: when the head came, when and how the body ended. So nothing that an endpoint
does is an error here; it is told in the reply.
"""

import errno
import http.client
from collections.abc import Mapping
from dataclasses import dataclass

from verification.sources.errors import Refused, Unavailable
from verification.sources.http import urls
from verification.sources.http.client import Broken, Outbound
from verification.sources.http.transport import HEADER_BYTES, READ, Connection, Deadline, TooMuch, TooSlow

MOST_BODY = 64 * 1024
KEPT_HEADERS = ("content-type", "content-length", "location", "retry-after", "server")


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back. `status` 0: no answer at all. `head_seconds`: until its first line and headers were there.

    `ended`: whole, slow (its body was not over in time) or endless (its body was cut). With status 0: slow, broken,
    unreachable (nobody takes the connection), unresolved (its name, or no way there from here) or refused (by our own
    guard). `sentence`: that in words.
    """

    status: int = 0
    reason: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    head_seconds: float = 0
    seconds: float = 0
    ended: str = "whole"
    sentence: str = ""


def post(web: Outbound, address: str, body: bytes, headers: Mapping[str, str], *, seconds: float) -> Reply:
    """The reply within so many seconds. Raises nothing of the endpoint's."""
    deadline, connection = Deadline(seconds), None
    try:
        link = urls.read(address, loopback=web.loopback)
        with web.talking(link, deadline) as connection:
            ours = {"Host": link.netloc, "Accept": "*/*", "Accept-Encoding": "identity", "Connection": "close"}
            connection.request("POST", link.target, body=body, headers=ours | dict(headers))
            return _read(connection, deadline)
    except TooMuch:
        return _nothing(deadline, "broken", "The headers of the answer have no end.")
    except TooSlow as slow:
        return _nothing(deadline, _far(connection, slow) or "slow", str(slow))
    except Broken as broken:
        return _nothing(deadline, _far(connection, broken) or "broken", str(broken))
    except Unavailable as outage:
        return _nothing(deadline, "unresolved", str(outage))
    except Refused as refusal:
        return _nothing(deadline, "refused", str(refusal))


def _far(connection: Connection | None, why: Exception) -> str:
    """Why nobody was reached, blank where somebody was. A machine without a way there is no fault of the endpoint."""
    if connection is None or getattr(why.__cause__, "errno", None) == errno.ENETUNREACH:
        return "unresolved"
    return "" if connection.is_reached else "unreachable"


def _nothing(deadline: Deadline, ended: str, sentence: str) -> Reply:
    gone = deadline.gone()
    return Reply(ended=ended, sentence=sentence, head_seconds=gone, seconds=gone)


def _read(connection: Connection, deadline: Deadline) -> Reply:
    response = connection.getresponse()
    head_seconds = deadline.gone()
    told = {name.lower(): value[:500] for name, value in response.getheaders()}
    connection.allow(8 * MOST_BODY + HEADER_BYTES)
    body, ended, sentence = _body(response)
    kept = tuple((name, told[name]) for name in KEPT_HEADERS if name in told)
    gone = deadline.gone()
    return Reply(response.status, response.reason[:100], kept, body, head_seconds, gone, ended, sentence)


def _body(response: http.client.HTTPResponse) -> tuple[bytes, str, str]:
    """What came of the body, how it ended, and that in words."""
    body = b""
    try:
        while len(body) <= MOST_BODY:
            part = response.read1(READ)
            if not part:
                broke_off = bool(response.length)
                return body, "broken" if broke_off else "whole", "The body broke off." if broke_off else ""
            body += part
    except TooMuch:
        pass
    except (TooSlow, TimeoutError):
        return body, "slow", "The body was not over in time."
    except (OSError, http.client.HTTPException):
        return body, "broken", "The body broke off."
    return body[:MOST_BODY], "endless", f"The body is longer than {MOST_BODY // 1024} kB; we stopped reading."
