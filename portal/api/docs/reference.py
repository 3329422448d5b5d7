"""Content of the API reference, built from the OpenAPI document."""

import json
import re

from django.conf import settings
from django.utils.html import format_html, format_html_join
from django.utils.text import slugify

from portal.api.idempotency import IDEMPOTENCY_KEY_HEADER
from portal.api.routing import unwrap_paragraphs
from portal.api.v1.app import API_PREFIX, build_document
from portal.core.value_types import JsonObject, TemplateContext


def list_groups(query: str = "") -> list[TemplateContext]:
    """Return the operations by tag that contain every word of the query, in the order of the document."""
    words = query.lower().split()
    groups: dict[str, list[TemplateContext]] = {}
    for path, method, operation_data in _list_operation_data():
        tag = operation_data["tags"][0]
        summary = operation_data["summary"]
        name = operation_data["operationId"]
        text = " ".join((tag, method, path, summary, name, operation_data.get("x-scope", ""))).lower()
        if all(word in text for word in words):
            operation = {"id": name, "method": method.upper(), "path": path, "summary": render_inline_code(summary)}
            groups.setdefault(tag, []).append(operation)
    return [{"name": tag, "slug": slugify(tag), "operations": operations} for tag, operations in groups.items()]


def build_group(slug: str) -> TemplateContext | None:
    """Return a tag's operations in full, and each schema of their responses once."""
    operations_data = [item for item in _list_operation_data() if slugify(item[2]["tags"][0]) == slug]
    if not operations_data:
        return None
    operations = [_build_operation(*item) for item in operations_data]
    schemas = {operation["response"]["schema"]: operation["response"] for operation in operations}
    return {
        "name": operations_data[0][2]["tags"][0],
        "operations": operations,
        "schemas": [schemas[name] for name in sorted(schemas) if schemas[name]["fields"]],
    }


def _list_operation_data() -> list[tuple[str, str, JsonObject]]:
    """Return (path, method, operation) of the document."""
    return [
        (path, method, operation_data)
        for path, methods in build_document()["paths"].items()
        for method, operation_data in methods.items()
    ]


def _build_operation(path: str, method: str, operation_data: JsonObject) -> TemplateContext:
    status, response_data = next(item for item in operation_data["responses"].items() if item[0].startswith("2"))
    request = _build_body(operation_data.get("requestBody", {}), mark_required=True)
    summary = operation_data["summary"]
    description = str(operation_data.get("description", ""))
    # Without a description, django-ninja takes the docstring, which is the summary.
    is_repeated = description.rstrip(".") == summary.rstrip(".")
    return {
        "id": operation_data["operationId"],
        "method": method.upper(),
        "path": path,
        "summary": render_inline_code(summary),
        "description": "" if is_repeated else render_inline_code(description),
        "scope": operation_data.get("x-scope", ""),
        "parameters": [
            _build_field(parameter["name"], parameter.get("schema", {}), parameter)
            for parameter in map(resolve_parameter, operation_data.get("parameters", []))
            # All writes have it, and the conventions explain it once.
            if parameter["name"] != IDEMPOTENCY_KEY_HEADER
        ],
        "request": request,
        "status": status,
        "response": _build_body(response_data, mark_required=False),
        "example": _build_example(path, method, operation_data, request["fields"]),
    }


def resolve_parameter(parameter: JsonObject) -> JsonObject:
    """Return a parameter, which is in the components if several operations share it."""
    shared: dict[str, JsonObject] = build_document()["components"]["parameters"]
    return shared[parameter["$ref"].rpartition("/")[2]] if "$ref" in parameter else parameter


def render_inline_code(text: str) -> str:
    """Render text between backticks as code."""
    parts = text.split("`")
    html = [format_html("<code>{}</code>" if number % 2 else "{}", part) for number, part in enumerate(parts)]
    return format_html_join("", "{}", ((part,) for part in html))


