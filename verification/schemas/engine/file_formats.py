"""Reader of schema files: JSON, plain or gzipped."""

import json
import re
import zlib

from portal.core.value_types import JsonObject
from verification.schemas.engine.types import SchemaParseError

MAX_SCHEMA_BYTES = 200 * 1024 * 1024  # uncompressed; the largest known provider has 14 MB
GZIP_MAGIC = b"\x1f\x8b"
# of a character that is spelt as two: alone it is none, and cannot be shown
SURROGATE_PATTERN = re.compile(r"\\u[dD][89a-fA-F]")


def unpack(body: bytes, max_bytes: int = MAX_SCHEMA_BYTES) -> bytes:
    """Decompress gzip data; return other data unchanged. Raises SchemaParseError above `max_bytes`."""
    if body[:2] == GZIP_MAGIC:
        body = _gunzip(body, max_bytes)
    if len(body) > max_bytes:
        raise SchemaParseError(f"The schema is larger than {max_bytes // 1024 // 1024} MB.")
    return body


def _gunzip(body: bytes, max_bytes: int) -> bytes:
    try:
        stream = zlib.decompressobj(wbits=31)
        content = stream.decompress(body, max_bytes + 1)
        if not stream.eof and len(content) <= max_bytes:
            raise SchemaParseError("The gzip file is incomplete.")
    except zlib.error as error:
        raise SchemaParseError("Can't decompress the gzip file.") from error
    return content


def parse_json(body: bytes) -> JsonObject:
    """Parse JSON in UTF-8, or in UTF-16 from PowerShell. Raises SchemaParseError."""
    try:
        text = body.decode(json.detect_encoding(body))
        document = json.loads(text)
        if SURROGATE_PATTERN.search(text):
            json.dumps(document, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise SchemaParseError(
            "The file isn't valid JSON. Upload the output of “terraform providers schema -json”."
        ) from error
    return document
