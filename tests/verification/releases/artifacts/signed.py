"""Signatures of every class: how each is made, what it is, and whether its arithmetic holds."""

from collections.abc import Callable
from dataclasses import dataclass

from tests.verification.releases.artifacts.keyring import Keyring
from verification.releases.artifacts.signatures import Class

DOCUMENT = b"".join(b"%064x  terraform-provider-rocket_1.0.0_%d.zip\n" % (n, n) for n in range(3))
OTHER = DOCUMENT + b"\n"
ARMOUR = "-----BEGIN PGP PUBLIC KEY BLOCK-----"
UNKNOWN = "authentication signature from unknown issuer"
BIT = "error checking signature: openpgp: invalid data: tag byte does not have MSB set"


def fault(why: str) -> str:
    return f"error checking signature: {why}"


def verification(family: str) -> str:
    return fault(f"openpgp: invalid signature: {family} verification failure")


@dataclass(frozen=True)
class Case:
    """`terraform` is its sentence, blank where it accepts, None where only the real one could say."""

    make: Callable[[Keyring], bytes]
    kind: Class
    keys: tuple[str, ...] = ("good",)
    terraform: str | None = ""
    document: bytes = DOCUMENT


def by(name: str, *options: str, at: str = "20260401T120000") -> Callable[[Keyring], bytes]:
    return lambda keys: keys.sign(name, DOCUMENT, *options, at=at)


def change_signature(name: str, change: Callable[[bytes], bytes], *options: str) -> Callable[[Keyring], bytes]:
    return lambda keys: change(keys.sign(name, DOCUMENT, *options))


def flip_bit(data: bytes) -> bytes:
    return data[:-3] + bytes([data[-3] ^ 1]) + data[-2:]


SHA1, EXPIRING = ("--digest-algo", "SHA1"), ("--default-sig-expire", "10d")
CASES: dict[str, Case] = {
    "RSA": Case(by("good"), Class.GOOD),
    "SHA-512": Case(by("good", "--digest-algo", "SHA512"), Class.GOOD),
    "SHA-224": Case(by("good", "--digest-algo", "SHA224"), Class.GOOD),
    "RSA 2048": Case(by("other"), Class.GOOD, ("other",)),
    "DSA": Case(by("dsa"), Class.GOOD, ("dsa",)),
    "second key": Case(by("good"), Class.GOOD, ("other", "good")),
    "subkey": Case(by("subkey"), Class.GOOD, ("subkey",)),
    "twice": Case(change_signature("good", lambda data: data * 2), Class.GOOD),
    "signature that will expire": Case(by("good", "--default-sig-expire", "20y"), Class.GOOD),
    "expired since": Case(by("expired", at="20260115T000000"), Class.EXPIRED_SINCE, ("expired",)),
    "expired at signing": Case(by("outlived"), Class.EXPIRED_AT_SIGNING, ("outlived",)),
    "revoked": Case(by("revoked"), Class.REVOKED, ("revoked",), fault("openpgp: signature made by revoked key")),
    "expired signature": Case(
        by("good", *EXPIRING), Class.SIGNATURE_EXPIRED, terraform=fault("openpgp: signature expired")
    ),
    "expired key and signature": Case(
        by("expired", *EXPIRING, at="20260115T000000"), Class.SIGNATURE_EXPIRED, ("expired",)
    ),
    "future": Case(by("good", at="20900101T000000"), Class.FUTURE, terraform=fault("openpgp: signature expired")),
    "revoked subkey": Case(
        by("retired-subkey"),
        Class.REVOKED,
        ("retired-subkey",),
        fault("openpgp: signature made by revoked key"),
    ),
    "bytes behind the signature": Case(change_signature("good", lambda data: data + b"more"), Class.GOOD),
    "thirty keys": Case(by("good"), Class.GOOD, ("other",) * 30 + ("good",)),
    "revoked user ID": Case(by("renamed"), Class.GOOD, ("renamed",)),
    "SHA-1": Case(by("good", *SHA1), Class.WEAK_DIGEST),
    "MD5": Case(by("good", "--digest-algo", "MD5"), Class.UNSUPPORTED, terraform=UNKNOWN),
    "RIPEMD": Case(by("good", "--digest-algo", "RIPEMD160"), Class.UNSUPPORTED, terraform=UNKNOWN),
    "RSA 1024": Case(by("weak"), Class.WEAK_KEY, ("weak",)),
    "Ed25519": Case(by("ed25519"), Class.ECC_KEY, ("ed25519",)),
    "NIST P-256": Case(by("nistp256"), Class.ECC_KEY, ("nistp256",)),
    "other key": Case(by("other"), Class.WRONG_KEY, terraform=UNKNOWN),
    "other of two": Case(by("other"), Class.WRONG_KEY, ("good", "dsa"), UNKNOWN),
    "no keys": Case(by("good"), Class.NO_KEYS, (), UNKNOWN),
    "document changed": Case(by("good"), Class.TAMPERED, terraform=verification("RSA"), document=OTHER),
    "bit flipped": Case(change_signature("good", flip_bit), Class.TAMPERED, terraform=verification("RSA")),
    "changed, SHA-1": Case(by("good", *SHA1), Class.TAMPERED, terraform=verification("RSA"), document=OTHER),
    "changed, RSA 1024": Case(by("weak"), Class.TAMPERED, ("weak",), verification("RSA"), OTHER),
    "changed, revoked": Case(by("revoked"), Class.TAMPERED, ("revoked",), verification("RSA"), OTHER),
    "changed, expired": Case(
        by("expired", at="20260115T000000"), Class.TAMPERED, ("expired",), verification("RSA"), OTHER
    ),
    "changed, outlived": Case(by("outlived"), Class.TAMPERED, ("outlived",), verification("RSA"), OTHER),
    "changed, DSA": Case(by("dsa"), Class.TAMPERED, ("dsa",), verification("DSA"), OTHER),
    "changed, Ed25519": Case(by("ed25519"), Class.TAMPERED, ("ed25519",), verification("EdDSA"), OTHER),
    "changed, NIST P-256": Case(by("nistp256"), Class.TAMPERED, ("nistp256",), verification("ECDSA"), OTHER),
    "changed, subkey": Case(by("subkey"), Class.TAMPERED, ("subkey",), verification("RSA"), OTHER),
    "empty": Case(lambda _: b"", Class.EMPTY, terraform=UNKNOWN),
    "text": Case(lambda _: b"no signature\n", Class.NO_SIGNATURE, terraform=BIT),
    "page": Case(lambda _: b"<html></html>", Class.NO_SIGNATURE, terraform=BIT),
    "armored": Case(by("good", "--armor"), Class.ARMORED, terraform=BIT),
    "cut": Case(change_signature("good", lambda data: data[:100]), Class.MALFORMED, terraform=fault("unexpected EOF")),
    "a key instead": Case(
        lambda keys: keys.gpg("--export", "=good <good@acme.example>"),
        Class.NO_SIGNATURE,
        terraform=fault("openpgp: invalid data: non signature packet found"),
    ),
    "random bytes": Case(lambda _: bytes(range(128, 256)) * 4, Class.NO_SIGNATURE, terraform=None),
}
