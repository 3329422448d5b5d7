"""Detection of PDFs that can't be opened without a password."""

import logging
from io import BytesIO

# A damaged file can cause a line for each of its bytes.
logging.getLogger("pypdf").setLevel(logging.CRITICAL)


def needs_password(data: bytes) -> bool:
    """Return whether the empty password doesn't open a PDF. False if the file can't be read.

    Tools for signatures encrypt a PDF so that it can't be edited, and it still opens without a password.
    """
    from pypdf import PdfReader  # noqa: PLC0415 - takes 60 ms, and few processes read a PDF
    from pypdf.errors import PyPdfError  # noqa: PLC0415

    try:
        reader = PdfReader(BytesIO(data))
        return reader.is_encrypted and not reader.decrypt("")
    except NotImplementedError:  # for the holders of certificates
        return True
    except (PyPdfError, ValueError, TypeError, KeyError, AttributeError, IndexError, RecursionError):
        return False
