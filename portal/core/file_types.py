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

MOST_ENTRIES = 5000
MOST_UNPACKED = 500 * 1024 * 1024
MOST_RATIO = 100
END_RECORD = 22  # octets of a ZIP's end record, its comment apart
TAIL = 66_000  # the record with the longest comment
PNG, JPEG, PDF, ZIP, EMPTY_ZIP = b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"%PDF-", b"PK\x03\x04", b"PK\x05\x06"
MARKUP = re.compile(rb"<\s*(script|html|!doctype|svg|iframe|body|\?xml|\?php)", re.IGNORECASE)
TEXT_CONTROLS = frozenset(b"\t\n\r\x0c\x1b\x08")  # logs of terminals hold colours and overprinting


class Unfit(ValueError):
    """The file is damaged or two things at once. The text is fit to show."""


def kind_of(file: Any) -> str:
    """pdf, png, jpeg, zip, txt, or "" for anything else."""
    file.seek(0)
    head = file.read(2048)
    for magic, kind, read in (
        (PDF, "pdf", _read_pdf),
        (PNG, "png", _read_png),
        (JPEG, "jpeg", _read_jpeg),
        (ZIP, "zip", _read_zip),
    ):
        if head.startswith(magic):
            if kind != "zip":
                _refuse_second_kind(file, head)
            read(file)
            return kind
    return "txt" if _is_text(file, head) else ""


def _tail(file: BinaryIO, length: int = TAIL) -> bytes:
    file.seek(0, 2)
    file.seek(max(0, file.tell() - length))
    return file.read()


def _refuse_second_kind(file: BinaryIO, head: bytes) -> None:
    """A picture or PDF whose end is an archive, or whose beginning a browser would read as a page."""
    if EMPTY_ZIP in _tail(file):
        raise Unfit(_("This file is also an archive. Save it again from the program that made it."))
    if MARKUP.search(head) and not head.startswith(PDF):
        raise Unfit(_("This picture also holds the text of a page. Save it again from the program that made it."))


def _read_pdf(file: BinaryIO) -> None:
    _, mark, after = _tail(file, 2048).rpartition(b"%%EOF")
    if not mark or after.strip(b"\r\n\t \x00"):
        raise Unfit(gettext("This PDF is not complete, or something follows its end. Save it again."))


def _read_png(file: BinaryIO) -> None:
    """Walk the chunks: the end chunk must be the end of the file."""
    file.seek(len(PNG))
    first = True
    while len(chunk := file.read(8)) == 8:
        length, name = int.from_bytes(chunk[:4], "big"), chunk[4:]
        if first and name != b"IHDR":
            break
        first = False
        file.seek(length, 1)
        checksum = file.read(4)
        if name == b"IEND":
            if length or len(checksum) != 4 or file.read(1):
                break
            return
    raise Unfit(_("This PNG is not complete, or something follows its end. Save it again."))


def _read_jpeg(file: BinaryIO) -> None:
    if not _tail(file, 64).rstrip(b"\x00").endswith(b"\xff\xd9"):
        raise Unfit(_("This JPEG is not complete, or something follows its end. Save it again."))


def _read_zip(file: BinaryIO) -> None:
    """A plain archive: nothing before or after it, no password, no way out of its folder, no bomb."""
    file.seek(0)
    try:
        with zipfile.ZipFile(file) as archive:
            entries = archive.infolist()
            damaged = _is_wrapped(file, entries, archive.comment)
    except (zipfile.BadZipFile, BrokenStream, ValueError, NotImplementedError, OverflowError):
        damaged, entries = True, []
    if damaged:
        raise Unfit(_("This ZIP is damaged, or something stands before or after it. Pack it again."))
    _refuse_entries(entries)


def _is_wrapped(file: BinaryIO, entries: list[zipfile.ZipInfo], comment: bytes) -> bool:
    """Whether something stands before the first entry or after the end record: then it may be another kind too."""
    before = bool(entries) and min(entry.header_offset for entry in entries) != 0
    return before or not _tail(file, END_RECORD + len(comment)).startswith(EMPTY_ZIP)


def _refuse_entries(entries: list[zipfile.ZipInfo]) -> None:
    names = [entry.filename for entry in entries]
    unpacked = sum(entry.file_size for entry in entries)
    packed = sum(entry.compress_size for entry in entries)
    for wrong, sentence in (
        (not entries, _("This ZIP is empty.")),
        (
            len(entries) > MOST_ENTRIES,
            _("This ZIP holds more than %(most)s files.") % {"most": MOST_ENTRIES},
        ),
        (any(entry.flag_bits & 1 for entry in entries), _("This ZIP needs a password. Pack it again without one.")),
        (len(set(names)) != len(names), _("This ZIP holds two files of one name. Pack it again.")),
        (any(map(_leads_out, names)), _("This ZIP holds names that lead out of its folder. Pack it again.")),
        (
            unpacked > MOST_UNPACKED or unpacked > MOST_RATIO * packed + 1_000_000,
            _("This ZIP unpacks to far too much."),
        ),
    ):
        if wrong:
            raise Unfit(sentence)


def _leads_out(name: str) -> bool:
    parts = name.replace("\\", "/").split("/")
    return name.startswith(("/", "\\")) or ".." in parts or ":" in parts[0] or any(ord(c) < 32 for c in name)


def _is_text(file: BinaryIO, head: bytes) -> bool:
    """UTF-8 without control characters, that no browser would take for a page."""
    if MARKUP.match(head.removeprefix(codecs.BOM_UTF8).lstrip()):
        raise Unfit(_("This is the text of a page or a drawing (HTML, SVG, XML). Send a PDF or a picture of it."))
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
