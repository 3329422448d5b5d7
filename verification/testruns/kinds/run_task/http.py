"""HTTP client for run task endpoints, with the outbound restrictions and without redirects.

The reply records when the headers arrived, and when and how the body ended. Nothing that an endpoint does is an error
here.
"""

import errno
import http.client
from collections.abc import Mapping

from verification.sources.errors import RequestRefusedError, SourceUnavailableError
from verification.sources.http import transport, urls
from verification.sources.http.client import BrokenConnectionError, OutboundClient
from verification.testruns.kinds.run_task.records import EndpointReply

# The API page expects an empty body, so this is enough to show what an endpoint says instead.
MAX_BODY_BYTES = 64 * 1024
ENDED_EARLY_MESSAGE = "The body ended early."
# Partners and reviewers read the records, and other headers, such as cookies, can be secrets of the endpoint.
STORED_HEADERS = ("content-type", "content-length", "location", "retry-after", "server")


def post(
    web: OutboundClient, address: str, body: bytes, headers: Mapping[str, str], *, timeout_seconds: float
) -> EndpointReply:
    """Return the reply. Raises nothing for errors of the endpoint."""
    deadline = transport.RequestDeadline(timeout_seconds)
    connection = None
    try:
        link = urls.parse_url(address, loopback=web.loopback)
        with web.open_connection(link, deadline) as connection:
            default_headers = {
                "Host": link.netloc,
                "Accept": "*/*",
                # http.client doesn't decompress, and the body is shown as text.
                "Accept-Encoding": "identity",
                "Connection": "close",
            }
            connection.request("POST", link.target, body=body, headers=default_headers | dict(headers))
            return _read_reply(connection, deadline)
    except transport.ByteLimitExceededError:
        return _build_empty_reply(deadline, "broken", "The response headers have no end.")
    except transport.DeadlineExceededError as slow:
        return _build_empty_reply(deadline, _explain_unreachable(connection, slow) or "slow", str(slow))
    except BrokenConnectionError as error:
        return _build_empty_reply(deadline, _explain_unreachable(connection, error) or "broken", str(error))
    except SourceUnavailableError as outage:
        return _build_empty_reply(deadline, "unresolved", str(outage))
    except RequestRefusedError as refusal:
        return _build_empty_reply(deadline, "refused", str(refusal))


def _explain_unreachable(connection: transport.PinnedConnection | None, error: Exception) -> str:
    """Return why the connection failed, blank if it did not. A missing route here is not the endpoint's fault."""
    if connection is None or getattr(error.__cause__, "errno", None) == errno.ENETUNREACH:
        return "unresolved"
    return "" if connection.is_reached else "unreachable"


def _build_empty_reply(deadline: transport.RequestDeadline, end_state: str, message: str) -> EndpointReply:
    elapsed_seconds = round(deadline.get_elapsed_seconds(), 3)
    return EndpointReply(end_state=end_state, message=message, head_seconds=elapsed_seconds, seconds=elapsed_seconds)


def _read_reply(connection: transport.PinnedConnection, deadline: transport.RequestDeadline) -> EndpointReply:
    response = connection.getresponse()
    head_seconds = deadline.get_elapsed_seconds()
    headers = {name.lower(): value[:500] for name, value in response.getheaders()}
    # In chunks of one byte, even a body within its limit takes six times its size on the wire.
    connection.allow(8 * MAX_BODY_BYTES + transport.HEADER_BYTES)
    body, end_state, message = _read_body(response)
    return EndpointReply(
        response.status,
        response.reason[:100],
        tuple((name, headers[name]) for name in STORED_HEADERS if name in headers),
        body.decode("utf-8", "replace"),
        round(head_seconds, 3),
        round(deadline.get_elapsed_seconds(), 3),
        end_state,
        message,
    )


def _read_body(response: http.client.HTTPResponse) -> tuple[bytes, str, str]:
    """Return the body, how it ended, and an explanation."""
    body = b""
    try:
        while len(body) <= MAX_BODY_BYTES:
            chunk = response.read1(transport.READ_BYTES)
            if not chunk:
                # read1() ends quietly if the connection closes early: only the rest of Content-Length shows it.
                if response.length:
                    return body, "broken", ENDED_EARLY_MESSAGE
                return body, "complete", ""
            body += chunk
    except transport.ByteLimitExceededError:
        pass
    except (transport.DeadlineExceededError, TimeoutError):
        return body, "slow", "The body didn't end in time."
    except (OSError, http.client.HTTPException):
        return body, "broken", ENDED_EARLY_MESSAGE
    return body[:MAX_BODY_BYTES], "endless", f"The body is longer than {MAX_BODY_BYTES // 1024} kB. We stopped reading."
