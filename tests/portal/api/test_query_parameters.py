"""Tests of query parameters with a closed set of values: other values are refused, and the response names the set.

Otherwise, an unknown value would select nothing, or everything.
"""

from collections.abc import Iterator
from typing import Any

import pytest

from integrations.reviews.selectors.queue_items import SORT_ORDERS
from integrations.submissions.selectors.agreements import AgreementState
from portal.api.docs.reference import resolve_parameter
from portal.api.v1.app import build_document
from portal.webhooks.selectors import list_possible_event_types
from tests.portal.api.client import ApiClient, add_second_factor, create_api_client
from tests.portal.api.operations import build_operation_url

pytestmark = pytest.mark.any_database

# Texts, and names of rows and options
OPEN_PARAMETERS = {
    "after",
    "api_version",
    "confirm_name",
    "external_names",
    "group_prefix",
    "integration",
    "kinds",
    "older",
    "partner",
    "platform",
    "q",
    "references",
    "version",
}
PROGRAMS = ["consul", "consul-nia", "nomad", "packer", "terraform-provider", "terraform-run-task", "vault"]
KINDS = ["review", "appeal", "partner", "waiver", "agreement", "stale", "dispute", "label_policy"]
# Values that depend on the table, or on the person
DEPENDENT_VALUES = {
    "/analytics/queue?kind": KINDS,
    "/analytics/queue?tab": ["all", "overdue", "today", "mine", "free", "snoozed"],
    "/analytics/queue?responsible_party": ["partner", "portal", "third_party", "any"],
    "/analytics/queue?sort": list(SORT_ORDERS),
    "/analytics/agreements?state": AgreementState.values,
    "/analytics/agreements?method": ["portal", "upload"],
    "/analytics/partners?owner": ["missing"],
    "/analytics/partners?contacts": ["unconfirmed"],
    "/reports?scope": ["programs", *(f"program:{key}" for key in PROGRAMS), "partner:SLUG"],
}
DEPENDENT_PARAMETERS = {path.partition("?")[2] for path in DEPENDENT_VALUES} | {"event_type"}


@pytest.fixture
def rita_client(world: dict[str, Any]) -> ApiClient:
    return create_api_client(add_second_factor(world["users"]["rita"]))


def list_query_parameters() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield (operation, path, parameter) of the query parameters of the API document."""
    for path, methods in build_document()["paths"].items():
        for operation in methods.values():
            for parameter in map(resolve_parameter, operation.get("parameters", ())):
                if parameter["in"] == "query":
                    yield operation["operationId"], path, parameter


def find_values(schema: dict[str, Any]) -> list[str]:
    """Return the values of an enumeration, also of an optional one."""
    for option in schema.get("anyOf", [schema]):
        if "$ref" in option:
            return list(build_document()["components"]["schemas"][option["$ref"].rpartition("/")[2]]["enum"])
    return list(schema.get("enum", []))


def is_text(schema: dict[str, Any]) -> bool:
    options = schema.get("anyOf", [schema])
    return any(option.get("type") == "string" and "format" not in option for option in options)


def describe_refusal(name: str, values: list[str]) -> tuple[int, list[dict[str, str]]]:
    message = f"Use one of: {', '.join(value for value in values if value)}."
    return 422, [{"field": name, "message": message}]


def test_text_parameter_has_a_closed_set_or_is_listed_here() -> None:
    texts = {
        parameter["name"]
        for _, _, parameter in list_query_parameters()
        if not find_values(parameter["schema"]) and is_text(parameter["schema"])
    }
    assert texts == OPEN_PARAMETERS | DEPENDENT_PARAMETERS


def test_value_outside_a_closed_set_is_refused_with_the_set(world: dict[str, Any], rita_client: ApiClient) -> None:
    answers = {}
    expected = {}
    for name, path, parameter in list_query_parameters():
        values = find_values(parameter["schema"])
        if values:
            url = f"{build_operation_url(name, path, world)}?{parameter['name']}=nonsense"
            response = rita_client.get(url)
            answers[url] = (response.status_code, response.json().get("errors"))
            expected[url] = describe_refusal(parameter["name"], values)
    assert answers == expected


@pytest.mark.parametrize(("path", "values"), DEPENDENT_VALUES.items())
def test_value_outside_a_dependent_set_is_refused_with_the_set(
    rita_client: ApiClient, path: str, values: list[str]
) -> None:
    response = rita_client.get(f"{path}=nonsense")
    assert (response.status_code, response.json()["errors"]) == describe_refusal(path.partition("?")[2], values)


def test_report_scope_of_another_partner_is_refused_with_the_own_ones(world: dict[str, Any]) -> None:
    client = create_api_client(world["users"]["alice"])
    refusals = [client.get(f"/reports?scope={scope}") for scope in ("partner:globex", "partner:unknown", "programs")]
    assert [(answer.status_code, answer.json()["errors"]) for answer in refusals] == [
        describe_refusal("scope", ["partner:acme"])
    ] * 3
    assert client.get("/reports?scope=partner:acme").status_code == 200


def test_unknown_event_type_of_deliveries_is_refused(world: dict[str, Any]) -> None:
    endpoint = world["endpoint"]
    response = create_api_client(world["users"]["alice"]).get(
        f"/webhooks/{endpoint.uuid}/deliveries?event_type=nonsense"
    )
    expected = describe_refusal("event_type", list_possible_event_types(endpoint))
    assert (response.status_code, response.json()["errors"]) == expected


@pytest.mark.parametrize("name", ["partner", "integration"])
@pytest.mark.parametrize("path", ["/sla/clocks", "/analytics/sla"])
def test_clocks_of_an_unknown_row_are_refused(rita_client: ApiClient, path: str, name: str) -> None:
    response = rita_client.get(f"{path}?{name}=unknown")
    errors = [{"field": name, "message": f"Unknown {name}."}]
    assert (response.status_code, response.json()["errors"]) == (422, errors)
