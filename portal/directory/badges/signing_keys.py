"""With which key does the portal sign, and how do others get to know it? Ed25519, published as a JSON Web Key Set.

BADGE_SIGNING_KEYS are secrets, newest first: the newest signs, those behind it still verify. A signing key is derived
from its secret, so that any secret will do and no file has to be kept. A key's id is its thumbprint (RFC 7638).
"""

import base64
import hashlib
import json
from collections.abc import Mapping
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

KEY_DERIVATION_INFO = b"portal badges: signing key"


def encode_base64url(data: bytes) -> str:
    """base64url without padding, as in every JOSE standard."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decode_base64url(text: str) -> bytes:
    """What b64 made. Raises ValueError for anything that b64 would have written otherwise."""
    data = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    if encode_base64url(data) != text:
        raise ValueError("not base64url as it is written once")
    return data


def derive_signing_key(secret: str) -> Ed25519PrivateKey:
    """The key that a secret stands for."""
    seed = HKDF(algorithm=SHA256(), length=32, salt=None, info=KEY_DERIVATION_INFO).derive(secret.encode())
    return Ed25519PrivateKey.from_private_bytes(seed)


def build_jwk(key: Ed25519PublicKey) -> dict[str, str]:
    """A public key as a JSON Web Key (RFC 8037)."""
    x = encode_base64url(key.public_bytes(Encoding.Raw, PublicFormat.Raw))
    thumbprint_input = json.dumps({"crv": "Ed25519", "kty": "OKP", "x": x}, separators=(",", ":")).encode()
    key_id = encode_base64url(hashlib.sha256(thumbprint_input).digest())
    return {"kty": "OKP", "crv": "Ed25519", "x": x, "kid": key_id, "alg": "EdDSA", "use": "sig"}


def build_key_set(secrets: list[str]) -> dict[str, list[dict[str, str]]]:
    """The public keys of these secrets, newest first, as others fetch them."""
    return {"keys": [build_jwk(derive_signing_key(secret).public_key()) for secret in secrets]}


def parse_public_keys(key_set_data: Mapping[str, Any]) -> dict[str, Ed25519PublicKey]:
    """The Ed25519 keys of a key set by their ids; others are left out. Raises ValueError where it is no key set."""
    key_list = key_set_data.get("keys")
    if not isinstance(key_list, list):
        raise ValueError("no key set")
    keys_by_id: dict[str, Ed25519PublicKey] = {}
    for key_data in key_list:
        if isinstance(key_data, dict) and (key_data.get("kty"), key_data.get("crv")) == ("OKP", "Ed25519"):
            key = Ed25519PublicKey.from_public_bytes(decode_base64url(str(key_data.get("x", ""))))
            keys_by_id[str(key_data.get("kid") or build_jwk(key)["kid"])] = key
    return keys_by_id


def encode_pem(key: Ed25519PublicKey) -> str:
    """The same key as openssl reads it."""
    return key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
