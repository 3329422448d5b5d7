"""Arithmetic of signatures. The library cryptography computes all of it."""

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import dsa, ec, ed448, ed25519, rsa
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.utils import Prehashed, encode_dss_signature

from verification.artefacts.packets import DSA, PublicKey
from verification.artefacts.signature_packets import Signature


def verify(key: PublicKey, signature: Signature, digest: bytes) -> bool:
    """Return whether the key made the signature over a document with this digest."""
    if key.algorithm != signature.algorithm:
        return False
    try:
        _verify(key, signature, digest)
    except (InvalidSignature, UnsupportedAlgorithm, ValueError):
        return False
    return True


def _verify(key: PublicKey, signature: Signature, digest: bytes) -> None:
    """Raise InvalidSignature, UnsupportedAlgorithm or ValueError where the signature does not hold."""
    numbers, values = [int.from_bytes(number) for number in key.numbers], signature.numbers
    algorithm = Prehashed(getattr(hashes, signature.digest.upper())())
    if key.family == "RSA":
        modulus, exponent = numbers
        size = (modulus.bit_length() + 7) // 8
        if signature.digest.startswith("sha3_"):
            raise UnsupportedAlgorithm("the library knows no such padding")
        rsa.RSAPublicNumbers(exponent, modulus).public_key().verify(
            values[0].rjust(size, b"\0"), digest, PKCS1v15(), algorithm
        )
    elif key.curve == "Ed25519":
        joined = values[0].rjust(32, b"\0") + values[1].rjust(32, b"\0")
        ed25519.Ed25519PublicKey.from_public_bytes(key.numbers[0][1:]).verify(joined, digest)
    elif key.curve == "Ed448":
        ed448.Ed448PublicKey.from_public_bytes(key.numbers[0][1:]).verify(values[0][1:], digest)
    else:
        encoded = encode_dss_signature(*(int.from_bytes(value) for value in values))
        if key.algorithm == DSA:
            p, q, g, y = numbers
            dsa.DSAPublicNumbers(y, dsa.DSAParameterNumbers(p, q, g)).public_key().verify(encoded, digest, algorithm)
        else:
            curve = getattr(ec, key.curve)()
            ec.EllipticCurvePublicKey.from_encoded_point(curve, key.numbers[0]).verify(
                encoded, digest, ec.ECDSA(algorithm)
            )
