"""Secrets of the embedded portal, which are files in its data folder."""

import os
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile

from django.core.management.utils import get_random_secret_key


def load_or_create_secret(folder: Path, name: str) -> str:
    """Return a secret of the embedded portal. The first start creates it."""
    path = folder / name.lower()
    if not path.exists():
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with NamedTemporaryFile("w", dir=folder, prefix=".", delete=False) as file:  # readable by this user only
            file.write(get_random_secret_key())
        with suppress(FileExistsError):  # another process was faster
            os.link(file.name, path)
        Path(file.name).unlink()
    return path.read_text()
