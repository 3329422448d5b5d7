"""Single sign-on in tests: settings, claims of Nora, and results of a sign-in."""

from collections.abc import Callable
from typing import Any

from django.test import Client

from portal.accounts.models import User
from portal.accounts.role_names import list_roles
from tests.fakes.oidc_provider import START, OidcProvider, oidc_provider  # noqa: F401 - a fixture

NORA = "nora@program.example"
GROUPS = {
    "reviewers": ("reviewer",),
    "nomad": ("reviewer:nomad", "manager:nomad"),
    "auditors": ("auditor",),
    "operators": ("staff", "superuser"),
}
Configure = Callable[..., None]


def get_roles(email: str) -> list[str]:
    return list_roles(User.objects.get(email=email))


def is_signed_in(client: Client) -> bool:
    return client.get("/profile/").status_code == 200


def get_refusal(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.context["refusal"]
