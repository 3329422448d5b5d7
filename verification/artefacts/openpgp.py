"""What do keys and signatures say of themselves? Read packet by packet, before anybody decides whether they are good.

pysequoia reads the packets. What it says here is not verified; verification.artefacts.signatures does that.
"""

import base64
import binascii
import re
from dataclasses import dataclass, replace
from datetime import datetime

from pysequoia import Cert
from pysequoia.packet import Packet, PacketPile, SignatureType, Tag

ARMOUR_BEGINS = re.compile(rb"^-----BEGIN PGP [A-Z ]+-----[ \t]*\r?$", re.MULTILINE)
ARMOUR_ENDS = re.compile(rb"^-----END PGP [A-Z ]+-----", re.MULTILINE)
WEAK_DIGESTS = frozenset({"MD5", "SHA1", "RipeMD"})
FEWEST_BITS = 2048
CERTIFICATIONS = (
    SignatureType.GenericCertification,
    SignatureType.PersonaCertification,
    SignatureType.CasualCertification,
    SignatureType.PositiveCertification,
    SignatureType.DirectKey,
)
OVER_DATA = (SignatureType.Binary, SignatureType.Text)
NO_SIGNATURE = "a packet that signs no data"
NO_ARMOUR = "no armour"
NO_END = "the armour has no end"
NO_BASE64 = "no base64"
BINDINGS = (*CERTIFICATIONS, SignatureType.SubkeyBinding)
FAMILIES = {"RSA": "RSA", "DSA": "DSA", "ECDSA": "ECDSA", "EdDSA": "EdDSA", "Ed25519": "EdDSA", "Ed448": "EdDSA"}


class Unreadable(ValueError):
    """The bytes are no key or no signature. The text is the reader's own, one line."""


@dataclass(frozen=True, slots=True)
class PublicKey:
    """One key: the primary or a subkey. `bits` is 0 for elliptic curves; `expires_at` None means never."""

    fingerprint: str  # in capitals
    family: str
    bits: int
    created_at: datetime
    expires_at: datetime | None = None
    revoked: bool = False

    @property
    def key_id(self) -> str:
        return self.fingerprint[-16:]

    @property
    def is_curve(self) -> bool:
        return self.family not in {"RSA", "DSA"}

    @property
    def is_weak(self) -> bool:
        return not self.is_curve and self.bits < FEWEST_BITS

    @property
    def shown(self) -> str:
        return f"{self.family} {self.bits}" if self.bits else self.family


@dataclass(frozen=True, slots=True)
class Key:
    """A certificate: a primary key, its subkeys, its people."""

    primary: PublicKey
    subkeys: tuple[PublicKey, ...]
    user_ids: tuple[str, ...]
    weakly_bound: bool  # its own signatures use a digest that nobody should trust
    binary: bytes

    def find(self, signature: "Signature") -> PublicKey | None:
        """The key that says to have made the signature."""
        for key in (self.primary, *self.subkeys):
            if key.fingerprint.endswith(signature.issuer):
                return key
        return None


@dataclass(frozen=True, slots=True)
class Signature:
    """A signature packet. `issuer` is a fingerprint or a key id, in capitals; `digest` is sequoia's name for it."""

    issuer: str
    digest: str
    created_at: datetime | None
    expires_at: datetime | None

    @property
    def weak_digest(self) -> bool:
        return self.digest in WEAK_DIGESTS


def is_armoured(data: bytes) -> bool:
    return ARMOUR_BEGINS.search(data) is not None


def dearmoured(text: bytes) -> bytes:
    """The bytes inside the first armour. Raises Unreadable where there is none, or no base64 in it."""
    begin = ARMOUR_BEGINS.search(text)
    if begin is None:
        raise Unreadable(NO_ARMOUR)
    end = ARMOUR_ENDS.search(text, begin.end())
    if end is None:
        raise Unreadable(NO_END)
    lines = text[begin.end() : end.start()].replace(b"\r", b"").strip(b"\n").split(b"\n")
    blank = next((at for at, line in enumerate(lines) if not line.strip()), -1)
    headers = lines[:blank] if blank >= 0 and all(b": " in line for line in lines[:blank] if line) else []
    body = b"".join(line.strip() for line in lines[len(headers) :] if not line.startswith(b"="))
    try:
        return base64.b64decode(body, validate=True)
    except binascii.Error as error:
        raise Unreadable(NO_BASE64) from error


