"""Does whatever sends a mail reach a program too? Every notice beside the kinds of events that webhooks hear of."""

import json
from typing import Any

import pytest
from django.db import transaction

from integrations.submissions.notices import NOTIFICATION_RULES
from integrations.submissions.services import introductions
from portal.audit.services import record_event
from portal.notifications.categories import CATEGORY_BY_EVENT_TYPE as CHOICES
from portal.webhooks.event_kinds import EVENT_TYPES_BY_VERB, GROUP_TITLES, SAMPLE_VALUES, WEBHOOK_EVENT_TYPES
from portal.webhooks.models import WebhookDelivery
from tests.conftest import NOW, begin

# verb of a notice: why no webhook hears of it
MAIL_ALONE: dict[str, str] = {}
# verb of a kind: why there is no notice of its own
WEBHOOK_ALONE = {
    "complete_step": "the company took it itself, and what it leads to is mailed",
    "finding_fixed": "the request for another review is mailed, with all findings",
    "finding_verified": "the decision that follows is mailed",
    "finding_reopened": "the decision that follows is mailed",
    "turn_warned": "whoever is next is mailed by the escalation",
    "turn_overdue": "whoever is next is mailed by the escalation",
    "mail_undelivered": "whoever is next is mailed by the escalation",
}


@pytest.mark.django_db
def test_check_accepted_for_good_is_reported(endpoint: Any, rocket: Any, rita: Any) -> None:
    endpoint(kinds=["check.accepted"])
    event_data: dict[str, Any] = {
        "check": "repository.owner",
        "title": "Same owner",
        "thing": "new owner",
        "value": "secret-9",
    }
    with transaction.atomic():
        record_event(rocket, "accepted", actor=rita, now=NOW, **event_data)
    body = json.loads(WebhookDelivery.objects.get().body)
    assert (body["type"], body["data"]["thing"], body["data"]["by"]) == ("check.accepted", "new owner", "program")
    assert "secret-9" not in json.dumps({**body["data"], "sentence": ""})


@pytest.mark.django_db
def test_introduction_reports_no_one_who_asks(endpoint: Any, rocket: Any, globex: Any, charlie: Any) -> None:
    endpoint(kinds=["introduction.requested", "introduction.declined"])
    other = begin(globex, charlie, name="Comet", repository="globex/comet", repository_id=9)
    introductions.request_introduction(other, rocket, "We are Globex.", actor=charlie, now=NOW)
    body = WebhookDelivery.objects.get().body
    assert (json.loads(body)["type"], "Globex" in body, "Comet" in body) == ("introduction.requested", False, False)


def test_every_notice_has_a_kind_of_event_or_a_reason() -> None:
    assert set(NOTIFICATION_RULES) - set(EVENT_TYPES_BY_VERB) == set(MAIL_ALONE)


def test_every_kind_of_event_has_a_notice_or_a_reason() -> None:
    assert set(EVENT_TYPES_BY_VERB) - set(NOTIFICATION_RULES) == set(WEBHOOK_ALONE)


def test_every_notice_can_be_chosen_or_is_locked() -> None:
    assert set(NOTIFICATION_RULES) - set(CHOICES) == set()


def test_every_kind_has_a_group_and_samples_of_its_fields() -> None:
    assert {kind.group for kind in WEBHOOK_EVENT_TYPES} == set(GROUP_TITLES)
    assert {field for kind in WEBHOOK_EVENT_TYPES for field in kind.fields} - set(SAMPLE_VALUES) == set()


def test_no_verb_is_reported_twice() -> None:
    event_types = [event_type for kind in WEBHOOK_EVENT_TYPES for event_type in kind.event_types]
    assert len(event_types) == len(set(event_types))
