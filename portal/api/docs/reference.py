"""Content of the API reference page, built from the OpenAPI document."""

import json
import re
from dataclasses import dataclass

from django.conf import settings
from django.utils.html import format_html, format_html_join

from portal.api.routing import unwrap_paragraphs
from portal.api.v1.app import API_PREFIX, build_document
from portal.core.value_types import JsonObject

METHODS = ("get", "post", "patch", "put", "delete")


@dataclass(frozen=True, slots=True)
class ReferenceField:
    """Parameter, or field of a body."""

    name: str
    kind: str
    is_required: bool
    description: str
    location: str = ""


@dataclass(frozen=True, slots=True)
class ReferenceBody:
    """Body of a request or response. `name` is that of its schema, or empty."""

    name: str
    description: str
    fields: tuple[ReferenceField, ...]


@dataclass(frozen=True, slots=True)
class ReferenceOperation:
    id: str
    method: str
    path: str
    summary: str
    description: str
    scope: str
    parameters: tuple[ReferenceField, ...]
    request: ReferenceBody
    status: str
    response: ReferenceBody
    example: str

    @property
    def response_caption(self) -> str:
        """Return the caption of the response fields."""
        caption = f"Response {self.status} of {self.id}"
        return f"{caption}: {self.response.name}" if self.response.name else caption


@dataclass(frozen=True, slots=True)
class ReferenceGroup:
    name: str
    operations: tuple[ReferenceOperation, ...]

    @property
    def anchor(self) -> str:
        return re.sub(r"[^a-z]+", "-", self.name.lower()).strip("-")


def list_groups() -> list[ReferenceGroup]:
    """Return the operations by tag, in the order of the document."""
    operations_by_tag: dict[str, list[ReferenceOperation]] = {}
    for path, methods in build_document()["paths"].items():
        for method in METHODS:
            if method in methods:
                operation = _build_operation(path, method, methods[method])
                operations_by_tag.setdefault(methods[method]["tags"][0], []).append(operation)
    return [ReferenceGroup(name, tuple(operations)) for name, operations in operations_by_tag.items()]


def _build_operation(path: str, method: str, operation_data: JsonObject) -> ReferenceOperation:
    status, response = next(item for item in operation_data["responses"].items() if item[0].startswith("2"))
    request = _build_body(operation_data.get("requestBody", {}), mark_required=True)
    description = str(operation_data.get("description", ""))
    parameters = [parameter for parameter in operation_data.get("parameters", []) if "$ref" not in parameter]
    return ReferenceOperation(
        id=operation_data["operationId"],
        method=method.upper(),
        path=path,
        summary=render_inline_code(operation_data["summary"]),
        # a description that only repeats the summary is left out
        description=""
        if description.rstrip(".") == operation_data["summary"].rstrip(".")
        else render_inline_code(description),
        scope=operation_data.get("x-scope", ""),
        parameters=tuple(_build_parameter(parameter) for parameter in parameters),
        request=request,
        status=status,
        response=_build_body(response, mark_required=False),
        example=_build_example(path, method, operation_data, request.fields),
    )


def render_inline_code(text: str) -> str:
    """Render text between backticks as code."""
    parts = text.split("`")
    html = [format_html("<code>{}</code>" if number % 2 else "{}", part) for number, part in enumerate(parts)]
    return format_html_join("", "{}", ((part,) for part in html))


def _build_parameter(parameter: JsonObject) -> ReferenceField:
    return ReferenceField(
        name=parameter["name"],
        kind=_get_type_name(parameter.get("schema", {})),
        is_required=bool(parameter.get("required")),
        description=render_inline_code(parameter.get("description", "")),
        location=parameter["in"],
    )


def _build_body(body_data: JsonObject, *, mark_required: bool) -> ReferenceBody:
    """Build a body from its first media type. The fields of a list or a page are those of its items."""
    content: JsonObject = next(iter(body_data.get("content", {}).values()), {})
    schema = content.get("schema", {})
    item_schema = _resolve_schema(schema)
    if "next" in item_schema.get("properties", {}):
        item_schema = _resolve_schema(item_schema["properties"]["items"])
    required_names = item_schema.get("required", []) if mark_required else []
    fields = tuple(
        ReferenceField(
            name=name,
            kind=_get_type_name(field_schema),
            is_required=name in required_names,
            description=render_inline_code(field_schema.get("description", "")),
        )
        for name, field_schema in item_schema.get("properties", {}).items()
    )
    description = render_inline_code(unwrap_paragraphs(item_schema.get("description", "")))
    return ReferenceBody(_get_schema_name(schema), description, fields)


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
    return f"page of {page_match[1]}" if page_match else name or str(schema.get("type", ""))


def _get_type_name(schema: JsonObject) -> str:
    if "anyOf" in schema:
        return " or ".join(_get_type_name(option) for option in schema["anyOf"] if option.get("type") != "null")
    if "$ref" in schema or schema.get("type") == "array":
        return _get_schema_name(schema)
    return str(schema.get("format") or schema.get("type") or "any")


def _build_example(path: str, method: str, operation_data: JsonObject, fields: tuple[ReferenceField, ...]) -> str:
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


def _build_body_options(operation_data: JsonObject, fields: tuple[ReferenceField, ...]) -> list[str]:
    """Return the curl options for the body: form fields, or the example from the document."""
    content = operation_data.get("requestBody", {}).get("content", {})
    if "multipart/form-data" in content:
        values = {field.name: "@log.txt" if field.kind == "binary" else "…" for field in fields if field.is_required}
        return [f'-F "{name}={value}"' for name, value in values.items()]
    if not content:
        return []
    body = json.dumps(content["application/json"].get("example", {}), ensure_ascii=False)
    return ["--json '" + body.replace("'", "'\\''") + "'"]


def build_first_request() -> str:
    """Return an example of a first request."""
    return f'curl "{settings.SITE_URL}/{API_PREFIX}/me" \\\n  -H "Authorization: Bearer $PORTAL_TOKEN"'
