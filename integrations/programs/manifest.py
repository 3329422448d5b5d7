"""Manifest of published editions: the SHA-256 checksum of each file, which never changes once published.

`content/SHA256SUMS` has the format of sha256sum(1), so `sha256sum --check SHA256SUMS` verifies it too.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

FILE_NAME = "SHA256SUMS"
RESTORE = "Restore the file and create a newer edition."


@dataclass(frozen=True, slots=True)
class ManifestProblem:
    """A difference between the manifest and the files: the file, what is wrong, and how to fix it."""

    name: str
    problem: str
    fix: str

    def __str__(self) -> str:
        return f"{self.name}: {self.problem} {self.fix}"


def compute_checksums(content: Path) -> dict[str, str]:
    """Return the checksum of every edition in a content folder by its name, "<program>/<date>.yaml"."""
    paths = sorted(content.glob("*/*.yaml"))
    return {path.relative_to(content).as_posix(): sha256(path.read_bytes()).hexdigest() for path in paths}


def read_manifest(content: Path) -> dict[str, str]:
    """Return the checksums of the published editions by name. Without a manifest, no edition is published."""
    path = content / FILE_NAME
    lines = path.read_text().splitlines() if path.exists() else []
    return {name: checksum for checksum, _, name in (line.partition("  ") for line in lines)}


def write_manifest(content: Path, checksums: Mapping[str, str]) -> None:
    """Write the checksums of the published editions, sorted by name."""
    lines = (f"{checksum}  {name}\n" for name, checksum in sorted(checksums.items()))
    (content / FILE_NAME).write_text("".join(lines))


def find_changes(content: Path) -> Iterator[ManifestProblem]:
    """Yield the published editions that are changed or missing."""
    manifest, current = read_manifest(content), compute_checksums(content)
    for name, checksum in manifest.items():
        if name not in current:
            yield ManifestProblem(name, "This published edition is missing.", "Restore the file.")
        elif current[name] != checksum:
            yield ManifestProblem(name, "This published edition has changed.", RESTORE)


def find_unpublished(content: Path) -> Iterator[ManifestProblem]:
    """Yield the editions that are not in the manifest."""
    for name in sorted(compute_checksums(content).keys() - read_manifest(content).keys()):
        yield ManifestProblem(name, "This edition is not published.", "Run `manage.py publish_editions`.")


def publish_editions(content: Path) -> list[str]:
    """Add unpublished editions to the manifest and return their names.

    Raises:
        ValueError: A published edition is changed or missing. The manifest stays unchanged.
    """
    if changes := list(find_changes(content)):
        raise ValueError("\n".join(map(str, changes)))
    manifest, current = read_manifest(content), compute_checksums(content)
    write_manifest(content, current)
    return sorted(current.keys() - manifest.keys())
