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

KIND_LABELS = {"pdf": "PDF", "png": "PNG", "jpeg": "JPEG", "txt": gettext_noop("plain text"), "zip": "ZIP"}
EXTENSIONS = {
    "pdf": (".pdf",),
    "png": (".png",),
    "jpeg": (".jpg", ".jpeg"),
    "txt": (".txt", ".log", ".md"),
    "zip": (".zip",),
}
MAX_NAME_LENGTH = 120
EMPTY_FILE_MESSAGE = gettext_noop("This file is empty.")


@dataclass(frozen=True, slots=True)
class ValidatedFile:
    """A file that may be kept: its cleaned name, kind, size in bytes and SHA-256 in hexadecimal."""

    file: Any
    name: str
    kind: str
    size: int
    sha256: str


def get_max_bytes() -> int:
    return int(settings.UPLOAD_MAX_MB) * 1024 * 1024


def describe_accepted_files(accept: tuple[str, ...]) -> str:
    """Which files are taken, in words: "PNG or JPEG, at most 20 MB." """
    kinds = _(" or ").join(_(KIND_LABELS[kind]) for kind in accept)
    description = _("%(kinds)s, at most %(most)s MB.") % {"kinds": kinds, "most": settings.UPLOAD_MAX_MB}
    return description[0].upper() + description[1:]


def build_size_message() -> str:
    return _("This file is larger than %(most)s MB. Make it smaller, or link to it in the thread.") % {
        "most": settings.UPLOAD_MAX_MB
    }


class UploadLimitHandler(FileUploadHandler):
    """Stops keeping a file at the limit, so that nobody fills the disk. The form says it, see UploadField."""

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        super().new_file(*args, **kwargs)
        self.received_bytes = 0

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        self.received_bytes += len(raw_data)
        if self.received_bytes > get_max_bytes():
            get_oversized_fields(self.request).add(str(self.field_name))
            raise SkipFile
        return raw_data

    def file_complete(self, file_size: int) -> None:
        return None


def get_oversized_fields(request: Any) -> set[str]:
    """The names of the fields whose files were left out because of their size."""
    field_names: set[str] = request.__dict__.setdefault("_oversized", set())
    return field_names


class UploadField(forms.FileField):
    """A document of one of the kinds in `accept`. The cleaned value is an Examined."""

    def __init__(self, *, accept: tuple[str, ...], **kwargs: Any) -> None:
        self.accept = accept
        self.was_oversized = False
        extensions = ",".join(extension for kind in accept for extension in EXTENSIONS[kind])
        error_messages = {
            "required": _("Choose a file."),
            "empty": _(EMPTY_FILE_MESSAGE),
            "missing": _("Choose a file."),
            "invalid": _("Choose a file."),
        }
        kwargs.setdefault("error_messages", error_messages)
        kwargs.setdefault("widget", forms.FileInput(attrs={"accept": extensions}))
        super().__init__(**kwargs)

    def clean(self, data: Any, initial: Any = None) -> Any:
        if self.was_oversized:
            raise ValidationError(build_size_message())
        file = super().clean(data, initial)
        return validate_file(file, self.accept) if file else None


def validate_file(file: UploadedFile, accept: tuple[str, ...]) -> ValidatedFile:
    """Look at a file's content. Raises ValidationError with the sentence to show."""
    size = file.size or 0
    if not size:
        raise ValidationError(_(EMPTY_FILE_MESSAGE))
    if size > get_max_bytes():
        raise ValidationError(build_size_message())
    try:
        kind = file_types.detect_kind(file)
    except file_types.InvalidFile as error:
        raise ValidationError(str(error)) from None
    if kind not in accept:
        kinds = _(" or ").join(_(KIND_LABELS[accepted_kind]) for accepted_kind in accept)
        description = (
            _("Its content is %(kind)s") % {"kind": _(KIND_LABELS[kind])} if kind else _("Its content is none of these")
        )
        raise ValidationError(
            _("%(kinds)s is needed here. %(found)s, whatever its name says.") % {"kinds": kinds, "found": description}
        )
    return ValidatedFile(file, clean_file_name(file.name or "", kind), kind, size, _compute_sha256(file))


def _compute_sha256(file: UploadedFile) -> str:
    file.seek(0)
    digest = hashlib.sha256()
    for chunk in file.chunks():
        digest.update(chunk)
    file.seek(0)
    return digest.hexdigest()


def clean_file_name(name: str, kind: str) -> str:
    """A name that no header, no folder and no reader can be misled by, with the ending of its content."""
    base = PurePosixPath(name.replace("\\", "/")).name
    visible = "".join(c if unicodedata.category(c)[0] != "C" else " " for c in unicodedata.normalize("NFC", base))
    cleaned_base = re.sub(r"\s+", " ", re.sub(r'[<>:"|?*;%]', "_", visible)).strip(" .")
    stem, dot, extension = cleaned_base.rpartition(".")
    is_known_extension = f".{extension.lower()}" in EXTENSIONS[kind]
    stem = (stem if dot and is_known_extension else cleaned_base) or "document"
    return stem[:MAX_NAME_LENGTH] + (f".{extension.lower()}" if is_known_extension else EXTENSIONS[kind][0])
