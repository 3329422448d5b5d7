"""Keys and signatures for tests, created by gpg, including weak and expired ones."""

import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from verification.releases.artifacts import armor

GPG = shutil.which("gpg")
KEY_CREATED_AT = "20260401T110000"  # an hour before NOW, because the faked time goes on while gpg runs
NOW = "20260401T120000"
CONFIG = "allow-weak-digest-algos\nallow-weak-key-signatures\n"


class Keyring:
    """GnuPG home with named keys."""

    def __init__(self) -> None:
        self.home = Path(tempfile.mkdtemp(prefix="gpg"))
        self.home.chmod(0o700)
        self.exports: dict[str, bytes] = {}
        (self.home / "gpg.conf").write_text(CONFIG)

    def run_gpg(self, *arguments: str, data: bytes = b"", at: str = NOW) -> bytes:
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

    def create_key(
        self, name: str, algorithm: str, usage: str = "sign", expire: str = "never", at: str = KEY_CREATED_AT
    ) -> None:
        self.run_gpg("--quick-generate-key", build_user_id(name), algorithm, usage, expire, at=at)

    def add_subkey(self, name: str, algorithm: str, expire: str = "never") -> None:
        self.run_gpg("--quick-add-key", self.fingerprint(name), algorithm, "sign", expire, at="20260401T113000")

    def fingerprint(self, name: str) -> str:
        lines = self.run_gpg("--with-colons", "--list-keys", f"={build_user_id(name)}").decode().splitlines()
        return next(line.split(":")[9] for line in lines if line.startswith("fpr"))

    def export(self, *names: str) -> bytes:
        """Return the armored public keys as they are published."""
        if names[0] not in self.exports:
            self.exports[names[0]] = self._export(*names)
        return self.exports[names[0]]

    def _export(self, *names: str) -> bytes:
        return self.run_gpg("--armor", "--export", *(f"={build_user_id(name)}" for name in names))

    def sign(self, name: str, data: bytes, *options: str, at: str = NOW) -> bytes:
        """Return a detached signature."""
        return self.run_gpg("--local-user", f"={build_user_id(name)}", *options, "--detach-sign", data=data, at=at)

    def publish_changed(self, name: str, change: Callable[["Keyring"], None]) -> None:
        """Publish the key with a change. This keyring keeps the unchanged key for signing."""
        copy = Keyring()
        shutil.rmtree(copy.home)
        shutil.copytree(self.home, copy.home, ignore=lambda _, names: [n for n in names if n.startswith("S.")])
        change(copy)
        self.exports[name] = copy._export(name)
        copy.close()

    def rename(self, name: str) -> None:
        """Add a primary user ID to the key and revoke it."""
        fingerprint = self.fingerprint(name)
        former = f"former {build_user_id(name)}"
        self.run_gpg("--quick-add-uid", fingerprint, former, at="20260401T111000")
        self.run_gpg("--quick-set-primary-uid", fingerprint, former, at="20260401T112000")
        self.run_gpg("--quick-revoke-uid", fingerprint, former, at="20260401T113000")

    def revoke(self, name: str) -> None:
        """Revoke the key with the certificate that gpg created with it."""
        path = self.home / "openpgp-revocs.d" / f"{self.fingerprint(name)}.rev"
        self.run_gpg("--import", data=path.read_bytes().replace(b"\n:-----", b"\n-----"))

    def revoke_subkey(self, name: str) -> None:
        """Revoke the first subkey without a reason."""
        answers = b"key 1\nrevkey\ny\n0\n\ny\nsave\n"
        self.run_gpg("--command-fd", "0", "--no-batch", "--edit-key", self.fingerprint(name), data=answers)

    def expire(self, name: str) -> None:
        """Let the key expire on January 31."""
        self.run_gpg("--quick-set-expire", self.fingerprint(name), "30d", at="20260101T000000")

    def close(self) -> None:
        subprocess.run(["gpgconf", "--homedir", str(self.home), "--kill", "all"], check=False, capture_output=True)
        shutil.rmtree(self.home, ignore_errors=True)


def build_user_id(name: str) -> str:
    """Return the user ID of a key."""
    return f"{name} <{name}@acme.example>"


def build_trust_signature(keyring: Keyring, by: str = "partner", over: str = "good") -> str:
    """Return a trust signature by one key over another."""
    key = armor.decode(keyring.export(over))
    assert key is not None
    command = ("--armor", "--local-user", f"={build_user_id(by)}", "--detach-sign")
    return keyring.run_gpg(*command, data=key.read()).decode()


def build_test_keyring() -> Keyring:
    """Return a keyring with all keys of the tests."""
    keys = Keyring()
    keys.create_key("good", "rsa3072")
    keys.create_key("other", "rsa2048")
    keys.create_key("partner", "rsa2048")
    keys.create_key("expired", "rsa2048", expire="30d", at="20260101T000000")
    keys.create_key("revoked", "rsa2048")
    keys.create_key("weak", "rsa1024")
    keys.create_key("dsa", "dsa2048")
    keys.create_key("ed25519", "ed25519")
    keys.create_key("nistp256", "nistp256")
    keys.create_key("subkey", "rsa2048", usage="cert")
    keys.add_subkey("subkey", "rsa2048")
    keys.create_key("short-subkey", "rsa2048", usage="cert")
    keys.add_subkey("short-subkey", "rsa2048", expire="30d")
    keys.create_key("outlived", "rsa2048", at="20260101T000000")
    keys.publish_changed("outlived", lambda k: k.expire("outlived"))
    keys.publish_changed("revoked", lambda k: k.revoke("revoked"))
    keys.create_key("renamed", "rsa2048")
    keys.rename("renamed")
    keys.create_key("retired-subkey", "rsa2048", usage="cert")
    keys.add_subkey("retired-subkey", "rsa2048")
    keys.publish_changed("retired-subkey", lambda k: k.revoke_subkey("retired-subkey"))
    return keys
