"""What are operations made of? Rooms that know their scope, strict bodies, pages of a list."""

import base64
import binascii
import json
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any, Generic, TypeVar, get_args, get_origin, get_type_hints

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from ninja import Router, Schema, Status
from ninja.errors import HttpError
from ninja.params.models import Query as InQuery
from ninja.parser import Parser
from ninja.security import HttpBearer
from pydantic import ConfigDict, Field

from portal.api.problems import Problem
from portal.api.scopes import BY_KEY

T = TypeVar("T")
Operation = TypeVar("Operation", bound=Callable[..., Any])
MOST, USUAL = 100, 50
UNKNOWN = "There is no such parameter here."
METHODS: dict[str, str] = {}  # of each operation


class Bearer(HttpBearer):
    """The gate has found the token; the document says that one is needed."""

    def authenticate(self, request: HttpRequest, token: str) -> Any:
        return getattr(request, "api_token", None)


class Strict(Schema):
    """A body: what is not named is refused."""

    model_config = ConfigDict(extra="forbid")


class Page(Schema, Generic[T]):
    """A part of a list. `next` is the cursor to go on from, null at the end."""

    items: list[T]
    next: str | None = None


class Done(Schema):
    """What was done, in a sentence."""

    said: str


class StrictParser(Parser):
    """JSON as RFC 8259 has it: no NaN, no name twice, nothing that a database cannot keep."""

    def parse_body(self, request: HttpRequest) -> Any:
        try:
            text = request.body.decode("utf-8")
            found = json.loads(text, parse_constant=_refuse, object_pairs_hook=_once)
            json.dumps(found, ensure_ascii=False).encode("utf-8")
        except (ValueError, RecursionError) as odd:
            raise HttpError(400, "The body is not JSON.") from odd
        if "\\u0000" in text and "\x00" in _texts(found):
            raise HttpError(400, "The body holds a character that cannot be kept.")
        return found


def _refuse(name: str) -> Any:
    raise ValueError(name)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name twice")
    return found


def _texts(found: Any) -> str:
    """All the text of a body, its names too."""
    if isinstance(found, dict):
        return "".join(f"{key}{_texts(value)}" for key, value in found.items())
    if isinstance(found, list):
        return "".join(map(_texts, found))
    return found if isinstance(found, str) else ""


class Room:
    """A router whose operations each name their scope; a blank one is open to everybody, token or not."""

    def __init__(self, tag: str) -> None:
        self.tag = tag
        self.router = Router(tags=[tag])

    def get(
        self, path: str, scope: str, response: Any, files: tuple[str, ...] = ()
    ) -> Callable[[Operation], Operation]:
        """`files`: further media types that it may be had in."""
        return self.add("GET", path, scope, {200: response}, {"x-files": list(files)} if files else {})

    def post(self, path: str, scope: str, response: Any = Done, status: int = 200) -> Callable[[Operation], Operation]:
        return self.add("POST", path, scope, {status: response})

    def patch(self, path: str, scope: str, response: Any = Done) -> Callable[[Operation], Operation]:
        return self.add("PATCH", path, scope, {200: response})

    def delete(self, path: str, scope: str) -> Callable[[Operation], Operation]:
        return self.add("DELETE", path, scope, {200: Done})

    def add(
        self, method: str, path: str, scope: str, responses: Any, told: dict[str, Any] | None = None
    ) -> Callable[[Operation], Operation]:
        """The first line of the docstring is the summary, the rest the description."""
        assert scope in BY_KEY or scope == "", scope
        extra = {**({"x-scope": scope} if scope else {}), **(told or {})}

        def decorate(operation: Operation) -> Operation:
            summary, _, more = (operation.__doc__ or "").strip().partition("\n")
            METHODS[operation.__name__] = method
            self.router.add_api_operation(
                path, [method], within(scope, operation, min(responses)), response=responses,
                operation_id=operation.__name__, summary=summary.rstrip("."), description=unwrapped(more),
                auth=Bearer() if scope else None, openapi_extra=extra,
            )  # fmt: skip
            return operation

        return decorate


