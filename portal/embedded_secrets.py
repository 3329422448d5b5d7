"""Secrets of the embedded portal, which are files in its data folder."""

from pathlib import Path

from django.core.management.utils import get_random_secret_key

from portal.core.new_files import create_file


def load_or_create_secret(folder: Path, name: str) -> str:
    """Return a secret of the embedded portal. The first start creates it."""
    path = folder / name.lower()
    if not path.exists():
        create_file(path, get_random_secret_key())
    return path.read_text()
