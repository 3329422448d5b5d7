"""How is something read again without being sent again? The names of versions, 304, and answers without a body.

An ETag is `"<version>-<digest>"` where a version can be named in If-Match, `"x<digest>"` elsewhere: the digest is of
the answer itself, so that whatever changed in it, also by the clock alone, is sent.
"""

import hashlib
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.utils.http import parse_etags

NOT_MODIFIED_HEADERS = ("ETag", "Link", "Cache-Control")


def set_etag(response: HttpResponse, version: int) -> None:
    """Name the version that was read."""
    response["ETag"] = f'"{version}"'


def get_if_match_version(request: HttpRequest) -> int | None:
    """The version that the caller read; None where it did not say, or wants whatever stands; -1 for none of ours."""
    header = request.headers.get("If-Match", "").strip()
    if header in ("", "*"):
        return None
    version = header.removeprefix("W/").strip('"').partition("-")[0]
    return int(version) if version.isdecimal() and version.isascii() and len(version) < 10 else -1


def set_location_header(request: HttpRequest, response: HttpResponse, *parts: Any) -> None:
    """Say where what was made can be read: `parts` below /api/v1."""
    response["Location"] = request.build_absolute_uri("/".join(["/api/v1", *map(str, parts)]))


def apply_conditional_get(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """The answer with its ETag; 304 where the caller has it already."""
    if response.status_code != 200 or response.streaming:
        return response
    version = response.get("ETag", "").strip('"')
    digest = hashlib.sha256(response.content).hexdigest()[:16]
    response["ETag"] = f'"{version}-{digest}"' if version else f'"x{digest}"'
    response["Cache-Control"] = "private, no-cache"
    known_etags = {tag.removeprefix("W/") for tag in parse_etags(request.headers.get("If-None-Match", ""))}
    if not known_etags & {"*", response["ETag"]}:
        return response
    return HttpResponseNotModified(headers={name: response[name] for name in NOT_MODIFIED_HEADERS if name in response})


def remove_body(response: HttpResponse) -> HttpResponse:
    """The same head, and nothing after it."""
    if response.streaming:
        response.close()
        response.streaming_content = []  # type: ignore[attr-defined]
    else:
        response["Content-Length"] = str(len(response.content))
        response.content = b""
    return response
