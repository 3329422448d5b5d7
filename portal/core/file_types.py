"""Which kind of file is this, by its content alone? Standard library only; each kind is read as strictly as it must.

Raises Unfit, with a sentence fit to show, for a file that begins as one kind and does not go on as it.
"""

import codecs
import re
import zipfile
from typing import Any, BinaryIO
from zlib import error as BrokenStream

from django.utils.translation import gettext
from django.utils.translation import gettext as _

MAX_ENTRIES = 5000
MAX_UNPACKED_BYTES = 500 * 1024 * 1024
MAX_COMPRESSION_RATIO = 100
END_RECORD_BYTES = 22  # octets of a ZIP's end record, its comment apart
TAIL_BYTES = 66_000  # the record with the longest comment
PNG, JPEG, PDF, ZIP, EMPTY_ZIP = b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"%PDF-", b"PK\x03\x04", b"PK\x05\x06"
MARKUP_PATTERN = re.compile(rb"<\s*(script|html|!doctype|svg|iframe|body|\?xml|\?php)", re.IGNORECASE)
TEXT_CONTROLS = frozenset(b"\t\n\r\x0c\x1b\x08")  # logs of terminals hold colors and overprinting


class InvalidFile(ValueError):
    """The file is damaged or two things at once. The text is fit to show."""


def detect_kind(file: Any) -> str:
    """pdf, png, jpeg, zip, txt, or "" for anything else."""
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


def _read_tail(file: BinaryIO, length: int = TAIL_BYTES) -> bytes:
    file.seek(0, 2)
    file.seek(max(0, file.tell() - length))
    return file.read()


def _refuse_second_kind(file: BinaryIO, head: bytes) -> None:
    """A picture or PDF whose end is an archive, or whose beginning a browser would read as a page."""
    if EMPTY_ZIP in _read_tail(file):
        raise InvalidFile(_("This file is also an archive. Save it again from the program that made it."))
    if MARKUP_PATTERN.search(head) and not head.startswith(PDF):
        raise InvalidFile(_("This picture also holds the text of a page. Save it again from the program that made it."))


def _validate_pdf(file: BinaryIO) -> None:
    _, marker, trailing = _read_tail(file, 2048).rpartition(b"%%EOF")
    if not marker or trailing.strip(b"\r\n\t \x00"):
        raise InvalidFile(gettext("This PDF is not complete, or something follows its end. Save it again."))


def _validate_png(file: BinaryIO) -> None:
    """Walk the chunks: the end chunk must be the end of the file."""
    file.seek(len(PNG))
    is_first = True
    while len(chunk := file.read(8)) == 8:
        length, chunk_type = int.from_bytes(chunk[:4], "big"), chunk[4:]
        if is_first and chunk_type != b"IHDR":
            break
        is_first = False
        file.seek(length, 1)
        checksum = file.read(4)
        if chunk_type == b"IEND":
            if length or len(checksum) != 4 or file.read(1):
                break
            return
    raise InvalidFile(_("This PNG is not complete, or something follows its end. Save it again."))


def _validate_jpeg(file: BinaryIO) -> None:
    if not _read_tail(file, 64).rstrip(b"\x00").endswith(b"\xff\xd9"):
        raise InvalidFile(_("This JPEG is not complete, or something follows its end. Save it again."))


def _validate_zip(file: BinaryIO) -> None:
    """A plain archive: nothing before or after it, no password, no way out of its folder, no bomb."""
    file.seek(0)
    try:
        with zipfile.ZipFile(file) as archive:
            entries = archive.infolist()
            is_damaged = _is_wrapped(file, entries, archive.comment)
    except (zipfile.BadZipFile, BrokenStream, ValueError, NotImplementedError, OverflowError):
        is_damaged, entries = True, []
    if is_damaged:
        raise InvalidFile(_("This ZIP is damaged, or something stands before or after it. Pack it again."))
    _refuse_entries(entries)


def _is_wrapped(file: BinaryIO, entries: list[zipfile.ZipInfo], comment: bytes) -> bool:
    """Whether something stands before the first entry or after the end record: then it may be another kind too."""
    has_prefix = bool(entries) and min(entry.header_offset for entry in entries) != 0
    return has_prefix or not _read_tail(file, END_RECORD_BYTES + len(comment)).startswith(EMPTY_ZIP)


def _refuse_entries(entries: list[zipfile.ZipInfo]) -> None:
    names = [entry.filename for entry in entries]
    unpacked_size = sum(entry.file_size for entry in entries)
    packed_size = sum(entry.compress_size for entry in entries)
    for is_invalid, message in (
        (not entries, _("This ZIP is empty.")),
        (
            len(entries) > MAX_ENTRIES,
            _("This ZIP holds more than %(most)s files.") % {"most": MAX_ENTRIES},
        ),
        (any(entry.flag_bits & 1 for entry in entries), _("This ZIP needs a password. Pack it again without one.")),
        (len(set(names)) != len(names), _("This ZIP holds two files of one name. Pack it again.")),
        (any(map(_is_unsafe_path, names)), _("This ZIP holds names that lead out of its folder. Pack it again.")),
        (
            unpacked_size > MAX_UNPACKED_BYTES or unpacked_size > MAX_COMPRESSION_RATIO * packed_size + 1_000_000,
            _("This ZIP unpacks to far too much."),
        ),
    ):
        if is_invalid:
            raise InvalidFile(message)


def _is_unsafe_path(name: str) -> bool:
    parts = name.replace("\\", "/").split("/")
    return name.startswith(("/", "\\")) or ".." in parts or ":" in parts[0] or any(ord(c) < 32 for c in name)


def _is_text(file: BinaryIO, head: bytes) -> bool:
    """UTF-8 without control characters, that no browser would take for a page."""
    if MARKUP_PATTERN.match(head.removeprefix(codecs.BOM_UTF8).lstrip()):
        raise InvalidFile(_("This is the text of a page or a drawing (HTML, SVG, XML). Send a PDF or a picture of it."))
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