def read_keys(data: bytes) -> tuple[Key, ...]:
    """The certificates, armoured or not, at least one. Raises Unreadable."""
    try:
        return tuple(_key(cert) for cert in Cert.split_bytes(data))
    except RuntimeError as error:
        raise Unreadable(first_line(error)) from error


def _key(cert: Cert) -> Key:
    binary = bytes(cert)
    packets = list(PacketPile.from_bytes(binary))
    primary, *subkeys = _bundles(packets)
    own = [packet for packet in primary[1:] if packet.signature_type in CERTIFICATIONS and packet.signature_created]
    return Key(
        primary=replace(_public(primary), revoked=cert.is_revoked),
        subkeys=tuple(_public(bundle) for bundle in subkeys),
        user_ids=tuple(str(packet.user_id) for packet in packets if packet.tag == Tag.UserID),
        weakly_bound=bool(own) and all(digest_of(packet) in WEAK_DIGESTS for packet in own),
        binary=binary,
    )


def _bundles(packets: list[Packet]) -> list[list[Packet]]:
    """Each key with the signatures about it that its primary key made."""
    bundles: list[list[Packet]] = []
    for packet in packets:
        if packet.tag in (Tag.PublicKey, Tag.PublicSubkey):
            bundles.append([packet])
        elif packet.tag == Tag.Signature and bundles and _issuer(packet) in (bundles[0][0].fingerprint or "").upper():
            bundles[-1].append(packet)
    return bundles


def read_signatures(data: bytes) -> tuple[Signature, ...]:
    """The signature packets of a detached signature, armoured or not. Raises Unreadable."""
    try:
        packets = list(PacketPile.from_bytes(data))
    except RuntimeError as error:
        raise Unreadable(first_line(error)) from error
    if any(packet.tag != Tag.Signature or packet.signature_type not in OVER_DATA for packet in packets):
        raise Unreadable(NO_SIGNATURE)
    return tuple(
        Signature(
            issuer=_issuer(packet),
            digest=digest_of(packet),
            created_at=packet.signature_created,
            expires_at=packet.signature_expiration_time,
        )
        for packet in packets
    )


def first_line(error: BaseException) -> str:
    """The library's texts carry a backtrace behind their first line."""
    return str(error).split("\n", 1)[0][:200]


def digest_of(packet: Packet) -> str:
    return str(packet.hash_algorithm).rpartition(".")[2]


def _issuer(packet: Packet) -> str:
    return (packet.issuer_fingerprint or packet.issuer_key_id or "nobody").upper()


def _public(bundle: list[Packet]) -> PublicKey:
    packet, *about = bundle
    if packet.key_created is None or packet.fingerprint is None:
        raise Unreadable("a key without a moment")
    algorithm = str(packet.key_algorithm).rpartition(".")[2]
    family = next((family for begin, family in FAMILIES.items() if algorithm.startswith(begin)), algorithm)
    # a version 4 key begins with its version, four bytes of time and the algorithm; then comes the first number
    bits = int.from_bytes(packet.body[6:8]) if family in {"RSA", "DSA"} and packet.body[:1] == b"\x04" else 0
    binding = [one for one in about if one.signature_type in BINDINGS and one.signature_created]
    newest = max(binding, key=lambda one: one.signature_created.timestamp(), default=None)  # type: ignore[union-attr]
    validity = newest.key_validity_period if newest else None
    return PublicKey(
        fingerprint=packet.fingerprint.upper(),
        family=family,
        bits=bits,
        created_at=packet.key_created,
        expires_at=packet.key_created + validity if validity else None,
        revoked=any(one.signature_type == SignatureType.SubkeyRevocation for one in about),
    )
