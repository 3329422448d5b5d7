"""What must never be seen, and where was it seen? Every form a secret may come out in, and the text without it."""

import base64
import html
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote, quote_plus

STRUCK = "[struck out]"
MARKED = "(sensitive value)"
SHORTEST = 4  # a shorter value cannot be told from ordinary text
SHORTEST_PART = 8
TELLING = re.compile(r"(?i)TOKEN|SECRET|PASS|KEY|CREDENTIAL|AUTH|PRIVATE|PWD")


def _base64s(secret: str) -> Iterable[str]:
    """What of a secret stands in the base64 of any text around it, whichever place it begins at."""
    raw = secret.encode()
    for before in range(3):
        coded = base64.b64encode(b"\0" * before + raw).decode().rstrip("=")
        first = -(-before * 8 // 6)
        last = len(coded) - (1 if (before + len(raw)) % 3 else 0)
        for form in (coded, coded.translate(str.maketrans("+/", "-_"))):
            yield form[first:last]


def _whole(secret: str) -> Iterable[str]:
    yield from (secret, quote(secret, safe=""), quote(secret), quote_plus(secret), html.escape(secret))
    yield from (json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1], secret.encode().hex())
    yield secret.encode().hex().upper()
    if len(secret) >= SHORTEST_PART:
        yield from (form for form in _base64s(secret) if len(form) >= SHORTEST_PART)
    else:
        yield base64.b64encode(secret.encode()).decode().rstrip("=")


def forms_of(secret: str) -> tuple[str, ...]:
    """Every form that is looked for: as it is, encoded, and its parts where Terraform may break it over lines."""
    if len(secret) < SHORTEST:
        return ()
    parts = [part for part in secret.split() if len(part) >= SHORTEST_PART and part != secret]
    return tuple(dict.fromkeys(form for each in (secret, *parts) for form in _whole(each)))


class Secrets:
    """The values of an environment. It never shows them itself."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._forms = {name: forms_of(value) for name, value in environment.items()}
        every = sorted({form for forms in self._forms.values() for form in forms}, key=len, reverse=True)
        self._any = re.compile("|".join(map(re.escape, every))) if every else None

    def __repr__(self) -> str:
        return f"Secrets({', '.join(self._forms)})"

    def struck(self, text: str) -> str:
        """The text without them, and without what no database keeps."""
        text = text.replace("\x00", "").encode("utf-8", "replace").decode()
        return self._any.sub(STRUCK, text) if self._any else text

    def seen_in(self, text: str) -> tuple[str, ...]:
        """The names of those secrets that a text shows. What is named like a setting, such as a region, is none."""
        telling = {name: forms for name, forms in self._forms.items() if TELLING.search(name)}
        return tuple(name for name, forms in telling.items() if any(form in text for form in forms))

    def cleared(self, plain: Any) -> Any:
        """Plain data without them, in keys and values."""
        if isinstance(plain, str):
            return self.struck(plain)
        if isinstance(plain, list):
            return [self.cleared(each) for each in plain]
        if isinstance(plain, dict):
            return {self.struck(str(name)): self.cleared(value) for name, value in plain.items()}
        return plain


def masked(value: Any, marks: Any) -> Any:
    """Plain data without what Terraform has marked as sensitive. `marks`: true, or the same shape with true in it."""
    if marks is True:
        return MARKED if value is not None else None
    if isinstance(value, dict) and isinstance(marks, dict):
        return {name: masked(each, marks.get(name)) for name, each in value.items()}
    if isinstance(value, list) and isinstance(marks, list):
        return [masked(each, marks[place] if place < len(marks) else None) for place, each in enumerate(value)]
    return value
