"""API version 1: routers, error handling, and the OpenAPI 3.1 document."""

import json
from collections import Counter
from functools import cache

from django.conf import settings
from ninja import NinjaAPI

from portal.api import problems
from portal.api.routing import StrictParser
from portal.api.v1 import (
    analytics,
    checks,
    compliance,
    directory,
    drafts,
    integrations,
    introductions,
    me,
    notifications,
    partners,
    programs,
    provider_schemas,
    reports,
    requirements,
    review_queue,
    reviews,
    sla,
    test_runs,
    webhooks,
)
from portal.core.content_files import Content, load_content
from portal.core.value_types import JsonObject


class DocumentParts(Content):
    """Content of openapi.yaml: features without an operation, shared components, and example request bodies."""

    page_only_features: dict[str, str]
    components: dict[str, JsonObject]
    examples: dict[str, JsonObject]


# What no operation or schema defines.
PARTS = load_content("portal/api/docs/content/openapi.yaml", DocumentParts)
PAGE_ONLY_LIST = "\n".join(f"- {name}: {reason}." for name, reason in PARTS.page_only_features.items())
API_DESCRIPTION = f"""The API covers what partners and program staff do on pages, with the same rules.

Send a token: `Authorization: Bearer ptl_…`. Create one under “API tokens” in your profile or your company.

Available on pages only:

{PAGE_ONLY_LIST}"""
ROUTERS = (
    me.router,
    programs.router,
    drafts.router,
    integrations.router,
    requirements.router,
    checks.router,
    test_runs.router,
    provider_schemas.router,
    review_queue.router,
    reviews.router,
    sla.router,
    partners.router,
    introductions.router,
    compliance.router,
    reports.router,
    notifications.router,
    webhooks.router,
    analytics.router,
    directory.router,
)
API_VERSION = "1"
API_PREFIX = f"api/v{API_VERSION}"
WRITE_METHODS = ("post", "patch", "put", "delete")
SCOPELESS_OPERATIONS = frozenset({"get_me"})  # require a token without a scope
IF_MATCH_DESCRIPTION = "ETag of the version that you read. If the resource has changed, the response is 412."


def build_api() -> NinjaAPI:
    # The reference has pages of its own, and the document is completed before it is shown.
    api = NinjaAPI(
        title="Partner portal",
        version=API_VERSION,
        description=API_DESCRIPTION,
        docs_url=None,
        openapi_url=None,
        urls_namespace="api",
        parser=StrictParser(),
    )
    for exception_class, handler in problems.HANDLERS.items():
        api.add_exception_handler(exception_class, handler)
    for router in ROUTERS:
        api.add_router("", router.router)
    return api


api = build_api()


@cache
def build_document() -> JsonObject:
    """Return the OpenAPI document with the responses and headers that all operations share."""
    document_data: JsonObject = dict(api.get_openapi_schema(path_prefix=f"{API_PREFIX}/"))
    document_data["servers"] = [{"url": settings.SITE_URL}]
    schemas = document_data["components"]["schemas"] | PARTS.components["schemas"]
    document_data["components"] = PARTS.components | {"schemas": schemas}
    for methods in document_data["paths"].values():
        for method, operation in methods.items():
            _complete_operation(method, operation)
    # Pydantic gives each property a title that only repeats its name.
    for schema in schemas.values():
        for property_schema in schema.get("properties", {}).values():
            property_schema.pop("title", None)
    _share_parameters(document_data)
    return document_data


def _share_parameters(document_data: JsonObject) -> None:
    """Move each parameter that several operations have to the components, which makes the document shorter."""
    operations = [operation for methods in document_data["paths"].values() for operation in methods.values()]
    counts = Counter(json.dumps(each) for operation in operations for each in operation.get("parameters", ()))
    shared: JsonObject = {}
    for content, count in counts.items():
        parameter = json.loads(content)
        if count > 1 and "name" in parameter and parameter["name"] not in shared:
            shared[parameter["name"]] = parameter
    for parameters in (operation.get("parameters", []) for operation in operations):
        parameters[:] = [
            build_reference(f"parameters/{each['name']}") if shared.get(each.get("name")) == each else each
            for each in parameters
        ]
    document_data["components"]["parameters"] = document_data["components"]["parameters"] | shared


def build_reference(path: str) -> dict[str, str]:
    return {"$ref": f"#/components/{path}"}


def _complete_operation(method: str, operation: JsonObject) -> None:
    for name in PARTS.components["responses"]:
        if name.startswith("Problem"):
            operation["responses"].setdefault(name.removeprefix("Problem"), build_reference(f"responses/{name}"))
    _add_descriptions(method, operation)
    for parameter in operation.get("parameters", ()):
        parameter["schema"].pop("title", None)
    for kind in operation.get("x-files", ()):
        operation["responses"][200]["content"][kind] = {"schema": {"type": "string", "format": "binary"}}
    # The keys of django-ninja are numbers, those of the shared responses texts.
    operation["responses"] = {str(status): response for status, response in operation["responses"].items()}
    _add_response_headers(operation)
    if method in WRITE_METHODS:
        operation.setdefault("parameters", []).append(build_reference("parameters/IdempotencyKey"))
    if "x-scope" in operation or operation["operationId"] in SCOPELESS_OPERATIONS:
        operation["security"] = [{"Bearer": []}]
    else:
        # In OpenAPI, an empty requirement makes the others optional.
        operation["security"] = [{}, {"Bearer": []}]


def _add_response_headers(operation: JsonObject) -> None:
    """Add the headers of lists and of new resources."""
    responses = operation["responses"]
    if any(parameter.get("name") == "after" for parameter in operation.get("parameters", ())):
        responses["200"]["headers"] = {"Link": build_reference("headers/Link")}
    if "201" in responses:
        responses["201"]["headers"] = {"Location": build_reference("headers/Location")}


def _add_descriptions(method: str, operation: JsonObject) -> None:
    """Add an example and descriptions of conditional requests."""
    if method == "get":
        operation["responses"][304] = build_reference("responses/NotModified")
        operation["responses"][414] = build_reference("responses/UriTooLong")
    for parameter in operation.get("parameters", []):
        if parameter.get("name") == "If-Match":
            parameter["description"] = IF_MATCH_DESCRIPTION
    if operation["operationId"] in PARTS.examples:
        operation["requestBody"]["content"]["application/json"]["example"] = PARTS.examples[operation["operationId"]]
