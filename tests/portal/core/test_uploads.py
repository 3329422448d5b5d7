"""Tests of uploads: the content determines the kind, errors are explained, and names are cleaned."""

import io
import itertools
import struct
import zipfile
import zlib

import pytest
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import SimpleUploadedFile
from fpdf import FPDF
from fpdf.enums import EncryptionMethod

from portal.core.uploads import clean_file_name, validate_file

ALL_KINDS = ("pdf", "png", "jpeg", "txt", "zip")
PDF = b"%PDF-1.7\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\nstartxref\n9\n%%EOF\n"
JPEG = b"\xff\xd8\xff\xe0\x00\x10JFIF\x00" + b"\x00" * 20 + b"\xff\xd9"


def build_png(after: bytes = b"") -> bytes:
    def build_chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    head = build_chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0))
    body = build_chunk(b"IDAT", zlib.compress(b"\x00\xff\x00\x00"))
    return b"\x89PNG\r\n\x1a\n" + head + body + build_chunk(b"IEND", b"") + after


def build_zip(*entries: tuple[str, bytes], comment: bytes = b"") -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries:
            archive.writestr(name, content)
        archive.comment = comment
    return buffer.getvalue()


ZIP = build_zip(("logs/run.txt", b"ok 1\nok 2\n"))


def validate(content: bytes, name: str = "file.bin", accept: tuple[str, ...] = ALL_KINDS):
    return validate_file(SimpleUploadedFile(name, content), accept)


def get_refusal(content: bytes, name: str = "file.bin", accept: tuple[str, ...] = ALL_KINDS) -> str:
    with pytest.raises(ValidationError) as error:
        validate(content, name, accept)
    return error.value.messages[0]


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (PDF, "pdf"),
        (build_png(), "png"),
        (JPEG, "jpeg"),
        (ZIP, "zip"),
        (build_zip(("a.txt", b"a"), comment=b"9f3c1e" * 6), "zip"),
        (b"=== RUN TestAcc\n\x1b[32m--- PASS\x1b[0m\n", "txt"),
        ("Zoë\r\n".encode(), "txt"),
        (b"\xef\xbb\xbfwith a mark", "txt"),
    ],
)
def test_kind_is_determined_by_content(content, kind):
    assert validate(content, "misleading.exe").kind == kind


def build_encrypted_pdf(method: EncryptionMethod, password: str) -> bytes:
    pdf = FPDF()
    pdf.add_page()
    # An owner password alone protects a PDF from changes, and anyone can open it.
    pdf.set_encryption("of the owner", password or None, method)
    return bytes(pdf.output())


@pytest.mark.parametrize("method", list(EncryptionMethod))
def test_pdf_with_a_password_is_refused_and_one_that_is_only_protected_is_not(method):
    assert get_refusal(build_encrypted_pdf(method, "secret")) == "The PDF has a password. Save it without one."
    assert validate(build_encrypted_pdf(method, "")).kind == "pdf"


def test_pdf_for_holders_of_certificates_is_refused():
    pdf = build_encrypted_pdf(EncryptionMethod.RC4, "").replace(b"/Filter /Standard", b"/Filter /Adobe.PubSec")
    assert get_refusal(pdf) == "The PDF has a password. Save it without one."


@pytest.mark.parametrize(
    "filler",
    [b"/Encrypt<<" * 100_000, b"/Encrypt 5 0 R" + b" 5 0 obj" * 100_000, b"<<" * 100_000, b"[" * 100_000],
    ids=["encryption", "objects", "dictionaries", "arrays"],
)
@pytest.mark.parametrize("place", [b"1 0 obj", b"trailer\n<<"])
def test_damaged_pdf_writes_no_messages(filler, place, caplog):
    assert validate(PDF.replace(place, place + filler)).kind == "pdf"
    assert [record.message for record in caplog.records if record.name.startswith("pypdf")] == []


