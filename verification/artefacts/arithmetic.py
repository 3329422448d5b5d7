"""The arithmetic of a signature: does this key's public half confirm that digest?

RSA and DSA are computed here, because libraries refuse sizes that Terraform takes; a comparison of public numbers needs
no protection from side channels. Elliptic curves are the library's.
"""

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed448, ed25519
from cryptography.hazmat.primitives.asymmetric.utils import Prehashed, encode_dss_signature

from verification.artefacts.packets import DSA, RSA, RSA_SIGN, PublicKey
from verification.artefacts.signature_packets import Signature

MAX_BYTES = 2048  # larger numbers serve to keep the reader busy
# DER of the AlgorithmIdentifier and the header of the digest, RFC 8017, section 9.2
PREFIXES = {
    "sha1": "3021300906052b0e03021a05000414",
    "sha224": "302d300d06096086480165030402040500041c",
    "sha256": "3031300d060960864801650304020105000420",
    "sha384": "3041300d060960864801650304020205000430",
    "sha512": "3051300d060960864801650304020305000440",
}


def verify(key: PublicKey, signature: Signature, digest: bytes) -> bool:
    """Return whether the key made the signature over a document with this digest."""
    if key.algorithm != signature.algorithm:
        return False
    if key.algorithm in (RSA, RSA_SIGN):
        return _verify_rsa(key, signature, digest)
    if key.algorithm == DSA:
        return _verify_dsa(key, signature, digest)
    try:
        _verify_curve(key, signature, digest)
    except (InvalidSignature, UnsupportedAlgorithm, ValueError):
        return False
    return True


def _verify_rsa(key: PublicKey, signature: Signature, digest: bytes) -> bool:
    modulus, exponent = map(int.from_bytes, key.numbers)
    number, size = int.from_bytes(signature.numbers[0]), (modulus.bit_length() + 7) // 8
    prefix = PREFIXES.get(signature.digest)
    if size > MAX_BYTES:
        return False
    if prefix is None or exponent < 2 or modulus % 2 == 0 or number >= modulus or len(signature.numbers[0]) > size:
        return False
    tail = b"\0" + bytes.fromhex(prefix) + digest
    padding = size - len(tail) - 2
    return padding >= 8 and pow(number, exponent, modulus).to_bytes(size) == b"\0\1" + b"\xff" * padding + tail


def _verify_dsa(key: PublicKey, signature: Signature, digest: bytes) -> bool:
    p, q, g, y = map(int.from_bytes, key.numbers)
    r, s = map(int.from_bytes, signature.numbers)
    if p == 0 or max(p, q, y).bit_length() > 8 * MAX_BYTES or not 0 < r < q or not 0 < s < q or q.bit_length() % 8:
        return False
    try:
        inverse = pow(s, -1, q)
    except ValueError:
        return False
    number = int.from_bytes(digest[: q.bit_length() // 8])
    return pow(g, number * inverse % q, p) * pow(y, r * inverse % q, p) % p % q == r


def _verify_curve(key: PublicKey, signature: Signature, digest: bytes) -> None:
    """Raise InvalidSignature, UnsupportedAlgorithm or ValueError where the signature does not hold."""
    (point,), (r, s) = key.numbers, signature.numbers
    if key.curve == "Ed25519":
        joined = r.rjust(32, b"\0") + s.rjust(32, b"\0")
        ed25519.Ed25519PublicKey.from_public_bytes(point[1:]).verify(joined, digest)
    elif key.curve == "Ed448":
        ed448.Ed448PublicKey.from_public_bytes(point[1:]).verify(r[1:], digest)
    else:
        public = ec.EllipticCurvePublicKey.from_encoded_point(getattr(ec, key.curve)(), point)
        algorithm = Prehashed(getattr(hashes, signature.digest.upper())())
        public.verify(encode_dss_signature(int.from_bytes(r), int.from_bytes(s)), digest, ec.ECDSA(algorithm))
