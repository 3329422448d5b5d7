"""Redaction of secrets in every form that they can take in output."""

import base64
import html
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote, quote_plus

from portal.core.json_text import clean_string

REDACTED_TEXT = "[redacted]"
SENSITIVE_PLACEHOLDER = "(sensitive value)"
MIN_SECRET_CHARACTERS = 4  # a shorter value cannot be told from ordinary text
MIN_PART_CHARACTERS = 8
SECRET_NAME_PATTERN = re.compile(r"(?i)TOKEN|SECRET|PASS|KEY|CREDENTIAL|AUTH|PRIVATE|PWD")


def _list_base64_forms(secret: str) -> Iterable[str]:
    """Return the parts of a secret that appear in the base64 of any surrounding text, for each alignment."""
    raw = secret.encode()
    for offset in range(3):
        encoding = base64.b64encode(b"\0" * offset + raw).decode().rstrip("=")
        first = -(-offset * 8 // 6)
        last = len(encoding) - (1 if (offset + len(raw)) % 3 else 0)
        for form in (encoding, encoding.translate(str.maketrans("+/", "-_"))):
            yield form[first:last]


def _list_encoded_forms(secret: str) -> Iterable[str]:
    yield from (secret, quote(secret, safe=""), quote(secret), quote_plus(secret), html.escape(secret))
    yield from (json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1], secret.encode().hex())
    yield secret.encode().hex().upper()
    if len(secret) >= MIN_PART_CHARACTERS:
        yield from (form for form in _list_base64_forms(secret) if len(form) >= MIN_PART_CHARACTERS)
    else:
        yield base64.b64encode(secret.encode()).decode().rstrip("=")


def list_forms(secret: str) -> tuple[str, ...]:
    """Return all forms to search for: plain, encoded, and in parts, because Terraform wraps lines."""
    if len(secret) < MIN_SECRET_CHARACTERS:
        return ()
    # Shorter parts would redact ordinary words.
    parts = [part for part in secret.split() if len(part) >= MIN_PART_CHARACTERS and part != secret]
    return tuple(dict.fromkeys(form for each in (secret, *parts) for form in _list_encoded_forms(each)))


class Secrets:
    """The secret values of an environment. Without a repr of its own, it never shows them."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._forms = {name: list_forms(value) for name, value in environment.items()}
        # The longest come first, so that no rest of a secret stays behind one of its parts.
        all_forms = sorted({form for forms in self._forms.values() for form in forms}, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, all_forms))) if all_forms else None

    def redact(self, text: str) -> str:
        """Return the text without secrets and without characters that the database rejects."""
        text = clean_string(text)
        return self._pattern.sub(REDACTED_TEXT, text) if self._pattern else text

    def find_names_in(self, text: str) -> tuple[str, ...]:
        """Return the names of secrets in a text. Variables named like settings, such as a region, are ignored."""
        forms_by_name = {name: forms for name, forms in self._forms.items() if SECRET_NAME_PATTERN.search(name)}
        return tuple(name for name, forms in forms_by_name.items() if any(form in text for form in forms))

    def redact_data(self, plain: object) -> Any:
        """Return plain data without secrets in keys and values."""
        if isinstance(plain, str):
            return self.redact(plain)
        if isinstance(plain, list):
            return [self.redact_data(each) for each in plain]
        if isinstance(plain, dict):
            return {self.redact(str(name)): self.redact_data(value) for name, value in plain.items()}
        return plain


def mask_sensitive_values(value: object, marks: object) -> Any:
    """Return data without values that Terraform marks as sensitive. `marks`: true, or nested marks."""
    if marks is True:
        # A missing value isn't a secret, and it must stay different from one that is set.
        return SENSITIVE_PLACEHOLDER if value is not None else None
    if isinstance(value, dict) and isinstance(marks, dict):
        return {name: mask_sensitive_values(each, marks.get(name)) for name, each in value.items()}
    if isinstance(value, list) and isinstance(marks, list):
        return [
            mask_sensitive_values(each, marks[index] if index < len(marks) else None)
            for index, each in enumerate(value)
        ]
    return value
