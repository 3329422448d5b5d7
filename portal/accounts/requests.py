"""Types of requests and of the people who send them."""

from collections.abc import Callable
from typing import TypeAlias, TypeGuard

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, QueryDict
from django_htmx.middleware import HtmxDetails

from portal.accounts.models import User

AnyUser: TypeAlias = User | AnonymousUser


class AuthenticatedRequest(HttpRequest):
    """Request of a signed-in user. Views behind the sign-in annotate their request with it."""

    user: User
    htmx: HtmxDetails
    unsent: Callable[[], QueryDict | None]


def is_authenticated(request: HttpRequest) -> TypeGuard[AuthenticatedRequest]:
    """Return whether a view that is also open to visitors serves a signed-in user."""
    return request.user.is_authenticated
