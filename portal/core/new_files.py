"""Files that one of several processes creates."""

import os
from pathlib import Path
from tempfile import NamedTemporaryFile


def create_file(path: Path, text: str) -> bool:
    """Write a file atomically, and its folder if it is missing. Return whether this process created it.

    Only this user can read the file. A file that exists stays as it is.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with NamedTemporaryFile("w", dir=path.parent, prefix=f".{path.name}-", delete=False) as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    try:
        os.link(file.name, path)  # unlike a rename, fails if another process created the file
    except FileExistsError:
        return False
    finally:
        Path(file.name).unlink()
    return True
