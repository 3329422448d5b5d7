"""Keys and signatures for tests, made by gpg, including weak and expired ones."""

import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from verification.releases.artifacts import armor

GPG = shutil.which("gpg")
KEY_CREATED_AT = "20260401T110000"  # before NOW, because gpg adds the seconds that it runs on a busy machine
NOW = "20260401T120000"  # the default time of gpg
LATER = "20260601T120000"
CONFIG = "allow-weak-digest-algos\nallow-weak-key-signatures\n"


class Keyring:
    """Folder of keys, each with a name."""

    def __init__(self) -> None:
        self.home = Path(tempfile.mkdtemp(prefix="gpg"))
        self.home.chmod(0o700)
        self.exports: dict[str, bytes] = {}
        (self.home / "gpg.conf").write_text(CONFIG)

    def gpg(self, *arguments: str, data: bytes = b"", at: str = NOW) -> bytes:
        command = [
            str(GPG),
            "--homedir",
            str(self.home),
            "--batch",
            "--no-tty",
            "--yes",
            "--quiet",
            "--pinentry-mode",
            "loopback",
            "--passphrase",
            "",
            "--faked-system-time",
            at,
        ]
        command += arguments
        process = subprocess.run(command, input=data, capture_output=True, timeout=60)
        assert process.returncode == 0, process.stderr.decode()
        return process.stdout

    def make(
        self, name: str, algorithm: str, usage: str = "sign", expire: str = "never", at: str = KEY_CREATED_AT
    ) -> None:
        self.gpg("--quick-generate-key", mail(name), algorithm, usage, expire, at=at)

    def add_subkey(self, name: str, algorithm: str, usage: str = "sign") -> None:
        self.gpg("--quick-add-key", self.fingerprint(name), algorithm, usage, "never", at="20260401T113000")

    def fingerprint(self, name: str) -> str:
        lines = self.gpg("--with-colons", "--list-keys", f"={mail(name)}").decode().splitlines()
        return next(line.split(":")[9] for line in lines if line.startswith("fpr"))

    def export(self, *names: str) -> bytes:
        """Return the armored public keys as others see them."""
        if names[0] not in self.exports:
            self.exports[names[0]] = self._export(*names)
        return self.exports[names[0]]

    def _export(self, *names: str) -> bytes:
        return self.gpg("--armor", "--export", *(f"={mail(name)}" for name in names))

    def sign(self, name: str, data: bytes, *options: str, at: str = NOW) -> bytes:
        """Return a detached signature."""
        return self.gpg("--local-user", f"={mail(name)}", *options, "--detach-sign", data=data, at=at)

    def publish_as(self, name: str, change: Callable[["Keyring"], None]) -> None:
        """Export the key as it is after a change; this keyring keeps signing with the unchanged key."""
        other = Keyring()
        shutil.rmtree(other.home)
        shutil.copytree(self.home, other.home, ignore=lambda _, names: [n for n in names if n.startswith("S.")])
        change(other)
        self.exports[name] = other._export(name)
        other.close()

    def rename(self, name: str) -> None:
        """Give the key another user ID, marked as the primary one, and revoke that one."""
        fingerprint, former = self.fingerprint(name), f"former {mail(name)}"
        self.gpg("--quick-add-uid", fingerprint, former, at="20260401T111000")
        self.gpg("--quick-set-primary-uid", fingerprint, former, at="20260401T112000")
        self.gpg("--quick-revoke-uid", fingerprint, former, at="20260401T113000")

    def revoke(self, name: str) -> None:
        """Revoke the key with the certificate that gpg created with it."""
        path = self.home / "openpgp-revocs.d" / f"{self.fingerprint(name)}.rev"
        self.gpg("--import", data=path.read_bytes().replace(b"\n:-----", b"\n-----"))

    def revoke_subkey(self, name: str) -> None:
        """Revoke the first subkey, for no particular reason."""
        answers = b"key 1\nrevkey\ny\n0\n\ny\nsave\n"
        self.gpg("--command-fd", "0", "--no-batch", "--edit-key", self.fingerprint(name), data=answers)

    def end(self, name: str) -> None:
        """Let the key expire on January 31."""
        self.gpg("--quick-set-expire", self.fingerprint(name), "30d", at="20260101T000000")

    def close(self) -> None:
        subprocess.run(["gpgconf", "--homedir", str(self.home), "--kill", "all"], check=False, capture_output=True)
        shutil.rmtree(self.home, ignore_errors=True)


def mail(name: str) -> str:
    """Return the user ID of a key."""
    return f"{name} <{name}@acme.example>"


def build_trust_signature(keyring: Keyring, by: str = "partner", over: str = "good") -> str:
    """Return a trust signature by one key over another."""
    inside = armor.decode(keyring.export(over)).read()
    return keyring.gpg("--armor", "--local-user", f"={mail(by)}", "--detach-sign", data=inside).decode()


def build_test_keyring() -> Keyring:
    """Return a keyring with all keys of the tests."""
    keys = Keyring()
    keys.make("good", "rsa3072")
    keys.make("other", "rsa2048")
    keys.make("partner", "rsa2048")
    keys.make("expired", "rsa2048", expire="30d", at="20260101T000000")
    keys.make("revoked", "rsa2048")
    keys.make("weak", "rsa1024")
    keys.make("dsa", "dsa2048")
    keys.make("ed25519", "ed25519")
    keys.make("nistp256", "nistp256")
    keys.make("subkey", "rsa2048", usage="cert")
    keys.add_subkey("subkey", "rsa2048")
    keys.make("outlived", "rsa2048", at="20260101T000000")
    keys.publish_as(
        "outlived", lambda k: k.gpg("--quick-set-expire", k.fingerprint("outlived"), "30d", at="20260101T000000")
    )
    keys.publish_as("revoked", lambda k: k.revoke("revoked"))
    keys.make("renamed", "rsa2048")
    keys.rename("renamed")
    keys.make("retired-subkey", "rsa2048", usage="cert")
    keys.add_subkey("retired-subkey", "rsa2048")
    keys.publish_as("retired-subkey", lambda k: k.revoke_subkey("retired-subkey"))
    return keys