def test_file_has_digest_and_size():
    file = validate(b"abc", "a.txt")
    assert (file.size, file.sha256[:16]) == (3, "ba7816bf8f01cfea")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "The file is empty."),
        (
            b"\x7fELF\x02\x01\x01\x00",
            "The file type is not supported. Supported types: PDF, PNG, JPEG, plain text, ZIP.",
        ),
        (
            b"\xff\xfet\x00e\x00x\x00t\x00",
            "The file type is not supported. Supported types: PDF, PNG, JPEG, plain text, ZIP.",
        ),
        (
            b"<!DOCTYPE html><script>1</script>",
            "HTML, SVG, and XML files are not allowed. Upload a PDF or an image instead.",
        ),
        (b"  <svg xmlns='x'/>", "HTML, SVG, and XML files are not allowed. Upload a PDF or an image instead."),
        (PDF[:-6], "The PDF is incomplete or has extra data at the end. Export it again."),
        (PDF + b"MZ\x90", "The PDF is incomplete or has extra data at the end. Export it again."),
        (PDF + ZIP, "The file also contains an archive. Export it again from the original program."),
        (build_png() + ZIP, "The file also contains an archive. Export it again from the original program."),
        (build_png(b"tail"), "The PNG is incomplete or has extra data at the end. Export it again."),
        (build_png()[:-4], "The PNG is incomplete or has extra data at the end. Export it again."),
        (
            b"\x89PNG\r\n\x1a\n<html><script>1</script>",
            "The image also contains HTML. Export it again from the original program.",
        ),
        (JPEG[:-2], "The JPEG is incomplete or has extra data at the end. Export it again."),
        (ZIP + b"tail" * 9, "The ZIP file is damaged or has extra data around it. Create it again."),
        (ZIP[:40], "The ZIP file is damaged or has extra data around it. Create it again."),
        (build_zip(("../../etc/passwd", b"x")), "The ZIP file contains paths outside its folder. Create it again."),
        (build_zip(("C:/windows", b"x")), "The ZIP file contains paths outside its folder. Create it again."),
        (build_zip(("a", b"0" * 30_000_000)), "The ZIP file is too large when extracted."),
    ],
    ids=itertools.count(),  # the compressed bytes contain the time of day
)
def test_invalid_content_is_refused(content, message):
    assert get_refusal(content) == message


def test_kind_that_is_not_accepted_is_refused():
    assert get_refusal(PDF, "logo.png", ("png", "jpeg")) == (
        "The content of the file is PDF. Supported types: PNG, JPEG."
    )


def test_too_large_file_is_refused(settings):
    settings.UPLOAD_MAX_MB = 1
    message = "The file is larger than 1 MB. Upload a smaller file, or share a link in a message."
    assert get_refusal(b"a" * (1024 * 1024 + 1)) == message


def test_file_of_the_maximum_size_is_accepted(settings):
    settings.UPLOAD_MAX_MB = 1
    assert validate(b"a" * 1024 * 1024).size == 1024 * 1024


@pytest.mark.parametrize(
    ("name", "kind", "expected"),
    [
        ("report.pdf", "pdf", "report.pdf"),
        ("REPORT.PDF", "pdf", "REPORT.pdf"),
        ("report.exe", "pdf", "report.exe.pdf"),
        ("../../etc/passwd", "txt", "passwd.txt"),
        ("C:\\docs\\a.txt", "txt", "a.txt"),
        ('"\r\nX: y.pdf', "pdf", "_ X_ y.pdf"),
        ("gnp.\u202etxt.exe", "png", "gnp. txt.exe.png"),
        ("", "zip", "document.zip"),
        (".pdf", "pdf", "pdf.pdf"),
        ("a" * 300 + ".log", "txt", "a" * 120 + ".log"),
        ("Prüfung 日本.pdf", "pdf", "Prüfung 日本.pdf"),
    ],
)
def test_name_is_cleaned(name, kind, expected):
    assert clean_file_name(name, kind) == expected


def test_files_of_a_request_share_the_limit(rf, settings):
    """They are received before the sign-in and the CSRF token are checked, and forms have one file."""
    settings.UPLOAD_MAX_MB = 1
    request = rf.post("/", {f"file{number}": SimpleUploadedFile("a.txt", b"a" * 400_000) for number in range(5)})
    assert list(request.FILES) == ["file0", "file1"]
