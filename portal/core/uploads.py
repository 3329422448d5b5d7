"""Is this file what it should be? Its kind comes from its content, never from its name or its sender's word.

A file that is one kind to us and another to the program that opens it (a polyglot) is refused.
"""

import hashlib
import re
import unicodedata
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler, SkipFile
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from portal.core import file_types

WORDS = {"pdf": "PDF", "png": "PNG", "jpeg": "JPEG", "txt": gettext_noop("plain text"), "zip": "ZIP"}
ENDINGS = {
    "pdf": (".pdf",),
    "png": (".png",),
    "jpeg": (".jpg", ".jpeg"),
    "txt": (".txt", ".log", ".md"),
    "zip": (".zip",),
}
LONGEST_NAME = 120
EMPTY = gettext_noop("This file is empty.")


@dataclass(frozen=True, slots=True)
class Examined:
    """A file that may be kept: its cleaned name, kind, size in bytes and SHA-256 in hexadecimal."""

    file: Any
    name: str
    kind: str
    size: int
    sha256: str


def most_bytes() -> int:
    return int(settings.UPLOAD_MAX_MB) * 1024 * 1024


def wanted(accept: tuple[str, ...]) -> str:
    """Which files are taken, in words: "PNG or JPEG, at most 20 MB." """
    kinds = _(" or ").join(_(WORDS[kind]) for kind in accept)
    said = _("%(kinds)s, at most %(most)s MB.") % {"kinds": kinds, "most": settings.UPLOAD_MAX_MB}
    return said[0].upper() + said[1:]


def too_large() -> str:
    return _("This file is larger than %(most)s MB. Make it smaller, or link to it in the thread.") % {
        "most": settings.UPLOAD_MAX_MB
    }


class LimitHandler(FileUploadHandler):
    """Stops keeping a file at the limit, so that nobody fills the disk. The form says it, see UploadField."""

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        super().new_file(*args, **kwargs)
        self.seen = 0

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        self.seen += len(raw_data)
        if self.seen > most_bytes():
            oversized(self.request).add(str(self.field_name))
            raise SkipFile
        return raw_data

    def file_complete(self, file_size: int) -> None:
        return None


def oversized(request: Any) -> set[str]:
    """The names of the fields whose files were left out because of their size."""
    found: set[str] = request.__dict__.setdefault("_oversized", set())
    return found


class UploadField(forms.FileField):
    """A document of one of the kinds in `accept`. The cleaned value is an Examined."""

    def __init__(self, *, accept: tuple[str, ...], **kwargs: Any) -> None:
        self.accept = accept
        self.was_oversized = False
        endings = ",".join(ending for kind in accept for ending in ENDINGS[kind])
        sentences = {
            "required": _("Choose a file."),
            "empty": _(EMPTY),
            "missing": _("Choose a file."),
            "invalid": _("Choose a file."),
        }
        kwargs.setdefault("error_messages", sentences)
        kwargs.setdefault("widget", forms.FileInput(attrs={"accept": endings}))
        super().__init__(**kwargs)

    def clean(self, data: Any, initial: Any = None) -> Any:
        if self.was_oversized:
            raise ValidationError(too_large())
        file = super().clean(data, initial)
        return examine(file, self.accept) if file else None


def examine(file: UploadedFile, accept: tuple[str, ...]) -> Examined:
    """Look at a file's content. Raises ValidationError with the sentence to show."""
    size = file.size or 0
    if not size:
        raise ValidationError(_(EMPTY))
    if size > most_bytes():
        raise ValidationError(too_large())
    try:
        kind = file_types.kind_of(file)
    except file_types.Unfit as why:
        raise ValidationError(str(why)) from None
    if kind not in accept:
        kinds = _(" or ").join(_(WORDS[each]) for each in accept)
        found = _("Its content is %(kind)s") % {"kind": _(WORDS[kind])} if kind else _("Its content is none of these")
        raise ValidationError(
            _("%(kinds)s is needed here. %(found)s, whatever its name says.") % {"kinds": kinds, "found": found}
        )
    return Examined(file, cleaned_name(file.name or "", kind), kind, size, _digest(file))


def _digest(file: UploadedFile) -> str:
    file.seek(0)
    digest = hashlib.sha256()
    for chunk in file.chunks():
        digest.update(chunk)
    file.seek(0)
    return digest.hexdigest()


def cleaned_name(name: str, kind: str) -> str:
    """A name that no header, no folder and no reader can be misled by, with the ending of its content."""
    base = PurePosixPath(name.replace("\\", "/")).name
    visible = "".join(c if unicodedata.category(c)[0] != "C" else " " for c in unicodedata.normalize("NFC", base))
    plain = re.sub(r"\s+", " ", re.sub(r'[<>:"|?*;%]', "_", visible)).strip(" .")
    stem, dot, ending = plain.rpartition(".")
    fits = f".{ending.lower()}" in ENDINGS[kind]
    stem = (stem if dot and fits else plain) or "document"
    return stem[:LONGEST_NAME] + (f".{ending.lower()}" if fits else ENDINGS[kind][0])
