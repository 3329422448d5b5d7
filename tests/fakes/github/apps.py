"""Tokens of GitHub App installations, issued as documented for a JWT that is signed with the App's key.

https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app
"""

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import jwt
from jwt.types import Options

TOKENS = re.compile(r"^/app/installations/(\d+)/access_tokens$")
MAX_JWT_SECONDS = 600


@dataclass
class Apps:
    """The known Apps: public keys by App ID, App IDs by installation, and the issued tokens."""

    keys: dict[str, str] = field(default_factory=dict)
    installations: dict[int, str] = field(default_factory=dict)
    issued_tokens: list[str] = field(default_factory=list)
    lasts: timedelta = timedelta(hours=1)

    def answer(self, method: str, path: str, authorization: str) -> tuple[int, dict[str, Any]] | None:
        """Return status and body, or None for other requests."""
        match = TOKENS.match(path)
        if match is None or method != "POST":
            return None
        app = self.installations.get(int(match[1]))
        scheme, _, signed = authorization.partition(" ")
        if app is None:
            return 404, {"message": "Not Found"}
        if scheme.lower() != "bearer" or not self.is_signed(signed, app):
            return 401, {"message": "A JSON web token could not be decoded"}
        self.issued_tokens.append(f"ghs_{match[1]}_{len(self.issued_tokens)}")
        expires_at = datetime.now(UTC) + self.lasts
        return 201, {
            "token": self.issued_tokens[-1],
            "expires_at": f"{expires_at:%Y-%m-%dT%H:%M:%SZ}",
            "permissions": {},
        }

    def is_signed(self, signed: str, app: str) -> bool:
        """Return whether the App's key signed the JWT, with RS256 and for ten minutes at most."""
        decode_options: Options = {"require": ["iat", "exp", "iss"]}
        try:
            text = jwt.decode(signed, self.keys[app], ["RS256"], issuer=app, options=decode_options)
        except (jwt.InvalidTokenError, KeyError):
            return False
        return bool(text["exp"] - text["iat"] <= MAX_JWT_SECONDS + 60)
