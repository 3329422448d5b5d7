"""User access tokens of a GitHub App, and what the App can read with them, as documented.

https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app
"""

import base64
import json
import re
from dataclasses import dataclass, field
from typing import Any

CLIENT = ("portal", "secret of the portal")
MEMBERSHIP = re.compile(r"^/user/memberships/orgs/([^/]+)$")
REPOSITORY = re.compile(r"^/repos/([^/]+/[^/]+)")
Answer = tuple[int, Any]


@dataclass
class UserAccess:
    """The people who granted access, and what the App can read for them.

    `readable`: private and public repositories by login. `roles`: by login and organization. `lasts`: lifetime of a
    token in seconds; 0 for tokens that never expire. `accounts`: the emulator's token by login.
    """

    readable: dict[str, list[str]] = field(default_factory=dict)
    roles: dict[tuple[str, str], str] = field(default_factory=dict)
    lasts: int = 28800
    logins: dict[str, str] = field(default_factory=dict)
    refresh_tokens: dict[str, str] = field(default_factory=dict)
    accounts: dict[str, str] = field(default_factory=dict)
    count: int = 0

    def issue_tokens(self, login: str) -> dict[str, Any]:
        """Issue new tokens of a person. Earlier tokens become invalid, as after a refresh at GitHub."""
        self.revoke_tokens(login)
        self.count += 1
        access = f"ghu_{login}_{self.count}"
        refresh = f"ghr_{login}_{self.count}"
        self.logins[access] = login
        self.refresh_tokens[refresh] = login
        issued = {"access_token": access, "token_type": "bearer", "scope": ""}
        lasting = {"expires_in": self.lasts, "refresh_token": refresh, "refresh_token_expires_in": 15897600}
        return issued | (lasting if self.lasts else {})

    def revoke_tokens(self, login: str) -> None:
        """Invalidate all tokens of a person, as when they revoke the App at GitHub."""
        self.logins = {token: owner for token, owner in self.logins.items() if owner != login}
        self.refresh_tokens = {token: owner for token, owner in self.refresh_tokens.items() if owner != login}

    def answer(self, method: str, path: str, authorization: str, body: bytes) -> Answer | None:
        """Return status and body of a refresh, a revocation, or a membership, or None for other requests."""
        if method == "POST" and path == "/login/oauth/access_token" and b"refresh_token" in body:
            return self._refresh(json.loads(body))
        if method == "DELETE" and path == f"/applications/{CLIENT[0]}/grant":
            return self._revoke(authorization, json.loads(body))
        login = self.logins.get(authorization.partition(" ")[2])
        if login is not None and (match := MEMBERSHIP.match(path)):
            role = self.roles.get((login, match[1]))
            organization = {"login": match[1], "id": 47, "url": f"https://api.github.com/orgs/{match[1]}"}
            known = {"url": path, "state": "active", "role": role, "organization": organization}
            return (200, known) if role else (404, {"message": "Not Found"})
        return None

    def _refresh(self, request: dict[str, str]) -> Answer:
        login = self.refresh_tokens.get(request["refresh_token"])
        if (request["client_id"], request["client_secret"]) != CLIENT:
            return 200, {"error": "incorrect_client_credentials"}
        return 200, self.issue_tokens(login) if login else {"error": "bad_refresh_token"}

    def _revoke(self, authorization: str, request: dict[str, str]) -> Answer:
        expected = base64.b64encode(":".join(CLIENT).encode()).decode()
        login = self.logins.get(request["access_token"])
        if authorization != f"Basic {expected}" or login is None:
            return 404, {"message": "Not Found"}
        self.revoke_tokens(login)
        return 204, None

    def translate_token(self, token: str, path: str, owner: str) -> str | None:
        """Return the emulator's token with the same access as a person's token, or None for public access."""
        login = self.logins[token]
        match = REPOSITORY.match(path)
        if match is None:
            return self.accounts[login]
        names = [name.lower() for name in self.readable.get(login, [])]
        return owner if match[1].lower() in names else None
