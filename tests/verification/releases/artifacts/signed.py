"""Signatures of every class, with the expected verdicts of the portal and Terraform."""

from collections.abc import Callable
from dataclasses import dataclass

from tests.verification.releases.artifacts.keyring import Keyring
from verification.releases.artifacts.signatures import SignatureClass

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
    """A signature. `terraform` is Terraform's error, blank if it accepts, None if only Terraform could tell."""

    make: Callable[[Keyring], bytes]
    kind: SignatureClass
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
    "RSA": Case(by("good"), SignatureClass.GOOD),
    "SHA-512": Case(by("good", "--digest-algo", "SHA512"), SignatureClass.GOOD),
    "SHA-224": Case(by("good", "--digest-algo", "SHA224"), SignatureClass.GOOD),
    "RSA 2048": Case(by("other"), SignatureClass.GOOD, ("other",)),
    "DSA": Case(by("dsa"), SignatureClass.GOOD, ("dsa",)),
    "second key": Case(by("good"), SignatureClass.GOOD, ("other", "good")),
    "subkey": Case(by("subkey"), SignatureClass.GOOD, ("subkey",)),
    "twice": Case(change_signature("good", lambda data: data * 2), SignatureClass.GOOD),
    "signature that will expire": Case(by("good", "--default-sig-expire", "20y"), SignatureClass.GOOD),
    "expired since": Case(by("expired", at="20260115T000000"), SignatureClass.EXPIRED_SINCE, ("expired",)),
    "expired at signing": Case(by("outlived"), SignatureClass.EXPIRED_AT_SIGNING, ("outlived",)),
    "revoked": Case(
        by("revoked"), SignatureClass.REVOKED, ("revoked",), fault("openpgp: signature made by revoked key")
    ),
    "expired signature": Case(
        by("good", *EXPIRING), SignatureClass.SIGNATURE_EXPIRED, terraform=fault("openpgp: signature expired")
    ),
    "expired key and signature": Case(
        by("expired", *EXPIRING, at="20260115T000000"), SignatureClass.SIGNATURE_EXPIRED, ("expired",)
    ),
    "future": Case(
        by("good", at="20900101T000000"), SignatureClass.FUTURE, terraform=fault("openpgp: signature expired")
    ),
    "revoked subkey": Case(
        by("retired-subkey"),
        SignatureClass.REVOKED,
        ("retired-subkey",),
        fault("openpgp: signature made by revoked key"),
    ),
    "bytes behind the signature": Case(change_signature("good", lambda data: data + b"more"), SignatureClass.GOOD),
    "thirty keys": Case(by("good"), SignatureClass.GOOD, ("other",) * 30 + ("good",)),
    "revoked user ID": Case(by("renamed"), SignatureClass.GOOD, ("renamed",)),
    "SHA-1": Case(by("good", *SHA1), SignatureClass.WEAK_DIGEST),
    "MD5": Case(by("good", "--digest-algo", "MD5"), SignatureClass.UNSUPPORTED, terraform=UNKNOWN),
    "RIPEMD": Case(by("good", "--digest-algo", "RIPEMD160"), SignatureClass.UNSUPPORTED, terraform=UNKNOWN),
    "RSA 1024": Case(by("weak"), SignatureClass.WEAK_KEY, ("weak",)),
    "Ed25519": Case(by("ed25519"), SignatureClass.ECC_KEY, ("ed25519",)),
    "NIST P-256": Case(by("nistp256"), SignatureClass.ECC_KEY, ("nistp256",)),
    "other key": Case(by("other"), SignatureClass.WRONG_KEY, terraform=UNKNOWN),
    "other of two": Case(by("other"), SignatureClass.WRONG_KEY, ("good", "dsa"), UNKNOWN),
    "no keys": Case(by("good"), SignatureClass.NO_KEYS, (), UNKNOWN),
    "document changed": Case(by("good"), SignatureClass.TAMPERED, terraform=verification("RSA"), document=OTHER),
    "bit flipped": Case(change_signature("good", flip_bit), SignatureClass.TAMPERED, terraform=verification("RSA")),
    "changed, SHA-1": Case(by("good", *SHA1), SignatureClass.TAMPERED, terraform=verification("RSA"), document=OTHER),
    "changed, RSA 1024": Case(by("weak"), SignatureClass.TAMPERED, ("weak",), verification("RSA"), OTHER),
    "changed, revoked": Case(by("revoked"), SignatureClass.TAMPERED, ("revoked",), verification("RSA"), OTHER),
    "changed, expired": Case(
        by("expired", at="20260115T000000"), SignatureClass.TAMPERED, ("expired",), verification("RSA"), OTHER
    ),
    "changed, outlived": Case(by("outlived"), SignatureClass.TAMPERED, ("outlived",), verification("RSA"), OTHER),
    "changed, DSA": Case(by("dsa"), SignatureClass.TAMPERED, ("dsa",), verification("DSA"), OTHER),
    "changed, Ed25519": Case(by("ed25519"), SignatureClass.TAMPERED, ("ed25519",), verification("EdDSA"), OTHER),
    "changed, NIST P-256": Case(by("nistp256"), SignatureClass.TAMPERED, ("nistp256",), verification("ECDSA"), OTHER),
    "changed, subkey": Case(by("subkey"), SignatureClass.TAMPERED, ("subkey",), verification("RSA"), OTHER),
    "empty": Case(lambda _: b"", SignatureClass.EMPTY, terraform=UNKNOWN),
    "text": Case(lambda _: b"no signature\n", SignatureClass.NO_SIGNATURE, terraform=BIT),
    "page": Case(lambda _: b"<html></html>", SignatureClass.NO_SIGNATURE, terraform=BIT),
    "armored": Case(by("good", "--armor"), SignatureClass.ARMORED, terraform=BIT),
    "cut": Case(
        change_signature("good", lambda data: data[:100]), SignatureClass.MALFORMED, terraform=fault("unexpected EOF")
    ),
    "a key instead": Case(
        lambda keys: keys.gpg("--export", "=good <good@acme.example>"),
        SignatureClass.NO_SIGNATURE,
        terraform=fault("openpgp: invalid data: non signature packet found"),
    ),
    "random bytes": Case(lambda _: bytes(range(128, 256)) * 4, SignatureClass.NO_SIGNATURE, terraform=None),
}
