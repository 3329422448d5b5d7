"""Manifest of published editions and agreements: the SHA-256 of each file, which never changes once published.

`content/SHA256SUMS` has the format of sha256sum(1), so `sha256sum --check SHA256SUMS` verifies it too.
"""

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

FILE_NAME = "SHA256SUMS"


def compute_checksums(content: Path) -> dict[str, str]:
    """Return the checksum of every edition and agreement in a content folder by its name, "<program>/<date>.yaml"."""
    paths = sorted((*content.glob("*/*.yaml"), *content.glob("agreements/*/*.md")))
    return {path.relative_to(content).as_posix(): sha256(path.read_bytes()).hexdigest() for path in paths}


def read_manifest(content: Path) -> dict[str, str]:
    """Return the checksums of the published files by name. Without a manifest, none is published."""
    path = content / FILE_NAME
    lines = path.read_text().splitlines() if path.exists() else []
    return {name: checksum for checksum, _, name in (line.partition("  ") for line in lines)}


def find_changes(content: Path) -> Iterator[str]:
    """Yield the published files that are changed or missing."""
    manifest = read_manifest(content)
    current = compute_checksums(content)
    for name, checksum in manifest.items():
        if name not in current:
            yield f"{name}: This published file is missing. Restore it."
        elif current[name] != checksum:
            yield f"{name}: This published file has changed. Restore it and add a newer version."


def find_unpublished(content: Path) -> Iterator[str]:
    """Yield the files that are not in the manifest."""
    for name in sorted(compute_checksums(content).keys() - read_manifest(content).keys()):
        yield f"{name}: This file is not published. Run `manage.py publish_editions`."


def publish_editions(content: Path) -> list[str]:
    """Add unpublished files to the manifest and return their names.

    Raises:
        ValueError: A published file is changed or missing. The manifest stays unchanged.
    """
    # docs/decisions/0009: a partner who started under one published text must not be measured by another.
    if changes := list(find_changes(content)):
        raise ValueError("\n".join(changes))
    manifest = read_manifest(content)
    current = compute_checksums(content)
    # Two spaces, as sha256sum(1) writes and expects them.
    lines = (f"{checksum}  {name}\n" for name, checksum in sorted(current.items()))
    (content / FILE_NAME).write_text("".join(lines))
    return sorted(current.keys() - manifest.keys())
