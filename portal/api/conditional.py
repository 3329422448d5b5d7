"""How is something read again without being sent again? The names of versions, 304, and answers without a body.

An ETag is `"<version>-<digest>"` where a version can be named in If-Match, `"x<digest>"` elsewhere: the digest is of
the answer itself, so that whatever changed in it, also by the clock alone, is sent.
"""

import hashlib
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.utils.http import parse_etags

KEPT = ("ETag", "Link", "Cache-Control")


def etag(response: HttpResponse, version: int) -> None:
    """Name the version that was read."""
    response["ETag"] = f'"{version}"'


def if_match(request: HttpRequest) -> int | None:
    """The version that the caller read; None where it did not say, or wants whatever stands; -1 for none of ours."""
    given = request.headers.get("If-Match", "").strip()
    if given in ("", "*"):
        return None
    plain = given.removeprefix("W/").strip('"').partition("-")[0]
    return int(plain) if plain.isdecimal() and plain.isascii() and len(plain) < 10 else -1


def located(request: HttpRequest, response: HttpResponse, *parts: Any) -> None:
    """Say where what was made can be read: `parts` below /api/v1."""
    response["Location"] = request.build_absolute_uri("/".join(["/api/v1", *map(str, parts)]))


def unless_known(request: HttpRequest, answer: HttpResponse) -> HttpResponse:
    """The answer with its ETag; 304 where the caller has it already."""
    if answer.status_code != 200 or answer.streaming:
        return answer
    version = answer.get("ETag", "").strip('"')
    digest = hashlib.sha256(answer.content).hexdigest()[:16]
    answer["ETag"] = f'"{version}-{digest}"' if version else f'"x{digest}"'
    answer["Cache-Control"] = "private, no-cache"
    known = {tag.removeprefix("W/") for tag in parse_etags(request.headers.get("If-None-Match", ""))}
    if not known & {"*", answer["ETag"]}:
        return answer
    return HttpResponseNotModified(headers={name: answer[name] for name in KEPT if name in answer})


def without_body(answer: HttpResponse) -> HttpResponse:
    """The same head, and nothing after it."""
    if answer.streaming:
        answer.close()
        answer.streaming_content = []  # type: ignore[attr-defined]
    else:
        answer["Content-Length"] = str(len(answer.content))
        answer.content = b""
    return answer
