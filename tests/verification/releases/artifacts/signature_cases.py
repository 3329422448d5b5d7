"""Signatures of every class with the expected verdicts of the portal and Terraform, and oversized signatures."""

from collections.abc import Callable
from dataclasses import dataclass

from tests.verification.releases.artifacts.keyring import Keyring
from verification.releases.artifacts.signatures import SignatureClass

DOCUMENT = b"".join(b"%064x  terraform-provider-rocket_1.0.0_%d.zip\n" % (n, n) for n in range(3))
ARMOR = "-----BEGIN PGP PUBLIC KEY BLOCK-----"
UNKNOWN_ISSUER = "authentication signature from unknown issuer"


def build_error(reason: str) -> str:
    return f"error checking signature: {reason}"


REVOKED = build_error("openpgp: signature made by revoked key")
EXPIRED = build_error("openpgp: signature expired")
RSA_FAILURE = build_error("openpgp: invalid signature: RSA verification failure")
NO_SIGNATURE = build_error("openpgp: invalid data: tag byte does not have MSB set")


@dataclass(frozen=True)
class Case:
    """A signature. `terraform` is Terraform's error, blank if it accepts the signature, None if we don't know."""

    sign: Callable[[Keyring], bytes]
    kind: SignatureClass
    keys: tuple[str, ...] = ("good",)
    terraform: str | None = ""
    document: bytes = DOCUMENT


def sign_with(name: str, *options: str, at: str = "20260401T120000") -> Callable[[Keyring], bytes]:
    return lambda keys: keys.sign(name, DOCUMENT, *options, at=at)


def change_signature(name: str, change: Callable[[bytes], bytes], *options: str) -> Callable[[Keyring], bytes]:
    return lambda keys: change(keys.sign(name, DOCUMENT, *options))


def with_changed_document(name: str, error: str, *options: str, at: str = "20260401T120000") -> Case:
    """Return a case whose document was changed after signing."""
    return Case(sign_with(name, *options, at=at), SignatureClass.TAMPERED, (name,), error, DOCUMENT + b"\n")


def flip_bit(data: bytes) -> bytes:
    return data[:-3] + bytes([data[-3] ^ 1]) + data[-2:]


