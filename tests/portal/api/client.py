"""API client of the tests, with a bearer token."""

import json
from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.test import Client
from django.utils import timezone

from portal.api.models import ApiToken
from portal.api.scopes import list_available_scopes
from portal.api.services import tokens

V1 = "/api/v1"


class ApiClient:
    """Client of /api/v1 with one token; `json` is the last response."""

    def __init__(self, secret: str = "", token: ApiToken | None = None) -> None:
        self.secret = secret
        self.token = token
        self.client = Client(raise_request_exception=False)

    def headers(self, more: dict[str, str]) -> dict[str, str]:
        return more | ({"Authorization": f"Bearer {self.secret}"} if self.secret else {})

    def get(self, path: str, **headers: str) -> Any:
        return self.client.get(path if path.startswith("/api") else V1 + path, headers=self.headers(headers))

    def send(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        text = body if isinstance(body, str) else json.dumps({} if body is None else body)
        return self.client.generic(
            method,
            path if path.startswith("/api") else V1 + path,
            text,
            content_type="application/json",
            headers=self.headers(headers),
        )

    def post(self, path: str, body: Any = None, **headers: str) -> Any:
        return self.send("POST", path, body, **headers)

    def patch(self, path: str, body: Any = None, **headers: str) -> Any:
        return self.send("PATCH", path, body, **headers)

    def upload(self, path: str, **fields: Any) -> Any:
        return self.client.post(V1 + path, fields, headers=self.headers({}))


def add_second_factor(user: Any) -> Any:
    """Set up the second factor that tokens of program staff require."""
    TOTP.activate(user, generate_totp_secret())
    return user


def create_api_client(
    user: Any, scopes: Iterable[str] = (), partner: Any = None, role: str = "editor", days: int = 30
) -> ApiClient:
    """Return a caller with a new token of a user or a company."""
    token_scopes = list(scopes) or [scope.key for scope in list_available_scopes(user, partner)]
    token, secret = tokens.create_token(
        "ci", token_scopes, days, actor=user, now=timezone.now() - timedelta(minutes=1), partner=partner, role=role
    )
    return ApiClient(secret, token)
