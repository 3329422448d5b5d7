"""Cryptographic verification of one signature with one key.

The library cryptography verifies all algorithms except DSA, whose key sizes it restricts.
"""

from enum import StrEnum

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed448, ed25519, rsa
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.utils import Prehashed, encode_dss_signature

from verification.releases.artifacts.packets import DSA, PublicKey
from verification.releases.artifacts.signature_packets import Signature

MAX_RSA_BITS = 16384  # OpenSSL's limit
# The time of a verification grows with their product.
MAX_DSA_BITS = 4096
MAX_SUBGROUP_BITS = 512
ED448_SIZE = 115  # with a leading byte for the format of the point


class LimitError(ValueError):
    """Key that the portal doesn't verify with, unlike Terraform in some cases."""


class SignatureResult(StrEnum):
    """Result of one verification. Terraform refuses all except VALID, with the same message."""

    VALID = "valid"
    INVALID = "invalid"
    UNSUPPORTED = "unsupported"
    MALFORMED = "malformed"


def verify_digest(key: PublicKey, signature: Signature, digest: bytes) -> SignatureResult:
    """Verify a signature over a document with this digest.

    Raises:
        LimitError: The key is above the portal's limits.
    """
    if key.algorithm != signature.algorithm:
        return SignatureResult.MALFORMED
    if key.family == "RSA" and signature.digest.startswith("sha3_"):
        return SignatureResult.UNSUPPORTED  # Go's padding has no prefix for them
    try:
        _check_signature(key, signature, digest)
    except InvalidSignature:
        return SignatureResult.INVALID
    except UnsupportedAlgorithm as error:
        raise LimitError("the library cryptography doesn't support the algorithm of a key") from error
    except LimitError:
        raise
    except ValueError:
        return SignatureResult.MALFORMED
    return SignatureResult.VALID


def _check_signature(key: PublicKey, signature: Signature, digest: bytes) -> None:
    """Raise InvalidSignature if the signature isn't valid, and ValueError if a number is impossible."""
    values = signature.numbers
    algorithm = Prehashed(getattr(hashes, signature.digest.upper())())
    if key.family == "RSA":
        exponent = int.from_bytes(key.numbers[1])
        size = (key.bits + 7) // 8
        if key.bits > MAX_RSA_BITS:
            raise LimitError(f"an RSA key has more than {MAX_RSA_BITS} bits")
        _check_size(values[0], size)
        public_key = rsa.RSAPublicNumbers(exponent, int.from_bytes(key.numbers[0])).public_key()
        public_key.verify(values[0].rjust(size, b"\0"), digest, PKCS1v15(), algorithm)
    elif key.curve == "Ed25519":
        for value in values:
            _check_size(value, 32)
        raw_signature = values[0].rjust(32, b"\0") + values[1].rjust(32, b"\0")
        ed25519.Ed25519PublicKey.from_public_bytes(key.numbers[0][1:]).verify(raw_signature, digest)
    elif key.curve == "Ed448":
        _check_size(values[0], ED448_SIZE)
        ed448.Ed448PublicKey.from_public_bytes(key.numbers[0][1:]).verify(values[0][1:], digest)
    elif key.algorithm == DSA:
        _verify_dsa(key, signature, digest)
    else:
        curve = getattr(ec, key.curve)()
        encoded = encode_dss_signature(*(int.from_bytes(value) for value in values))
        ec.EllipticCurvePublicKey.from_encoded_point(curve, key.numbers[0]).verify(encoded, digest, ec.ECDSA(algorithm))


def _check_size(value: bytes, size: int) -> None:
    if not 0 < len(value) <= size:
        raise ValueError("the signature doesn't match the key")


def _verify_dsa(key: PublicKey, signature: Signature, digest: bytes) -> None:
    """Verify by FIPS 186-3, section 4.7, with the exceptions of Go's crypto/dsa."""
    p, q, g, y = (int.from_bytes(number) for number in key.numbers)
    r, s = (int.from_bytes(value) for value in signature.numbers)
    if p.bit_length() > MAX_DSA_BITS or q.bit_length() > MAX_SUBGROUP_BITS:
        raise LimitError(f"a DSA key has more than {MAX_DSA_BITS} bits, or a subgroup of {MAX_SUBGROUP_BITS}")
    if not (0 < r < q and 0 < s < q) or q.bit_length() % 8 or not p:
        raise ValueError("the signature doesn't match the key")
    inverse = pow(s, -1, q)  # ValueError if there is none
    number = int.from_bytes(digest[: q.bit_length() // 8])
    if pow(g, number * inverse % q, p) * pow(y, r * inverse % q, p) % p % q != r:
        raise InvalidSignature