SHA1 = ("--digest-algo", "SHA1")
EXPIRING = ("--default-sig-expire", "10d")
CASES: dict[str, Case] = {
    "RSA": Case(sign_with("good"), SignatureClass.GOOD),
    "SHA-512": Case(sign_with("good", "--digest-algo", "SHA512"), SignatureClass.GOOD),
    "SHA-224": Case(sign_with("good", "--digest-algo", "SHA224"), SignatureClass.GOOD),
    "RSA 2048": Case(sign_with("other"), SignatureClass.GOOD, ("other",)),
    "DSA": Case(sign_with("dsa"), SignatureClass.GOOD, ("dsa",)),
    "second key": Case(sign_with("good"), SignatureClass.GOOD, ("other", "good")),
    "subkey": Case(sign_with("subkey"), SignatureClass.GOOD, ("subkey",)),
    "twice": Case(change_signature("good", lambda data: data * 2), SignatureClass.GOOD),
    "signature that will expire": Case(sign_with("good", "--default-sig-expire", "20y"), SignatureClass.GOOD),
    "expired since": Case(sign_with("expired", at="20260115T000000"), SignatureClass.EXPIRED_SINCE, ("expired",)),
    "expired at signing": Case(sign_with("outlived"), SignatureClass.EXPIRED_AT_SIGNING, ("outlived",)),
    "revoked": Case(sign_with("revoked"), SignatureClass.REVOKED, ("revoked",), REVOKED),
    "expired signature": Case(sign_with("good", *EXPIRING), SignatureClass.SIGNATURE_EXPIRED, terraform=EXPIRED),
    "expired key and signature": Case(
        sign_with("expired", *EXPIRING, at="20260115T000000"), SignatureClass.SIGNATURE_EXPIRED, ("expired",)
    ),
    "future": Case(sign_with("good", at="20900101T000000"), SignatureClass.FUTURE, terraform=EXPIRED),
    "revoked subkey": Case(sign_with("retired-subkey"), SignatureClass.REVOKED, ("retired-subkey",), REVOKED),
    "bytes after the signature": Case(change_signature("good", lambda data: data + b"more"), SignatureClass.GOOD),
    "thirty keys": Case(sign_with("good"), SignatureClass.GOOD, ("other",) * 30 + ("good",)),
    "revoked user ID": Case(sign_with("renamed"), SignatureClass.GOOD, ("renamed",)),
    "SHA-1": Case(sign_with("good", *SHA1), SignatureClass.WEAK_DIGEST),
    "MD5": Case(sign_with("good", "--digest-algo", "MD5"), SignatureClass.UNSUPPORTED, terraform=UNKNOWN_ISSUER),
    "RIPEMD": Case(
        sign_with("good", "--digest-algo", "RIPEMD160"), SignatureClass.UNSUPPORTED, terraform=UNKNOWN_ISSUER
    ),
    "RSA 1024": Case(sign_with("weak"), SignatureClass.WEAK_KEY, ("weak",)),
    "Ed25519": Case(sign_with("ed25519"), SignatureClass.ECC_KEY, ("ed25519",)),
    "NIST P-256": Case(sign_with("nistp256"), SignatureClass.ECC_KEY, ("nistp256",)),
    "other key": Case(sign_with("other"), SignatureClass.WRONG_KEY, terraform=UNKNOWN_ISSUER),
    "other of two": Case(sign_with("other"), SignatureClass.WRONG_KEY, ("good", "dsa"), UNKNOWN_ISSUER),
    "no keys": Case(sign_with("good"), SignatureClass.NO_KEYS, (), UNKNOWN_ISSUER),
    "document changed": with_changed_document("good", RSA_FAILURE),
    "bit flipped": Case(change_signature("good", flip_bit), SignatureClass.TAMPERED, terraform=RSA_FAILURE),
    "changed, SHA-1": with_changed_document("good", RSA_FAILURE, *SHA1),
    "changed, RSA 1024": with_changed_document("weak", RSA_FAILURE),
    "changed, revoked": with_changed_document("revoked", RSA_FAILURE),
    "changed, expired": with_changed_document("expired", RSA_FAILURE, at="20260115T000000"),
    "changed, outlived": with_changed_document("outlived", RSA_FAILURE),
    "changed, DSA": with_changed_document("dsa", RSA_FAILURE.replace("RSA", "DSA")),
    "changed, Ed25519": with_changed_document("ed25519", RSA_FAILURE.replace("RSA", "EdDSA")),
    "changed, NIST P-256": with_changed_document("nistp256", RSA_FAILURE.replace("RSA", "ECDSA")),
    "changed, subkey": with_changed_document("subkey", RSA_FAILURE),
    "empty": Case(lambda _: b"", SignatureClass.EMPTY, terraform=UNKNOWN_ISSUER),
    "text": Case(lambda _: b"no signature\n", SignatureClass.NO_SIGNATURE, terraform=NO_SIGNATURE),
    "HTML": Case(lambda _: b"<html></html>", SignatureClass.NO_SIGNATURE, terraform=NO_SIGNATURE),
    "armored": Case(sign_with("good", "--armor"), SignatureClass.ARMORED, terraform=NO_SIGNATURE),
    "truncated": Case(
        change_signature("good", lambda data: data[:100]),
        SignatureClass.MALFORMED,
        terraform=build_error("unexpected EOF"),
    ),
    "key instead of a signature": Case(
        lambda keys: keys.run_gpg("--export", "=good <good@acme.example>"),
        SignatureClass.NO_SIGNATURE,
        terraform=build_error("openpgp: invalid data: non signature packet found"),
    ),
    "random bytes": Case(lambda _: bytes(range(128, 256)) * 4, SignatureClass.NO_SIGNATURE, terraform=None),
}
# signatures that a careless parser would read for a long time
OVERSIZED = {
    "64 KiB of zeros": bytes(65536),
    "64 KiB of one byte": b"\xff" * 65536,
    "length of 4 GiB": b"\xc2\xff\xff\xff\xff\xff" + bytes(1000),
    "partial lengths": b"\xc2" + b"\xe1ab" * 20_000,
    "packets in packets": b"\xc8\x05\x00" * 20_000,
    "marker packets": b"\xca\x03PGP" * 13_000,
}
