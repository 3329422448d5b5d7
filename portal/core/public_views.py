"""Views whose responses are equal for all readers, so that shared caches can keep them."""

from collections.abc import Callable
from functools import wraps

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse

View = Callable[..., HttpResponse]


def ignore_session(view: View) -> View:
    """Wrap a public view so that its response has no `Vary: Cookie`, which would give each reader an own copy."""

    @wraps(view)
    def handle(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        response = view(request, *args, **kwargs)
        if hasattr(request, "session"):
            request.session.accessed = False  # the middleware read the session, but the response doesn't depend on it
        return response

    return login_not_required(handle)
