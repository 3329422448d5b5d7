"""What does gpg say to a signature, where it is installed? Read through its status lines; its exit code says nothing.

A home of its own for each question, gone afterwards; fixed arguments; no network, no agent, no file name from outside.
"""

import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

SECONDS = 20
SIGNED = frozenset({"GOODSIG", "EXPSIG", "EXPKEYSIG", "REVKEYSIG"})
ARGUMENTS = (
    "--batch", "--no-tty", "--no-options", "--no-autostart", "--disable-dirmngr", "--no-auto-key-locate",
    "--no-auto-key-retrieve", "--trust-model", "always", "--allow-weak-digest-algos", "--status-fd", "1",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Status:
    """What gpg said: `signed` is None where it could not tell; `words` are its keywords in order."""

    signed: bool | None
    fingerprint: str = ""
    words: tuple[str, ...] = ()


@cache
def program() -> str:
    """Where gpg is; blank where it is not installed."""
    return shutil.which("gpg") or ""


def ask(document: bytes, signature: bytes, key: bytes) -> Status:
    """Whether this key, as its bytes are, made this signature over the document. The key's own state does not count."""
    if not program():
        return Status(None)
    with tempfile.TemporaryDirectory(prefix="gpg") as folder:
        home = Path(folder)
        home.chmod(0o700)
        for name, content in (("document", document), ("signature", signature), ("key", key)):
            (home / name).write_bytes(content)
        try:
            _run(home, "--import", "--", "key")
            output = _run(home, "--verify", "--", "signature", "document")
        except (OSError, subprocess.TimeoutExpired):
            return Status(None)
    return read(output)


def read(output: str) -> Status:
    """The status lines in our words. Good is only what is both called good and named with a full fingerprint."""
    lines = [line.split()[1:] for line in output.splitlines() if line.startswith("[GNUPG:] ")]
    lines = [line for line in lines if line]
    said = tuple(line[0] for line in lines)
    fingerprint = next((line[1] for line in lines if line[0] == "VALIDSIG" and len(line) > 1), "")
    if "BADSIG" in said:
        return Status(False, words=said)
    if fingerprint and SIGNED.intersection(said):
        return Status(True, fingerprint, said)
    return Status(None, words=said)


def _run(home: Path, *arguments: str) -> str:
    done = subprocess.run(  # noqa: S603 - fixed arguments, and file names of our own
        [program(), "--homedir", str(home), *ARGUMENTS, *arguments],
        cwd=home,
        env={"PATH": "/usr/bin:/bin", "GNUPGHOME": str(home), "LC_ALL": "C"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=SECONDS,
        check=False,
    )
    return done.stdout.decode("utf-8", "replace")
