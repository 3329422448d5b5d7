"""Tests of messages about input that doesn't match its schema."""

from typing import Any, get_args

import pytest
from pydantic_core import ErrorType

from integrations.programs.registry import PROGRAMS
from portal.api.problems import build_problem_response
from portal.api.validation_messages import DEFAULT_MESSAGE, MESSAGES, get_validation_message
from tests.portal.api.client import add_second_factor, create_api_client

pytestmark = pytest.mark.any_database


VIEW = {"page": "sla", "name": "Late"}
WEBHOOK = {"partner": "acme", "name": "Builds", "url": "https://hooks.acme.example/"}


@pytest.mark.parametrize(
    ("path", "body", "field", "message"),
    [
        ("/drafts", {"name": "Rocket"}, "program", "This field is required."),
        ("/drafts", {"program": "chess", "name": "Rocket"}, "program", f"Use one of: {', '.join(PROGRAMS)}."),
        ("/saved-views", VIEW | {"name": 1}, "name", "Send a text."),
        ("/saved-views", VIEW | {"shared": "x"}, "shared", "Send true or false."),
        ("/saved-views", VIEW | {"query": "a" * 2001}, "query", "Too long. Maximum number of characters: 2000."),
        ("/partners/acme/calendar", {"workdays": ["x"]}, "workdays.0", "Send a whole number."),
        ("/webhooks", WEBHOOK | {"event_types": ["a"] * 101}, "event_types", "Too many items. Maximum number: 100."),
        ("/webhooks", WEBHOOK | {"event_types": "a"}, "event_types", "Send a JSON array."),
        ("/partners/acme/invitations", {"email": "x", "role": "boss"}, "role", "Use one of: owner, editor, viewer."),
    ],
)
def test_message_is_a_sentence(
    acme: Any, alice: Any, path: str, body: dict[str, Any], field: str, message: str
) -> None:
    response = create_api_client(alice).post(path, body)
    errors = [error for error in response.json()["errors"] if error["field"] == field]
    assert (response.status_code, errors) == (422, [{"field": field, "message": message}])


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("limit=0", "Send a number of at least 1."),
        ("limit=101", "Send a number of at most 100."),
        ("limit=many", "Send a whole number."),
        ("day=soon", "Enter a date, such as 2026-04-14."),
        ("kind=day", "Use one of: week, month, quarter."),
    ],
)
def test_message_about_a_parameter_is_a_sentence(acme: Any, rita: Any, query: str, message: str) -> None:
    response = create_api_client(add_second_factor(rita)).get(f"/reports?{query}")
    errors = [{"field": query.partition("=")[0], "message": message}]
    assert (response.status_code, response.json()["errors"]) == (422, errors)


def test_table_names_errors_of_pydantic_and_others_have_one_message() -> None:
    assert set(MESSAGES) - set(get_args(ErrorType)) == set()
    assert get_validation_message({"type": "url_parsing", "loc": ("body", "data", "url")}) == DEFAULT_MESSAGE


def test_unavailable_service_names_the_time_to_wait() -> None:
    assert build_problem_response("service-unavailable", "GitHub didn't respond.")["Retry-After"] == "60"


def test_unknown_frequency_of_a_report_is_named_with_the_known_ones(acme: Any, alice: Any) -> None:
    response = create_api_client(alice).patch("/reports", {"subscriptions": {"partner:acme": "yearly"}})
    message = "Use one of: weekly, only_with_problems, monthly, quarterly, never."
    errors = [{"field": "subscriptions.partner:acme", "message": message}]
    assert (response.status_code, response.json()["errors"]) == (422, errors)
