"""Tests of the catalog of event types, and of webhooks about introductions and deviations."""

import json
from typing import Any

import pytest
from django.db import transaction

from integrations.submissions import notices
from integrations.submissions.services import findings, introductions
from integrations.submissions.services.transitions import list_all_transitions
from portal.api.services import tokens
from portal.audit.event_types import CATALOG, EMAILS, EVENT_TYPES, EVENT_TYPES_BY_TRANSITION, WEBHOOKS
from portal.audit.services import record_event
from portal.webhooks.event_types import DOCUMENTATION
from portal.webhooks.models import WebhookDelivery
from tests.conftest import NOW, create_integration
from tests.portal.api.client import add_second_factor, create_api_client
from tests.portal.notifications.integration_events import ISSUE_DATA

# event type: why there is no email of its own
WITHOUT_EMAIL = {
    "integration.advanced": "the company took it itself, and what it leads to is mailed",
    "finding.resolved": "the request for another review is mailed, with all findings",
    "finding.verified": "the decision that follows is mailed",
    "finding.reopened": "the decision that follows is mailed",
}


@pytest.mark.django_db
def test_permanently_accepted_check_is_sent(endpoint: Any, rocket: Any, rita: Any) -> None:
    endpoint(event_types=["check.accepted"])
    event_data: dict[str, Any] = {
        "check": "repository.owner",
        "title": "Same owner",
        "thing": "new owner",
        "value": "secret-9",
    }
    with transaction.atomic():
        record_event(rocket, "check.accepted", actor=rita, now=NOW, **event_data)
    body = json.loads(WebhookDelivery.objects.get().body)
    assert (body["type"], body["data"]["thing"], body["data"]["by"]) == ("check.accepted", "new owner", "program")
    assert "secret-9" not in json.dumps({**body["data"], "summary": ""})


@pytest.mark.django_db
def test_action_of_a_company_token_is_by_the_partner(endpoint: Any, rocket: Any, acme: Any, alice: Any) -> None:
    endpoint(event_types=["message.sent_to_program"])
    token, _ = tokens.create_token("ci", ["integrations:write"], 30, actor=alice, now=NOW, partner=acme)
    findings.post_message(rocket, "Hello.", actor=tokens.get_acting_user(token), now=NOW)
    assert json.loads(WebhookDelivery.objects.get().body)["data"]["by"] == "partner"


@pytest.mark.django_db
def test_introduction_does_not_reveal_who_asks(endpoint: Any, rocket: Any, globex: Any, charlie: Any) -> None:
    endpoint(event_types=["introduction.requested", "introduction.declined"])
    other = create_integration(globex, charlie, name="Comet", repository="globex/comet", repository_id=9)
    introductions.request_introduction(other, rocket, "We are Globex.", actor=charlie, now=NOW)
    body = WebhookDelivery.objects.get().body
    assert (json.loads(body)["type"], "Globex" in body, "Comet" in body) == ("introduction.requested", False, False)


@pytest.mark.django_db
def test_times_have_the_names_of_the_api(endpoint: Any, rocket: Any, rita: Any) -> None:
    endpoint(event_types=["issue.breached", "requirement.waived", "compliance.suspended"])
    waiver = {"requirement": "NO-3", "title": "Tests", "until": "2026-10-01T00:00:00+00:00", "until_day": "Oct 1"}
    with transaction.atomic():
        record_event(rocket, "issue.breached", actor=None, now=NOW, **ISSUE_DATA)
        record_event(rocket, "requirement.waived", actor=rita, now=NOW, **waiver)
        record_event(rocket, "compliance.suspended", actor=rita, now=NOW, compliance_deadline="")
    breach, waived, suspended = (json.loads(row.body)["data"] for row in WebhookDelivery.objects.order_by("pk"))
    assert [*breach["issues"][0]] == ["issue", "name", "url", "target_type", "severity", "due_at"]
    assert breach["issues"][0]["due_at"] == ISSUE_DATA["issues"][0]["due"]
    assert (waived["waiver_expires_at"], "until" in waived) == (waiver["until"], False)
    assert (suspended["compliance_deadline_at"], "compliance_deadline" in suspended) == (None, False)
    events = create_api_client(add_second_factor(rita)).get(f"/integrations/{rocket.uuid}/events").json()["items"]
    assert [event["sequence"] for event in reversed(events)][-3:] == [
        message["sequence"] for message in (breach, waived, suspended)
    ]


def test_every_email_about_an_integration_has_a_webhook() -> None:
    assert {key for key, email in EMAILS.items() if email.audience in notices.FINDERS} - set(WEBHOOKS) == set()


def test_every_webhook_has_an_email_or_a_reason() -> None:
    assert set(WEBHOOKS) - set(EMAILS) == set(WITHOUT_EMAIL)


def test_every_webhook_has_a_group_and_samples_of_its_fields() -> None:
    assert {key.partition(".")[0] for key in WEBHOOKS} == {group.key for group in DOCUMENTATION.groups}
    names = {name for webhook in WEBHOOKS.values() for name in webhook.payload_names.values()}
    assert names == {*DOCUMENTATION.samples}


def test_every_event_type_is_listed_once() -> None:
    assert len(EVENT_TYPES) == len(CATALOG)


def test_every_transition_has_an_event_type() -> None:
    names = {transition.name for _, transition in list_all_transitions()}
    assert names - set(EVENT_TYPES_BY_TRANSITION) == {"verify", "unlist", "relist"}  # parts of others


@pytest.mark.django_db
def test_unknown_event_type_is_not_recorded(rocket: Any) -> None:
    with pytest.raises(KeyError, match="vanished"), transaction.atomic():
        record_event(rocket, "integration.vanished", actor=None, now=NOW)
