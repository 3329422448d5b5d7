"""Tokens of GitHub App installations, issued for a JWT that the App's key signed, as documented.

https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app
"""

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import jwt

TOKENS = re.compile(r"^/app/installations/(\d+)/access_tokens$")
LONGEST = 600  # seconds that a JWT may hold


@dataclass
class Apps:
    """The Apps that there are: public keys by the App's number, the App's number by installation, tokens given."""

    keys: dict[str, str] = field(default_factory=dict)
    installations: dict[int, str] = field(default_factory=dict)
    given: list[str] = field(default_factory=list)
    lasts: timedelta = timedelta(hours=1)

    def answer(self, method: str, path: str, authorization: str) -> tuple[int, dict[str, Any]] | None:
        """Status and body; None where the question is another one."""
        match = TOKENS.match(path)
        if match is None or method != "POST":
            return None
        app = self.installations.get(int(match[1]))
        scheme, _, signed = authorization.partition(" ")
        if app is None:
            return 404, {"message": "Not Found"}
        if scheme.lower() != "bearer" or not self.is_signed(signed, app):
            return 401, {"message": "A JSON web token could not be decoded"}
        self.given.append(f"ghs_{match[1]}_{len(self.given)}")
        until = datetime.now(UTC) + self.lasts
        return 201, {"token": self.given[-1], "expires_at": f"{until:%Y-%m-%dT%H:%M:%SZ}", "permissions": {}}

    def is_signed(self, signed: str, app: str) -> bool:
        """Whether the App's key signed it, for itself, with RS256 and for no longer than ten minutes."""
        decode_options = {"require": ["iat", "exp", "iss"]}
        try:
            text = jwt.decode(signed, self.keys[app], ["RS256"], issuer=app, options=decode_options)
        except (jwt.InvalidTokenError, KeyError):
            return False
        return bool(text["exp"] - text["iat"] <= LONGEST + 60)
