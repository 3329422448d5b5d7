"""Secrets of the embedded portal, which are files in its data folder."""

from pathlib import Path

from django.core.management.utils import get_random_secret_key


def load_or_create_secret(folder: Path, name: str) -> str:
    """Return a secret of the embedded portal. The first start creates it."""
    path = folder / name.lower()
    if not path.exists():
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.write_text(get_random_secret_key())
        path.chmod(0o600)
    return path.read_text()