def _build_field(name: str, schema: JsonObject, details: JsonObject) -> TemplateContext:
    """Return a parameter, or a field of a body."""
    return {
        "name": name,
        "kind": _get_type_name(schema),
        "is_required": bool(details.get("required")),
        "description": render_inline_code(details.get("description", "")),
        "location": details.get("in", ""),
    }


def _build_body(body_data: JsonObject, *, mark_required: bool) -> TemplateContext:
    """Build a body from its first media type. The fields of a list or a page are those of its items."""
    content: JsonObject = next(iter(body_data.get("content", {}).values()), {})
    schema = content.get("schema", {})
    item_schema = _resolve_schema(schema)
    # A page has the same two fields in each list, so its items are what a reader needs.
    if "next" in item_schema.get("properties", {}):
        item_schema = _resolve_schema(item_schema["properties"]["items"])
    required_names = item_schema.get("required", []) if mark_required else []
    return {
        "name": _get_schema_name(schema),
        "schema": item_schema.get("title", ""),
        "description": render_inline_code(unwrap_paragraphs(item_schema.get("description", ""))),
        "fields": [
            _build_field(name, field_schema, field_schema | {"required": name in required_names})
            for name, field_schema in item_schema.get("properties", {}).items()
        ],
    }


def _resolve_schema(schema: JsonObject) -> JsonObject:
    """Resolve references and arrays to the schema of their items."""
    if "$ref" in schema:
        return _resolve_schema(build_document()["components"]["schemas"][schema["$ref"].rsplit("/", 1)[-1]])
    return _resolve_schema(schema.get("items", {})) if schema.get("type") == "array" else schema


def _get_schema_name(schema: JsonObject) -> str:
    """Return the name of a schema, such as “IntegrationOut”, “list of StepOut”, or “page of EventOut”."""
    if schema.get("type") == "array":
        return f"list of {_get_schema_name(schema.get('items', {}))}"
    name = schema.get("$ref", "").rsplit("/", 1)[-1]
    page_match = re.fullmatch(r"CursorPage_(\w+)_", name)
    if page_match:
        return "page of object" if page_match[1].startswith("dict_") else f"page of {page_match[1]}"
    return name or str(schema.get("type", ""))


def _get_type_name(schema: JsonObject) -> str:
    if "anyOf" in schema:
        return " or ".join(_get_type_name(option) for option in schema["anyOf"] if option.get("type") != "null")
    if "$ref" in schema or schema.get("type") == "array":
        return _get_schema_name(schema)
    return str(schema.get("format") or schema.get("type") or "any")


def _build_example(path: str, method: str, operation_data: JsonObject, fields: list[TemplateContext]) -> str:
    """Return an example curl command."""
    display_path = re.sub(r"{(\w+)}", lambda match: f"${match[1].upper()}", path)
    lines = [f'curl "{settings.SITE_URL}{display_path}"']
    if "x-scope" in operation_data:
        lines.append('-H "Authorization: Bearer $PORTAL_TOKEN"')
    if method != "get":
        lines[0] = lines[0].replace("curl ", f"curl -X {method.upper()} ")
        lines.append('-H "Idempotency-Key: $(uuidgen)"')
    lines += _build_body_options(operation_data, fields)
    return " \\\n  ".join(lines)


def _build_body_options(operation_data: JsonObject, fields: list[TemplateContext]) -> list[str]:
    """Return the curl options for the body: form fields, or the example from the document."""
    content = operation_data.get("requestBody", {}).get("content", {})
    if "multipart/form-data" in content:
        values = {
            each["name"]: "@log.txt" if each["kind"] == "binary" else "…" for each in fields if each["is_required"]
        }
        return [f'-F "{name}={value}"' for name, value in values.items()]
    if not content:
        return []
    # A shell has no escape within single quotes: the text ends, a quoted quote follows, and it begins again.
    body = json.dumps(content["application/json"].get("example", {}), ensure_ascii=False)
    return ["--json '" + body.replace("'", "'\\''") + "'"]


def build_first_request() -> str:
    """Return an example of a first request."""
    return f'curl "{settings.SITE_URL}/{API_PREFIX}/me" \\\n  -H "Authorization: Bearer $PORTAL_TOKEN"'
