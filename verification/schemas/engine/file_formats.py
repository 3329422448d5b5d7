"""What stands in the bytes of a file with a schema? JSON, gzipped or not. Raises Unreadable with a sentence."""

import gzip
import json
import re
import zlib
from typing import Any

from verification.schemas.engine.types import Unreadable

LARGEST = 200 * 1024 * 1024  # unpacked; the largest provider that we know of prints 14 MB
GZIP = b"\x1f\x8b"
HALF = re.compile(r"\\u[dD][89a-fA-F]")  # of a character that is spelt as two: alone it is none, and cannot be shown


def unpacked(body: bytes, largest: int = LARGEST) -> bytes:
    """The bytes, without gzip if they have it. Raises Unreadable for more than `largest`."""
    if body[:2] == GZIP:
        body = _gunzipped(body, largest)
    if len(body) > largest:
        raise Unreadable(f"The schema is larger than {largest // 1024 // 1024} MB.")
    return body


def _gunzipped(body: bytes, largest: int) -> bytes:
    try:
        stream = zlib.decompressobj(wbits=31)
        opened = stream.decompress(body, largest + 1)
        if not stream.eof and len(opened) <= largest:
            raise Unreadable("The gzip file is cut off.")
    except (zlib.error, gzip.BadGzipFile) as error:
        raise Unreadable("The file begins like gzip but cannot be unpacked.") from error
    return opened


def parsed(body: bytes) -> Any:
    """The JSON, in UTF-8 or, as PowerShell writes it, in UTF-16. Raises Unreadable."""
    try:
        text = body.decode(json.detect_encoding(body))
        told = json.loads(text)
        if HALF.search(text):
            json.dumps(told, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise Unreadable("The file is not JSON: give the output of “terraform providers schema -json”.") from error
    return told
