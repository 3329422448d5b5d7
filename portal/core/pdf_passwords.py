"""Detection of PDFs that can't be opened without a password.

Tools for signatures encrypt a PDF so that it can't be edited, and it still opens without a password. So it isn't enough
that a PDF is encrypted: the empty password must fail. ISO 32000-2, 7.6.4, describes the algorithms.
"""

import re
from hashlib import md5, sha256, sha384, sha512

from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CBC

ENCRYPTION_PATTERN = re.compile(rb"/Encrypt(?:\s+(\d{1,10})\s+(\d{1,5})\s+R|\s*<<)")
ESCAPE_PATTERN = re.compile(rb"\\([0-7]{1,3}|\r\n|.)", re.DOTALL)
ESCAPES = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f", b"\n": b"", b"\r": b"", b"\r\n": b""}
# a string in parentheses, which can contain others, or in hexadecimal digits
STRING = rb"\s*(?:\(((?:[^\\()]|\\.|\((?:[^\\()]|\\.)*\))*)\)|<([0-9A-Fa-f\s]*)>)"
PADDING = bytes.fromhex("28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a")
MAX_REFERENCES = 10
MAX_DICTIONARY_BYTES = 4096
MAX_MD5_REVISION = 4
AES_256_REVISION = 6


def needs_password(data: bytes) -> bool:
    """Return whether the empty password doesn't open a PDF. False if its encryption isn't understood."""
    dictionary = _find_encryption(data)
    if dictionary is None:
        return False
    handler = re.search(rb"/Filter\s*/(\w+)", dictionary)
    if handler and handler[1] != b"Standard":
        return True  # for the holders of certificates
    revision = _read_number(rb"R", dictionary)
    user_key = _read_string(rb"/U", dictionary)
    owner_key = _read_string(rb"/O", dictionary)
    if not (user_key and owner_key):
        return False
    if revision > MAX_MD5_REVISION:
        salt = user_key[32:40]
        expected = _compute_hash(salt) if revision >= AES_256_REVISION else sha256(salt).digest()
        return user_key[:32] != expected
    return not user_key.startswith(_compute_user_key(data, dictionary, owner_key[:32], revision))


def _find_encryption(data: bytes) -> bytes | None:
    """Return the beginning of the encryption dictionary, which is never compressed, or None."""
    position = len(data)
    # A large file could consist of references, and each of them needs a search in the whole file.
    for _ in range(MAX_REFERENCES):
        position = max(data.rfind(b"/Encrypt", 0, position), 0)
        match = ENCRYPTION_PATTERN.match(data, position)
        start = _find_object(data, match) if match else None
        if start is not None:
            return data[start : start + MAX_DICTIONARY_BYTES].partition(b"endobj")[0]
    return None


def _find_object(data: bytes, reference: re.Match[bytes]) -> int | None:
    """Return where the newest version of a referenced object begins, None if it is missing."""
    if reference[1] is None:  # a direct object
        return reference.end()
    # The pattern begins with the number, because the search for a fixed text is thirty times faster.
    heads = re.finditer(rb"%b(?<!\d%b)\s+%b\s+obj\b" % (reference[1], *reference.groups()), data)
    return max((head.end() for head in heads), default=None)


def _read_number(name: bytes, dictionary: bytes, default: int = 0) -> int:
    match = re.search(rb"/" + name + rb"\s+(-?\d{1,10})\b", dictionary)
    return int(match[1]) if match else default


def _read_string(prefix: bytes, text: bytes) -> bytes:
    match = re.search(prefix + STRING, text, re.DOTALL)
    if match is None:
        return b""
    if match[2] is not None:
        digits = b"".join(match[2].split())
        return bytes.fromhex((digits + b"0" * (len(digits) % 2)).decode())
    return ESCAPE_PATTERN.sub(_unescape, match[1])


def _unescape(match: re.Match[bytes]) -> bytes:
    escape = match[1]
    return bytes([int(escape, 8) & 255]) if escape.isdigit() else ESCAPES.get(escape, escape)


def _compute_user_key(data: bytes, dictionary: bytes, owner_key: bytes, revision: int) -> bytes:
    """Return the beginning of the entry U for the empty password, up to revision 4."""
    file_id = _read_string(rb"/ID\s*\[", data)
    permissions = (_read_number(rb"P", dictionary) & 0xFFFFFFFF).to_bytes(4, "little")
    has_plain_metadata = re.search(rb"/EncryptMetadata\s+false", dictionary) is not None
    suffix = b"\xff" * 4 if revision == MAX_MD5_REVISION and has_plain_metadata else b""
    key = md5(PADDING + owner_key + permissions + file_id + suffix, usedforsecurity=False).digest()
    if revision == 2:
        return _apply_rc4(key[:5], PADDING)
    length = 16 if revision == MAX_MD5_REVISION else min(max(_read_number(rb"Length", dictionary, 40) // 8, 5), 16)
    for _ in range(50):
        key = md5(key[:length], usedforsecurity=False).digest()
    result = md5(PADDING + file_id, usedforsecurity=False).digest()
    for number in range(20):
        result = _apply_rc4(bytes(byte ^ number for byte in key[:length]), result)
    return result


def _apply_rc4(key: bytes, data: bytes) -> bytes:
    state = list(range(256))
    j = 0
    for i in range(256):
        j = (j + state[i] + key[i % len(key)]) & 255
        state[i], state[j] = state[j], state[i]
    i = j = 0
    result = bytearray()
    for byte in data:
        i = (i + 1) & 255
        j = (j + state[i]) & 255
        state[i], state[j] = state[j], state[i]
        result.append(byte ^ state[(state[i] + state[j]) & 255])
    return bytes(result)


def _compute_hash(salt: bytes) -> bytes:
    """Return the hash of the empty password by algorithm 2.B."""
    key = sha256(salt).digest()
    number = 0
    while True:
        encryptor = Cipher(AES(key[:16]), CBC(key[16:32])).encryptor()
        block = encryptor.update(key * 64) + encryptor.finalize()
        key = (sha256, sha384, sha512)[sum(block[:16]) % 3](block).digest()
        number += 1
        if number >= 64 and block[-1] <= number - 32:
            return key[:32]
