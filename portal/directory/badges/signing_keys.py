"""With which key does the portal sign, and how do others get to know it? Ed25519, published as a JSON Web Key Set.

BADGE_KEYS are secrets, newest first: the newest signs, those behind it still verify. A signing key is derived from its
secret, so that any secret will do and no file has to be kept. A key's id is its thumbprint (RFC 7638).
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

PURPOSE = b"portal badges: signing key"


def b64(data: bytes) -> str:
    """base64url without padding, as in every JOSE standard."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def unb64(text: str) -> bytes:
    """What b64 made. Raises ValueError for anything that b64 would have written otherwise."""
    data = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    if b64(data) != text:
        raise ValueError("not base64url as it is written once")
    return data


def signing_key(secret: str) -> Ed25519PrivateKey:
    """The key that a secret stands for."""
    seed = HKDF(algorithm=SHA256(), length=32, salt=None, info=PURPOSE).derive(secret.encode())
    return Ed25519PrivateKey.from_private_bytes(seed)


def jwk(key: Ed25519PublicKey) -> dict[str, str]:
    """A public key as a JSON Web Key (RFC 8037)."""
    x = b64(key.public_bytes(Encoding.Raw, PublicFormat.Raw))
    thumb = json.dumps({"crv": "Ed25519", "kty": "OKP", "x": x}, separators=(",", ":")).encode()
    kid = b64(hashlib.sha256(thumb).digest())
    return {"kty": "OKP", "crv": "Ed25519", "x": x, "kid": kid, "alg": "EdDSA", "use": "sig"}


def key_set(secrets: list[str]) -> dict[str, list[dict[str, str]]]:
    """The public keys of these secrets, newest first, as others fetch them."""
    return {"keys": [jwk(signing_key(secret).public_key()) for secret in secrets]}


def public_keys(published: Mapping[str, Any]) -> dict[str, Ed25519PublicKey]:
    """The Ed25519 keys of a key set by their ids; others are left out. Raises ValueError where it is no key set."""
    keys = published.get("keys")
    if not isinstance(keys, list):
        raise ValueError("no key set")
    found: dict[str, Ed25519PublicKey] = {}
    for each in keys:
        if isinstance(each, dict) and (each.get("kty"), each.get("crv")) == ("OKP", "Ed25519"):
            key = Ed25519PublicKey.from_public_bytes(unb64(str(each.get("x", ""))))
            found[str(each.get("kid") or jwk(key)["kid"])] = key
    return found


def pem(key: Ed25519PublicKey) -> str:
    """The same key as openssl reads it."""
    return key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
