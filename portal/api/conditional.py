"""ETags and conditional requests.

An ETag is `"<version>-<digest>"` for resources that support If-Match, otherwise `"x<digest>"`. The digest covers the
response body, so that every change is sent, even one caused by time alone.
"""

import hashlib
from typing import Annotated, TypeVar

from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.utils.http import parse_etags
from ninja import Header

Default = TypeVar("Default", int, int | None)
IfMatch = Annotated[str | None, Header(alias="If-Match")]
# RFC 9110, section 15.4.5: a 304 repeats the headers that a cache updates.
NOT_MODIFIED_HEADERS = ("ETag", "Link", "Cache-Control")


def set_header(request: HttpRequest, name: str, value: str) -> None:
    """Set a header of the operation's response, unless that becomes an error."""
    request.response_headers[name] = value  # type: ignore[attr-defined]


def set_etag(request: HttpRequest, version: int) -> None:
    """Set the ETag to the resource's version."""
    set_header(request, "ETag", f'"{version}"')


def get_if_match_version(request: HttpRequest, default: Default) -> int | Default:
    """Return the version in If-Match, the default without one or for "*", and -1 for an unknown ETag."""
    header = request.headers.get("If-Match", "").strip()
    if header in ("", "*"):
        return default
    # Proxies that compress a response mark its ETag as weak, although the version is the same.
    version = header.removeprefix("W/").strip('"').partition("-")[0]
    # A longer number can't be a version, and int() raises an error for thousands of digits.
    return int(version) if version.isdecimal() and version.isascii() and len(version) < 10 else -1


def set_location_header(request: HttpRequest, *parts: object) -> None:
    """Set the Location header to the path `parts` below /api/v1."""
    set_header(request, "Location", request.build_absolute_uri("/".join(["/api/v1", *map(str, parts)])))


def apply_conditional_get(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Return the response with its ETag, or 304 if the client already has it."""
    if response.status_code != 200 or response.streaming:
        return response
    version = response.get("ETag", "").strip('"')
    digest = hashlib.sha256(response.content).hexdigest()[:16]
    response["ETag"] = f'"{version}-{digest}"' if version else f'"x{digest}"'
    # A response belongs to one token. Its client may keep it, and asks whether it changed.
    response["Cache-Control"] = "private, no-cache"
    known_etags = {tag.removeprefix("W/") for tag in parse_etags(request.headers.get("If-None-Match", ""))}
    if not known_etags & {"*", response["ETag"]}:
        return response
    return HttpResponseNotModified(headers={name: response[name] for name in NOT_MODIFIED_HEADERS if name in response})


def remove_body(response: HttpResponse) -> HttpResponse:
    """Remove the body from a response to a HEAD request."""
    if response.streaming:
        response.close()
        response.streaming_content = []  # type: ignore[attr-defined]
    else:
        # RFC 9110, section 9.3.2: HEAD has the headers of GET.
        response["Content-Length"] = str(len(response.content))
        response.content = b""
    return response
