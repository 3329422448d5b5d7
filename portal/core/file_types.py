"""File types by content. A file that starts as one type but does not continue as that type raises InvalidFile."""

import codecs
import re
import zipfile
from typing import IO
from zlib import error as BrokenStream

from django.utils.translation import gettext as _

from portal.core.pdf_passwords import needs_password

MAX_ENTRIES = 5000
MAX_UNPACKED_BYTES = 500 * 1024 * 1024
MAX_COMPRESSION_RATIO = 100
END_RECORD_BYTES = 22  # end record of a ZIP file without its comment
TAIL_BYTES = 66_000  # end record with the longest comment
PNG = b"\x89PNG\r\n\x1a\n"
JPEG = b"\xff\xd8\xff"
PDF = b"%PDF-"
ZIP = b"PK\x03\x04"
EMPTY_ZIP = b"PK\x05\x06"
MARKUP_PATTERN = re.compile(rb"<\s*(script|html|!doctype|svg|iframe|body|\?xml|\?php)", re.IGNORECASE)
TEXT_CONTROLS = frozenset(b"\t\n\r\x0c\x1b\x08")  # terminal logs contain colors and backspaces


class InvalidFile(ValueError):
    """Damaged or ambiguous file, with a message that is safe to display."""


class MarkupFile(InvalidFile):
    """Text that a browser would render as a page."""


def detect_kind(file: IO[bytes]) -> str:
    """Return pdf, png, jpeg, zip, or txt, or an empty string for any other type."""
    file.seek(0)
    head = file.read(2048)
    for magic, kind, validate in (
        (PDF, "pdf", _validate_pdf),
        (PNG, "png", _validate_png),
        (JPEG, "jpeg", _validate_jpeg),
        (ZIP, "zip", _validate_zip),
    ):
        if head.startswith(magic):
            if kind != "zip":
                _refuse_second_kind(file, head)
            validate(file)
            return kind
    return "txt" if _is_text(file, head) else ""


def _read_tail(file: IO[bytes], length: int = TAIL_BYTES) -> bytes:
    file.seek(0, 2)
    file.seek(max(0, file.tell() - length))
    return file.read()


def _refuse_second_kind(file: IO[bytes], head: bytes) -> None:
    """Refuse an image or PDF that is also an archive, or an image that a browser would render as a page."""
    if EMPTY_ZIP in _read_tail(file):
        raise InvalidFile(_("The file also contains an archive. Export it again from the original program."))
    if MARKUP_PATTERN.search(head) and not head.startswith(PDF):
        raise InvalidFile(_("The image also contains HTML. Export it again from the original program."))


def _validate_pdf(file: IO[bytes]) -> None:
    # A PDF that was saved incrementally has several end markers, of which the last one counts.
    marker, trailing = _read_tail(file, 2048).rpartition(b"%%EOF")[1:]
    if not marker or trailing.strip(b"\r\n\t \x00"):
        raise InvalidFile(_("The PDF is incomplete or has extra data at the end. Export it again."))
    file.seek(0)
    if needs_password(file.read()):
        raise InvalidFile(_("The PDF has a password. Save it without one."))


def _validate_png(file: IO[bytes]) -> None:
    """Refuse a PNG unless its end chunk is the end of the file."""
    file.seek(len(PNG))
    is_first = True
    while len(chunk := file.read(8)) == 8:
        length = int.from_bytes(chunk[:4], "big")
        chunk_type = chunk[4:]
        if is_first and chunk_type != b"IHDR":
            break
        is_first = False
        file.seek(length, 1)
        checksum = file.read(4)
        if chunk_type == b"IEND":
            if length or len(checksum) != 4 or file.read(1):
                break
            return
    raise InvalidFile(_("The PNG is incomplete or has extra data at the end. Export it again."))


def _validate_jpeg(file: IO[bytes]) -> None:
    if not _read_tail(file, 64).rstrip(b"\x00").endswith(b"\xff\xd9"):
        raise InvalidFile(_("The JPEG is incomplete or has extra data at the end. Export it again."))


def _validate_zip(file: IO[bytes]) -> None:
    """Refuse an archive with extra data, a password, paths outside its folder, or an excessive size."""
    file.seek(0)
    try:
        with zipfile.ZipFile(file) as archive:
            entries = archive.infolist()
            is_damaged = _is_wrapped(file, entries, archive.comment)
    except (zipfile.BadZipFile, BrokenStream, ValueError, NotImplementedError, OverflowError):
        is_damaged = True
        entries = []
    if is_damaged:
        raise InvalidFile(_("The ZIP file is damaged or has extra data around it. Create it again."))
    _refuse_entries(entries)


def _is_wrapped(file: IO[bytes], entries: list[zipfile.ZipInfo], comment: bytes) -> bool:
    """Return whether data exists before the first entry or after the end record, which can be another file type."""
    has_prefix = bool(entries) and min(entry.header_offset for entry in entries) != 0
    return has_prefix or not _read_tail(file, END_RECORD_BYTES + len(comment)).startswith(EMPTY_ZIP)


def _refuse_entries(entries: list[zipfile.ZipInfo]) -> None:
    names = [entry.filename for entry in entries]
    # The sizes are those that the archive states, so nothing is extracted to find out.
    unpacked_size = sum(entry.file_size for entry in entries)
    packed_size = sum(entry.compress_size for entry in entries)
    for is_invalid, message in (
        (not entries, _("The ZIP file is empty.")),
        (len(entries) > MAX_ENTRIES, _("The ZIP file contains more than %(limit)s files.") % {"limit": MAX_ENTRIES}),
        (any(entry.flag_bits & 1 for entry in entries), _("The ZIP file has a password. Create it without one.")),
        (len(set(names)) != len(names), _("The ZIP file contains two files with the same name. Create it again.")),
        (any(map(_is_unsafe_path, names)), _("The ZIP file contains paths outside its folder. Create it again.")),
        (
            unpacked_size > MAX_UNPACKED_BYTES or unpacked_size > MAX_COMPRESSION_RATIO * packed_size + 1_000_000,
            _("The ZIP file is too large when extracted."),
        ),
    ):
        if is_invalid:
            raise InvalidFile(message)


def _is_unsafe_path(name: str) -> bool:
    parts = name.replace("\\", "/").split("/")
    return name.startswith(("/", "\\")) or ".." in parts or ":" in parts[0] or any(ord(c) < 32 for c in name)


def _is_text(file: IO[bytes], head: bytes) -> bool:
    """Return whether a file is UTF-8 text without control characters. Refuse text that a browser would render."""
    if MARKUP_PATTERN.match(head.removeprefix(codecs.BOM_UTF8).lstrip()):
        raise MarkupFile(_("HTML, SVG, and XML files are not allowed. Upload a PDF or an image instead."))
    decoder = codecs.getincrementaldecoder("utf-8")()
    file.seek(0)
    try:
        while chunk := file.read(65_536):
            if any(byte < 32 and byte not in TEXT_CONTROLS for byte in chunk):
                return False
            decoder.decode(chunk)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True
