"""Folders that tests share, deleted when the process ends."""

import atexit
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp


def shared(prefix: str) -> Path:
    folder = mkdtemp(prefix=prefix)
    atexit.register(rmtree, folder, ignore_errors=True)
    return Path(folder)
