"""Ed25519 signing keys of badge statements, published as a JSON Web Key Set.

BADGE_SIGNING_KEYS are secrets, newest first. The newest signs, and the older ones still verify. Each key is derived
from its secret, so no key file is needed. The ID of a key is its thumbprint (RFC 7638).
"""

import base64
import hashlib
import json
from collections.abc import Mapping

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

KEY_DERIVATION_INFO = b"portal badges: signing key"


def encode_base64url(data: bytes) -> str:
    """Return base64url without padding, as in the JOSE standards."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decode_base64url(text: str) -> bytes:
    """Return the decoded bytes.

    Raises:
        ValueError: The text is not canonical base64url without padding.
    """
    data = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    # Unused bits of the last character give one value several spellings, so an altered signature could stay valid.
    if encode_base64url(data) != text:
        raise ValueError("not canonical base64url")
    return data


def derive_signing_key(secret: str) -> Ed25519PrivateKey:
    """Return the signing key of a secret."""
    seed = HKDF(algorithm=SHA256(), length=32, salt=None, info=KEY_DERIVATION_INFO).derive(secret.encode())
    return Ed25519PrivateKey.from_private_bytes(seed)


def build_jwk(key: Ed25519PublicKey) -> dict[str, str]:
    """Return a public key as a JSON Web Key (RFC 8037)."""
    x = encode_base64url(key.public_bytes(Encoding.Raw, PublicFormat.Raw))
    # RFC 7638: only the required members, in lexicographic order and without whitespace.
    thumbprint_input = json.dumps({"crv": "Ed25519", "kty": "OKP", "x": x}, separators=(",", ":")).encode()
    key_id = encode_base64url(hashlib.sha256(thumbprint_input).digest())
    return {"kty": "OKP", "crv": "Ed25519", "x": x, "kid": key_id, "alg": "EdDSA", "use": "sig"}


def build_key_set(secrets: list[str]) -> dict[str, list[dict[str, str]]]:
    """Return the JSON Web Key Set of the secrets, newest first."""
    return {"keys": [build_jwk(derive_signing_key(secret).public_key()) for secret in secrets]}


def parse_public_keys(key_set_data: Mapping[str, object]) -> dict[str, Ed25519PublicKey]:
    """Return the Ed25519 keys of a key set by ID.

    Raises:
        ValueError: The data is not a key set.
    """
    key_list = key_set_data.get("keys")
    if not isinstance(key_list, list):
        raise ValueError("not a key set")
    keys_by_id: dict[str, Ed25519PublicKey] = {}
    for key_data in key_list:
        if isinstance(key_data, dict) and (key_data.get("kty"), key_data.get("crv")) == ("OKP", "Ed25519"):
            key = Ed25519PublicKey.from_public_bytes(decode_base64url(str(key_data.get("x", ""))))
            keys_by_id[str(key_data.get("kid") or build_jwk(key)["kid"])] = key
    return keys_by_id


def encode_pem(key: Ed25519PublicKey) -> str:
    """Return a public key in PEM format."""
    return key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
