"""What is the API made of? Its rooms, its parser, its answers to what goes wrong, and its document (OpenAPI 3.1)."""

from functools import cache
from typing import Any

from django.conf import settings
from ninja import NinjaAPI

from portal.api import problems
from portal.api.docs import page_only_features
from portal.api.docs.examples import EXAMPLES
from portal.api.idempotency import HEADER
from portal.api.routing import StrictParser
from portal.api.v1 import (
    analytics,
    checks,
    drafts,
    integrations,
    introductions,
    me,
    notifications,
    others,
    partners,
    programs,
    provider_schemas,
    requirements,
    reviews,
    sla,
    test_runs,
    webhook_creation,
)

ABOUT = f"""What a partner or a person of the program does in pages, with the same rules.

Send a token: `Authorization: Bearer ptl_…`. Make one under “API tokens” of your profile or your company.

What stays in pages alone:

{page_only_features.said()}"""
ROOMS = (
    me.room, programs.room, drafts.room, integrations.room, requirements.room, checks.room, test_runs.room,
    provider_schemas.room, reviews.room, sla.room, partners.room, introductions.room, others.room, notifications.room,
    webhook_creation.room, analytics.room, others.public,
)  # fmt: skip
VERSION = "1"
PREFIX = f"api/v{VERSION}"
WRITES = ("post", "patch", "put", "delete")
SCOPELESS = frozenset({"get_me"})  # any token will do, and one is needed
USUAL = {
    "400": "The body is no JSON.",
    "401": "No live token.",
    "403": "Not for this person, or not within the token's scopes.",
    "404": "Not here, or not yours to see.",
    "409": "Not now: the sentence says why.",
    "411": "The length of the body is not said.",
    "412": "Changed since it was read.",
    "413": "Too large.",
    "415": "Not JSON.",
    "422": "Something in the request does not fit; each field is named.",
    "429": "Too many requests: Retry-After says when to go on.",
    "503": "The database is busy: Retry-After says when to go on.",
}
PROBLEM = {
    "type": "object",
    "description": "What went wrong (RFC 9457).",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string", "format": "uri"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "A sentence fit to show."},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["field", "message"],
                "properties": {"field": {"type": "string"}, "message": {"type": "string"}},
            },
        },
    },
}
IF_MATCH = "The ETag that was read: what was changed since is not overwritten, the answer is 412."
COUNTED = ("RateLimit", "RateLimit-Policy")
HEADERS = {
    "RateLimit": 'What is left of the minute, and the seconds to its end: "default";r=297;t=42',
    "RateLimit-Policy": 'How many requests a minute there are: "default";q=300;w=60',
    "Retry-After": "Seconds to wait.",
    "WWW-Authenticate": 'Bearer; with error="invalid_token" where the token is unknown, revoked or at its end.',
}
WITH = {"401": (*COUNTED, "WWW-Authenticate"), "429": (*COUNTED, "Retry-After"), "503": ("Retry-After",)}
KEY = {
    "name": HEADER,
    "in": "header",
    "required": False,
    "description": "Any text of yours, new for each piece of work: sent again, it gets the first answer for a day.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 128, "pattern": "^[ -~]+$"},
}


def build() -> NinjaAPI:
    api = NinjaAPI(
        title="Partner portal", version=VERSION, description=ABOUT, docs_url=None, openapi_url=None,
        urls_namespace="api", parser=StrictParser(),
    )  # fmt: skip
    problems.connect(api)
    for room in ROOMS:
        api.add_router("", room.router)
    return api


api = build()


@cache
def document() -> dict[str, Any]:
    """The OpenAPI document, with the answers and headers that every operation shares."""
    found: dict[str, Any] = dict(api.get_openapi_schema(path_prefix=f"{PREFIX}/"))
    found["servers"] = [{"url": settings.SITE_URL}]
    components = found.setdefault("components", {})
    components.setdefault("schemas", {})["Problem"] = PROBLEM
    components["responses"] = {
        f"Problem{status}": {
            "description": says, "content": {problems.CONTENT: {"schema": ref("schemas/Problem")}},
            "headers": {name: ref(f"headers/{name}") for name in WITH.get(status, COUNTED)},
        }
        for status, says in USUAL.items()
    }  # fmt: skip
    components["headers"] = {
        name: {"description": says, "schema": {"type": "string"}} for name, says in HEADERS.items()
    }
    components["parameters"] = {"IdempotencyKey": KEY}
    components["securitySchemes"] = {"Bearer": {"type": "http", "scheme": "bearer"}}
    for methods in found["paths"].values():
        for method, operation in methods.items():
            _complete(method, operation)
    return found


def ref(path: str) -> dict[str, str]:
    return {"$ref": f"#/components/{path}"}


def _complete(method: str, operation: dict[str, Any]) -> None:
    for status in USUAL:
        operation["responses"].setdefault(status, ref(f"responses/Problem{status}"))
    _describe(method, operation)
    for kind in operation.get("x-files", ()):
        operation["responses"][200]["content"][kind] = {"schema": {"type": "string", "format": "binary"}}
    operation["responses"] = {str(status): said for status, said in operation["responses"].items()}
    if method in WRITES:
        operation.setdefault("parameters", []).append(ref("parameters/IdempotencyKey"))
    if "x-scope" in operation or operation["operationId"] in SCOPELESS:
        operation["security"] = [{"Bearer": []}]
    else:
        operation["security"] = [{}, {"Bearer": []}]


def _describe(method: str, operation: dict[str, Any]) -> None:
    """What helps whoever reads it: an example, when there is nothing new, what If-Match is for."""
    if method == "get":
        operation["responses"][304] = {"description": "It is what the ETag in If-None-Match names."}
        operation["responses"][414] = {"description": "The address is too long: the web server says so itself."}
    for parameter in operation.get("parameters", []):
        if parameter.get("name") == "If-Match":
            parameter["description"] = IF_MATCH
    if operation["operationId"] in EXAMPLES:
        operation["requestBody"]["content"]["application/json"]["example"] = EXAMPLES[operation["operationId"]]
