"""Tests of ASCII armor. The expected results were recorded with Terraform 1.11.4."""

import base64

import pytest

from verification.releases.artifacts.armor import ArmorError, compute_crc24, decode

CONTENT = b"what the block holds, which is more than one line when it is written as base64 digits"[:81]
BEGIN = "-----BEGIN PGP PUBLIC KEY BLOCK-----"
END = "-----END PGP PUBLIC KEY BLOCK-----"
DIGITS = base64.b64encode(CONTENT).decode()
BODY = f"{DIGITS[:64]}\n{DIGITS[64:]}"
CHECKSUM = base64.b64encode((compute_crc24(CONTENT) & 0xFFFFFF).to_bytes(3)).decode()
CORRUPT = "openpgp: invalid data: armor invalid"
BASE64 = "illegal base64 data at input byte "


@pytest.mark.parametrize(
    "text",
    [
        f"{BEGIN}\n\n{BODY}\n={CHECKSUM}\n{END}\n",
        f"{BEGIN}\n\n{BODY}\n{END}\n",
        f"{BEGIN}\n\n{BODY}\n={CHECKSUM}\n{END}\n".replace("\n", "\r\n"),
        f"{BEGIN}\nVersion: 1\nComment:\nHash:x\n\n{BODY}\n={CHECKSUM}\n{END}\n",
        f"{BEGIN}\n \t\n{BODY}\n={CHECKSUM}\n{END}\n",
        f"text\n{'x' * 300}\n  {BEGIN}\n\n{BODY}\n={CHECKSUM}\n{END}\n",
        f"{BEGIN}\n\n{BODY[:20]}\n\n{BODY[20:]}\n={CHECKSUM}\n-----END other",
        f"{BEGIN}\n\n{BODY}\n=AA==\n{END}\n",
        f"{BEGIN}\n\n{BODY}",
    ],
)
def test_valid_block_is_decoded(text):
    assert decode(text.encode()).read() == CONTENT


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (f"{BEGIN}\n\n{BODY}\n=AAAA\n{END}\n", CORRUPT),
        (f"{BEGIN}\n\n{BODY}\n={CHECKSUM}\n", CORRUPT),
        (f"{BEGIN}\n\n{BODY}\n=A!AA\n{END}\n", BASE64),
        (f"{BEGIN}\n\n{'A' * 100}\n{END}\n", CORRUPT),
        (f"{BEGIN}\n\n {BODY}\n={CHECKSUM}\n{END}\n", BASE64),
        (f"{BEGIN}\n\n{BODY[:-1]}\n{END}\n", "unexpected EOF"),
    ],
)
def test_invalid_block_is_an_error_with_its_reason(text, error):
    with pytest.raises(ArmorError, match=error):
        decode(text.encode()).read()


@pytest.mark.parametrize(
    "text", ["", "no armor", f"{BEGIN}\n", f"{BEGIN}\n{BODY}\n{END}\n", f"{BEGIN.lower()}\n\n{BODY}\n{END}\n"]
)
def test_text_without_a_block_is_none(text):
    assert decode(text.encode()) is None
