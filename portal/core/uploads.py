"""Validation of uploaded files. The file type comes from the content, never from the name or the request.

A polyglot, which other programs read as a different type, is refused.
"""

import hashlib
import re
import unicodedata
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Unpack

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.files import File
from django.core.files.uploadedfile import SimpleUploadedFile, UploadedFile
from django.core.files.uploadhandler import FileUploadHandler, SkipFile
from django.http import HttpRequest
from django.utils.text import capfirst
from django.utils.translation import gettext as _, gettext_lazy, gettext_noop

from portal.core import file_types, svg_files
from portal.core.form_fields import FieldArguments

KIND_LABELS = {
    "pdf": "PDF",
    "png": "PNG",
    "jpeg": "JPEG",
    "svg": "SVG",
    "txt": gettext_noop("plain text"),
    "zip": "ZIP",
}
EXTENSIONS = {
    "pdf": (".pdf",),
    "png": (".png",),
    "jpeg": (".jpg", ".jpeg"),
    "svg": (".svg",),
    "txt": (".txt", ".log", ".md"),
    "zip": (".zip",),
}
MAX_NAME_LENGTH = 120
HEAD_BYTES = 4096
EMPTY_FILE_MESSAGE = gettext_lazy("The file is empty.")


@dataclass(frozen=True, slots=True)
class ValidatedFile:
    """Accepted file with its cleaned name, type, size in bytes, and hexadecimal SHA-256."""

    file: "File[bytes]"
    name: str
    kind: str
    size: int
    sha256: str


def get_max_bytes() -> int:
    return int(settings.UPLOAD_MAX_MB) * 1024 * 1024


def describe_accepted_files(accept: tuple[str, ...]) -> str:
    """Return a description of the accepted files: "PNG, JPEG, up to 20 MB."."""
    kinds = ", ".join(_(KIND_LABELS[kind]) for kind in accept)
    description = _("%(types)s, up to %(limit)s MB.") % {"types": kinds, "limit": settings.UPLOAD_MAX_MB}
    return capfirst(description)


def build_size_message() -> str:
    return _("The file is larger than %(limit)s MB. Upload a smaller file, or share a link in a message.") % {
        "limit": settings.UPLOAD_MAX_MB
    }


class UploadLimitHandler(FileUploadHandler):
    """Upload handler that drops a file at the size limit, before it fills the disk. UploadField reports the error.

    All files of a request share the limit: anyone can send them, because the CSRF token is among the fields. No form
    has several.
    """

    received_bytes = 0

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        self.received_bytes += len(raw_data)
        if self.received_bytes > get_max_bytes():
            # The form doesn't exist yet, so the request remembers its fields.
            get_oversized_fields(self.request).add(str(self.field_name))
            raise SkipFile
        return raw_data

    # The next handler stores the file.
    def file_complete(self, file_size: int) -> None:
        return None


def get_oversized_fields(request: HttpRequest | None) -> set[str]:
    """Return the names of the fields whose files exceed the limit."""
    assert request is not None
    return request.__dict__.setdefault("_oversized", set())


class LimitedFileField(forms.FileField):
    """File of any type up to the size limit. `was_oversized`: the upload handler dropped the file."""

    was_oversized = False
    default_error_messages = {
        "required": gettext_lazy("Select a file."),
        "empty": EMPTY_FILE_MESSAGE,
        "missing": gettext_lazy("Select a file."),
        "invalid": gettext_lazy("Select a file."),
    }

    def clean(self, data: object, initial: object = None) -> Any:
        if self.was_oversized:
            raise ValidationError(build_size_message())
        file = super().clean(data, initial)
        if file and (file.size or 0) > get_max_bytes():
            raise ValidationError(build_size_message())
        return file


class UploadField(LimitedFileField):
    """Document of one of the types in `accept`. The cleaned value is a ValidatedFile."""

    def __init__(self, *, accept: tuple[str, ...], **kwargs: Unpack[FieldArguments]) -> None:
        self.accept = accept
        extensions = ",".join(extension for kind in accept for extension in EXTENSIONS[kind])
        super().__init__(widget=forms.FileInput(attrs={"accept": extensions}), **kwargs)

    def clean(self, data: object, initial: object = None) -> Any:
        file = super().clean(data, initial)
        return validate_file(file, self.accept) if file else None


def validate_file(file: UploadedFile, accept: tuple[str, ...]) -> ValidatedFile:
    """Return the file if its content is of an accepted type. An SVG is replaced by its sanitized content.

    Raises:
        ValidationError: The file is empty, too large, damaged, or of another type.
    """
    size = file.size or 0
    if not size:
        raise ValidationError(EMPTY_FILE_MESSAGE)
    if size > get_max_bytes():
        raise ValidationError(build_size_message())
    try:
        # First, because `file_types` refuses all other markup.
        if "svg" in accept and svg_files.is_svg(file.read(HEAD_BYTES)):
            file = _sanitize(file)
            kind = "svg"
            size = file.size or 0
        else:
            kind = file_types.detect_kind(file)
    except file_types.InvalidFile as error:
        is_no_svg = "svg" in accept and isinstance(error, file_types.MarkupFile)
        raise ValidationError(str(svg_files.NO_SVG_MESSAGE if is_no_svg else error)) from None
    if kind not in accept:
        types = ", ".join(_(KIND_LABELS[accepted_kind]) for accepted_kind in accept)
        if kind:
            message = _("The content of the file is %(type)s. Supported types: %(types)s.")
            raise ValidationError(message % {"type": _(KIND_LABELS[kind]), "types": types})
        raise ValidationError(_("The file type is not supported. Supported types: %(types)s.") % {"types": types})
    return ValidatedFile(file, clean_file_name(file.name or "", kind), kind, size, _compute_sha256(file))


def _sanitize(file: UploadedFile) -> UploadedFile:
    file.seek(0)
    # One byte more than allowed is enough to refuse the file.
    data = svg_files.sanitize_svg(file.read(svg_files.MAX_SVG_BYTES + 1))
    return SimpleUploadedFile(file.name or "", data, "image/svg+xml")


def _compute_sha256(file: UploadedFile) -> str:
    file.seek(0)
    digest = hashlib.file_digest(file, "sha256")
    file.seek(0)
    return digest.hexdigest()


def clean_file_name(name: str, kind: str) -> str:
    """Return a file name that is safe in headers, folders, and pages, with an extension that matches the content."""
    # The name comes from the client and can contain a path.
    base = PurePosixPath(name.replace("\\", "/")).name
    # macOS sends accents as characters of their own.
    visible = "".join(c if unicodedata.category(c)[0] != "C" else " " for c in unicodedata.normalize("NFC", base))
    cleaned_base = re.sub(r"\s+", " ", re.sub(r'[<>:"|?*;%]', "_", visible)).strip(" .")
    stem, dot, extension = cleaned_base.rpartition(".")
    is_known_extension = f".{extension.lower()}" in EXTENSIONS[kind]
    stem = (stem if dot and is_known_extension else cleaned_base) or "document"
    return stem[:MAX_NAME_LENGTH] + (f".{extension.lower()}" if is_known_extension else EXTENSIONS[kind][0])
