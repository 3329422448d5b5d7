"""Tests of new versions of agreements."""

from datetime import timedelta

import pytest
from bs4 import BeautifulSoup

from integrations.submissions.agreement_texts import compare_texts
from integrations.submissions.models import Agreement, Integration
from integrations.submissions.services import requirements
from integrations.submissions.services.agreement_versions import request_new_versions
from integrations.submissions.text_changes import TextChange
from integrations.submissions.workflow.states import Status
from portal.notifications.models import EmailMessage
from tests.conftest import create_integration
from tests.integrations.page_text import get_text
from tests.integrations.submissions.requirements.pages import get_url
from tests.integrations.submissions.signatures import MNDA, RITA, TPA, publish_version, sign
from tests.replay import replay_fixture

REASON = "Version 2027-01 replaces version 2026-01. Both sides must sign it."


@pytest.fixture
@replay_fixture
def complete_agreement(rocket, alice, rita, now):
    """Version 2026-01, signed by both sides."""
    sign(rocket, alice, now)
    return sign(rocket, rita, now, RITA)


def get_answer(row, requirement_id=TPA):
    state = Integration.objects.get(pk=row.pk).fulfillments.get(requirement_id=requirement_id)
    return state.status, state.summary


def test_nothing_is_requested_without_a_new_version(rocket, complete_agreement, now):
    assert (request_new_versions(now), get_answer(rocket)[0]) == (0, Status.SUBMITTED)


def test_new_version_opens_the_requirement_of_every_integration(
    acme, rocket, complete_agreement, alice, now, monkeypatch
):
    vault = create_integration(acme, alice, "vault", name="Keeper")
    tpa_id = next(r.id for r in vault.edition.list_requirements() if r.agreement == "tpa")
    publish_version(monkeypatch)
    assert [request_new_versions(now + timedelta(days=day)) for day in (1, 2)] == [1, 0]
    assert (get_answer(rocket), get_answer(vault, tpa_id)) == ((Status.OPEN, REASON), (Status.OPEN, REASON))
    events = [event for row in (rocket, vault) for event in row.events.filter(event_type="agreement.replaced")]
    assert [(event.data["version"], event.data["replaces"]) for event in events] == [("2027-01", "2026-01")]
    subjects = EmailMessage.objects.filter(person=alice, name="agreement_replaced").values_list("subject", flat=True)
    assert list(subjects) == ["Signature required: new version of Technology Partner Agreement"]


def test_old_signatures_stay_and_the_new_version_completes_the_requirement(
    rocket, complete_agreement, alice, rita, now, monkeypatch
):
    publish_version(monkeypatch)
    request_new_versions(now)
    sign(rocket, alice, now)
    assert (request_new_versions(now), get_answer(rocket)[0]) == (0, Status.AWAITING_OTHER_PARTY)
    sign(rocket, rita, now, RITA)
    assert get_answer(rocket)[0] == Status.SUBMITTED
    rows = Agreement.objects.order_by("pk").values_list("version", "completed_at", "signatures__signer")
    assert list(rows.order_by("version", "signatures__signer")) == [
        (version, now, signer) for version in ("2026-01", "2027-01") for signer in ("Alice Archer", "Rita Reyes")
    ]


def test_half_signed_version_is_replaced(rocket, alice, now, monkeypatch, sign_in):
    sign(rocket, alice, now)
    publish_version(monkeypatch)
    assert (request_new_versions(now), get_answer(rocket)) == (1, (Status.OPEN, REASON))
    page = BeautifulSoup(sign_in(alice).get(get_url(rocket, TPA)).content, "html.parser")
    assert page.select_one("#agreement-changes h2").text.strip() == "Changes from version 2026-01"
    assert len(page.select("#agreement-changes li")) == 2


def test_agreement_that_is_not_applicable_stays_not_applicable(rocket, alice, now, monkeypatch):
    requirements.mark_not_applicable(rocket, MNDA, actor=alice, now=now)
    publish_version(monkeypatch, key="mnda")
    assert (request_new_versions(now), get_answer(rocket, MNDA)[0]) == (0, Status.NOT_APPLICABLE)


def test_listed_integration_waits_for_the_company(integration_at, alice, rita, now, monkeypatch):
    integration = integration_at("support")
    sign(integration, alice, now)
    sign(integration, rita, now, RITA)
    publish_version(monkeypatch)
    request_new_versions(now)
    row = Integration.objects.get(pk=integration.pk)
    title = integration.edition.get_requirement(TPA).title
    assert (row.responsible_party, row.next_action_label) == ("partner", f"Sign “{title}”")
    assert (row.stage, row.listing_status) == ("support", "listed")


def test_page_shows_the_reason_and_what_changed(rocket, complete_agreement, alice, now, monkeypatch, sign_in):
    publish_version(monkeypatch)
    request_new_versions(now)
    response = sign_in(alice).get(get_url(rocket, TPA))
    changes = BeautifulSoup(response.content, "html.parser").select("#agreement-changes li")
    assert "Version 2027-01 replaces version 2026-01." in get_text(response)
    assert [" ".join(each.text.split()) for each in changes] == [
        "Removed: Either side can end this agreement with 30 days' notice. The listings end with it.",
        "Added: Either side can end this agreement with 60 days' notice. The listings end with it.",
    ]


def test_texts_are_compared_by_paragraph_whatever_their_lines():
    assert compare_texts("# A\n\nOne\ntwo.\n\n1. Old.\n2. Same.\n", "# A\n\nOne two.\n\n1. Same.\n2. New.\n") == [
        TextChange("removed", "Old."),
        TextChange("added", "New."),
    ]
