"""Decompression of response bodies, piece by piece within a size limit. Standard library only."""

import zlib
from collections.abc import Iterator

PIECE_BYTES = 256 * 1024
GZIP_WINDOW_BITS = 31  # zlib's number for gzip with the largest window
GZIP_MAGIC = b"\x1f"  # the first byte of each member


class DecodingError(Exception):
    """Unsupported or invalid content encoding."""


class Decoder:
    """Decoder of one response. `encoding` is the Content-Encoding header."""

    def __init__(self, encoding: str, is_gzip_allowed: bool) -> None:
        name = encoding.strip().lower()
        if name not in {"", "identity", "gzip", "x-gzip"}:
            raise DecodingError(f"“{name[:20]}”")
        if name.endswith("gzip") and not is_gzip_allowed:
            raise DecodingError("the request didn't allow compression")
        self._gzip = zlib.decompressobj(GZIP_WINDOW_BITS) if name.endswith("gzip") else None

    def feed(self, chunk: bytes, max_bytes: int) -> Iterator[bytes]:
        """Decode a chunk into pieces of at most 256 KiB, about `max_bytes` bytes in total. Raises DecodingError."""
        if self._gzip is None:
            yield chunk
            return
        # A small chunk can decompress into gigabytes, so the limit applies within a chunk too.
        while chunk and max_bytes > 0:
            if self._gzip.eof:
                # A body can have several members (RFC 1952, section 2.2). Other data after the last one is padding.
                if not chunk.startswith(GZIP_MAGIC):
                    return
                self._gzip = zlib.decompressobj(GZIP_WINDOW_BITS)
            try:
                piece = self._gzip.decompress(chunk, PIECE_BYTES)
            except zlib.error as error:
                raise DecodingError("it is not valid gzip") from error
            max_bytes -= len(piece)
            chunk = self._gzip.unconsumed_tail or self._gzip.unused_data
            if piece:
                yield piece

    def finish(self) -> None:
        """Raise DecodingError if the compressed data is incomplete."""
        if self._gzip is not None and not self._gzip.eof:
            raise DecodingError("the data is incomplete")
