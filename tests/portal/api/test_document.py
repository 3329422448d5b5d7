"""Sends generated requests, valid and invalid, and compares the responses with the API document.

No response is a server error. Each has a documented status, content type, and schema, and invalid requests are
refused. API_EXAMPLES sets the number of requests per operation.
"""

import os
import re
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections, transaction
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.config import SchemathesisConfig
from schemathesis.core.failures import FailureGroup
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_schema_conformance,
    status_code_conformance,
)

from portal.api.v1.app import PARTS, build_document
from tests.portal.api.operations import build_operation_url
from tests.portal.api.test_api_access import create_clients_by_role
from tests.suites import FIGURE_PROPERTY

pytestmark = pytest.mark.any_database

EXAMPLES = int(os.environ.get("API_EXAMPLES", "2"))
VALID_CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
MODES = {GenerationMode.POSITIVE: VALID_CHECKS, GenerationMode.NEGATIVE: [*VALID_CHECKS, negative_data_rejection]}
# Any refusal, because a precondition is checked before the body (RFC 9110, section 13.2.1) and answered with 412
CONFIG = SchemathesisConfig.from_dict({"checks": {"negative_data_rejection": {"expected-statuses": ["4xx"]}}})
TOKEN_OWNERS = ("alice", "rita")


def limit_example_count(test: Any) -> Any:
    return settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )(test)


def send_generated_requests(
    operation: Any, mode: GenerationMode, checks: Any, places: dict[str, str], secret: str
) -> int:
    """Send generated requests to an operation. Return their number. Raises the failures of the checks."""
    request_count = 0

    @limit_example_count
    @given(case=operation.as_strategy(generation_mode=mode, path_parameters=places))
    def send(case: Any) -> None:
        nonlocal request_count
        request_count += 1
        headers = {**(case.headers or {}), "Authorization": f"Bearer {secret}"}
        with transaction.atomic():
            answer = case.call(headers=headers)
            transaction.set_rollback(True)
        case.validate_response(answer, checks=checks)

    send()
    return request_count


def list_url_arguments(operation: Any, world: dict[str, Any]) -> dict[str, str]:
    """Return the arguments of an operation's URL that refer to existing objects."""
    path = operation.path
    real = build_operation_url(operation.definition.raw["operationId"], path, world)
    names = re.findall(r"{(\w+)}", path)
    match = re.fullmatch(re.sub(r"{\w+}", "([^/]+)", path), real)
    return dict(zip(names, match.groups(), strict=True)) if match else {}


@pytest.fixture(autouse=True)
def disable_limits(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.API_REQUESTS_PER_MINUTE = 10_000_000
    monkeypatch.setattr("portal.api.throttling.ANONYMOUS_REQUESTS_PER_MINUTE", 10_000_000)


@pytest.fixture
def keep_connection() -> Iterator[None]:
    """Keep the database connection after requests, because the test's transaction needs it."""
    signals = (request_started, request_finished)
    for signal in signals:
        signal.disconnect(close_old_connections)
    yield
    for signal in signals:
        signal.connect(close_old_connections)


@pytest.mark.usefixtures("keep_connection")
def test_generated_requests_get_documented_answers(world: dict[str, Any], request: pytest.FixtureRequest) -> None:
    people = create_clients_by_role(world)
    request_count = 0
    number = -1
    wrong = []
    schema = schemathesis.openapi.from_wsgi("/api/openapi.json", get_wsgi_application(), config=CONFIG)
    for number, result in enumerate(schema.get_all_operations()):
        operation: Any = result.ok()  # type: ignore[union-attr]
        secret = people[TOKEN_OWNERS[number % 2]].secret
        for mode, checks in MODES.items():
            try:
                request_count += send_generated_requests(
                    operation, mode, checks, list_url_arguments(operation, world), secret
                )
            except Unsatisfiable:  # an operation without arguments has no invalid requests
                continue
            except (Exception, FailureGroup) as failure:
                wrong.append(f"{operation.label} {mode.value}: {failure} {getattr(failure, 'exceptions', '')}")
    request.node.user_properties.append(
        (FIGURE_PROPERTY, f"{request_count:,} generated requests to {number + 1} operations of the API")
    )
    assert wrong == [], "\n".join(wrong)
    assert request_count > 100


def test_document_is_openapi_31() -> None:
    document = build_document()
    assert document["openapi"].startswith("3.1")
    for schema in document["components"]["schemas"].values():
        jsonschema.Draft202012Validator.check_schema(schema)


def test_document_names_the_headers_of_responses() -> None:
    document = build_document()
    paths = document["paths"]
    assert list(paths["/api/v1/integrations"]["get"]["responses"]["200"]["headers"]) == ["Link"]
    assert list(paths["/api/v1/drafts"]["post"]["responses"]["201"]["headers"]) == ["Location"]
    assert list(document["components"]["responses"]["NotModified"]["headers"]) == ["ETag"]


def test_every_body_has_a_valid_example() -> None:
    document = build_document()
    schema_names = set()
    for name, content in list_bodies():
        shape = document["components"]["schemas"][content["schema"]["$ref"].rsplit("/", 1)[-1]]
        if shape["properties"]:
            whole = shape | {"components": document["components"]}
            fits = jsonschema.Draft202012Validator(whole, format_checker=jsonschema.FormatChecker())
            fits.validate(content["example"])
            schema_names.add(name)
    assert schema_names == set(PARTS.examples)


def list_bodies() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield (operation, media type object of its JSON body)."""
    for methods in build_document()["paths"].values():
        for operation in methods.values():
            content = operation.get("requestBody", {}).get("content", {})
            if "application/json" in content:
                yield operation["operationId"], content["application/json"]


def test_operations_that_write_require_a_write_scope() -> None:
    scope_by_name = {
        operation["operationId"]: operation.get("x-scope", "")
        for methods in build_document()["paths"].values()
        for method, operation in methods.items()
        if method != "get"
    }
    assert [name for name, scope in scope_by_name.items() if scope.endswith(":read")] == []


def test_every_operation_has_a_description_and_a_scope_or_is_public() -> None:
    summary_and_scope_by_name = {
        operation["operationId"]: (operation["summary"], operation.get("x-scope"))
        for methods in build_document()["paths"].values()
        for operation in methods.values()
    }
    assert [name for name, (summary, _) in summary_and_scope_by_name.items() if len(summary) < 6] == []
    open_operations = {name for name, (_, scope) in summary_and_scope_by_name.items() if not scope}
    assert open_operations == {
        "get_me",
        "list_programs",
        "get_program",
        "get_answer_schemas",
        "list_directory",
        "get_listing",
    }