def unwrapped(text: str) -> str:
    """A docstring's paragraphs, each on one line."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.strip().split("\n\n"))


def within(scope: str, operation: Callable[..., Any], status: int) -> Callable[..., Any]:
    """Refuses a token that was not given this scope, and parameters that nobody knows: a filter with a slip in its
    name would let everything through. What the operation returns is answered with the status."""
    known = parameters_of(operation)

    @wraps(operation)
    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        if scope and scope not in request.api_token.scopes:  # type: ignore[attr-defined]
            raise Problem("scope", f"The token was not given “{scope}”: {BY_KEY[scope].does.lower()}.")
        odd = sorted(set(request.GET) - known)
        if odd:
            raise Problem("unfit", "There is no such parameter.", fields=[(name[:40], UNKNOWN) for name in odd[:20]])
        found = operation(request, *args, **kwargs)
        return found if isinstance(found, HttpResponseBase) else Status(status, found)

    return checked


def parameters_of(operation: Callable[..., Any]) -> set[str]:
    """The names of what an operation takes from the query of its address."""
    hints = get_type_hints(operation, include_extras=True).values()
    asked = [get_args(hint) for hint in hints if get_origin(hint) is Annotated]
    return {name for shape, *how in asked if isinstance(how[0], InQuery) for name in shape.model_fields}


class Paged(Schema):
    """How a list is asked for."""

    after: str | None = Field(None, max_length=200, description="The cursor of the page before: its `next`.")
    limit: int = Field(USUAL, ge=1, le=MOST, description="How many at most.")


def cursor(pk: int, place: str = "") -> str:
    """Where a page ended: the key of its last row, after `place` in lists whose order is not the key's alone."""
    return base64.urlsafe_b64encode(f"k{pk}@{place}".removesuffix("@").encode()).decode().rstrip("=")


def read_cursor(text: str) -> tuple[int, str]:
    """(key, place). Raises Problem for what is no cursor of ours."""
    try:
        plain = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode("ascii")
    except (ValueError, binascii.Error):
        plain = ""
    key, _, place = plain.partition("@")
    if not (key[:1] == "k" and key[1:].isdecimal() and len(key) < 20):
        raise no_cursor()
    return int(key[1:]), place


def no_cursor() -> Problem:
    sentence = "This is no cursor: take the one that the page before gave."
    return Problem("unfit", sentence, fields=[("after", "No cursor.")])


def lead_on(request: HttpRequest, response: HttpResponse, following: str | None) -> None:
    """The address of the next page, in the Link header."""
    if following:
        query = request.GET.copy()
        query["after"] = following
        response["Link"] = f'<{request.build_absolute_uri(request.path)}?{query.urlencode()}>; rel="next"'


def listed(
    request: HttpRequest, response: HttpResponse, rows: QuerySet[Any], paged: Paged, shape: Callable[[Any], T],
    key: str = "pk", newest_first: bool = True,
) -> dict[str, Any]:  # fmt: skip
    """One page of a list, by a key that never moves; the address of the next one is in the Link header too."""
    if paged.after is not None:
        rows = rows.filter(**{f"{key}__{'lt' if newest_first else 'gt'}": read_cursor(paged.after)[0]})
    found = list(rows.order_by(f"-{key}" if newest_first else key)[: paged.limit + 1])
    page = found[: paged.limit]
    following = cursor(getattr(page[-1], key)) if len(found) > paged.limit else None
    lead_on(request, response, following)
    return {"items": [shape(row) for row in page], "next": following}


def posted(**fields: Any) -> QueryDict:
    """Fields as a page's form would have sent them: what is None was not filled in, True is a ticked box."""
    found = QueryDict(mutable=True)
    for name, value in fields.items():
        if value is None or value is False:
            continue
        found.setlist(name, [_typed(each) for each in (value if isinstance(value, list | tuple) else [value])])
    return found


def _typed(value: Any) -> str:
    return "on" if value is True else value.isoformat() if hasattr(value, "isoformat") else str(value)
