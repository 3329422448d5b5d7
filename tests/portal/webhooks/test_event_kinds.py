"""Does whatever sends a mail reach a program too? Every notice beside the kinds of events that webhooks hear of."""

import json
from typing import Any

import pytest
from django.db import transaction

from integrations.submissions.notices import NOTICES
from integrations.submissions.services import introductions
from portal.audit.services import record
from portal.notifications.categories import BY_VERB as CHOICES
from portal.webhooks.event_kinds import BY_VERB, GROUPS, KINDS, SAMPLES
from portal.webhooks.models import EndpointMessage
from tests.conftest import NOW, begin

# verb of a notice: why no webhook hears of it
MAIL_ALONE: dict[str, str] = {}
# verb of a kind: why there is no notice of its own
WEBHOOK_ALONE = {
    "advance": "the company took it itself, and what it leads to is mailed",
    "finding_fixed": "the request for another review is mailed, with all findings",
    "finding_verified": "the decision that follows is mailed",
    "finding_reopened": "the decision that follows is mailed",
    "turn_warned": "whoever is next is mailed by the escalation",
    "turn_overdue": "whoever is next is mailed by the escalation",
    "mail_undelivered": "whoever is next is mailed by the escalation",
}


@pytest.mark.django_db
def test_check_accepted_for_good_is_told(endpoint: Any, rocket: Any, rita: Any) -> None:
    endpoint(kinds=["check.accepted"])
    said: dict[str, Any] = {
        "check": "repository.owner",
        "title": "Same owner",
        "thing": "new owner",
        "value": "secret-9",
    }
    with transaction.atomic():
        record(rocket, "accepted", by=rita, now=NOW, **said)
    body = json.loads(EndpointMessage.objects.get().body)
    assert (body["type"], body["data"]["thing"], body["data"]["by"]) == ("check.accepted", "new owner", "program")
    assert "secret-9" not in json.dumps({**body["data"], "sentence": ""})


@pytest.mark.django_db
def test_introduction_tells_nobody_who_asks(endpoint: Any, rocket: Any, globex: Any, charlie: Any) -> None:
    endpoint(kinds=["introduction.asked", "introduction.declined"])
    other = begin(globex, charlie, name="Comet", repository="globex/comet", repository_id=9)
    introductions.ask(other, rocket, "We are Globex.", by=charlie, now=NOW)
    body = EndpointMessage.objects.get().body
    assert (json.loads(body)["type"], "Globex" in body, "Comet" in body) == ("introduction.asked", False, False)


def test_every_notice_has_a_kind_of_event_or_a_reason() -> None:
    assert set(NOTICES) - set(BY_VERB) == set(MAIL_ALONE)


def test_every_kind_of_event_has_a_notice_or_a_reason() -> None:
    assert set(BY_VERB) - set(NOTICES) == set(WEBHOOK_ALONE)


def test_every_notice_can_be_chosen_or_is_locked() -> None:
    assert set(NOTICES) - set(CHOICES) == set()


def test_every_kind_has_a_group_and_samples_of_its_fields() -> None:
    assert {kind.group for kind in KINDS} == set(GROUPS)
    assert {field for kind in KINDS for field in kind.fields} - set(SAMPLES) == set()


def test_no_verb_is_told_twice() -> None:
    verbs = [verb for kind in KINDS for verb in kind.verbs]
    assert len(verbs) == len(set(verbs))
