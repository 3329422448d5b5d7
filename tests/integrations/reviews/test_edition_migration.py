"""Tests of the edition migration page."""

from datetime import datetime
from typing import Any

import pytest
from bs4 import BeautifulSoup

from integrations.partners.models import Membership, Partner
from integrations.reviews.services import conflicts
from integrations.submissions.models import Integration
from integrations.submissions.services import creation
from integrations.submissions.services.transitions import perform_transition
from portal.accounts.models import User
from portal.audit.models import AuditEvent
from portal.notifications.models import EmailMessage
from tests.conftest import FACTS
from tests.integrations.page_text import get_text

pytestmark = pytest.mark.any_database

SignIn = Any


@pytest.fixture
def provider(acme: Partner, alice: User, now: datetime, time_machine: Any) -> Integration:
    """Acme's provider in the edition of 2021."""
    time_machine.move_to(now, tick=False)
    row = creation.create_integration(acme, "terraform-provider", FACTS, actor=alice, now=now, edition="2021-10")
    return Integration.objects.get(pk=row.pk)


def build_url(row: Integration) -> str:
    return f"/integrations/{row.uuid}/edition/"


@pytest.mark.every_database
def test_preview_shows_the_changes_and_makes_none(provider: Integration, rita: User, sign_in: SignIn) -> None:
    before = (AuditEvent.objects.count(), EmailMessage.objects.count())
    text = get_text(sign_in(rita).post(build_url(provider), {"to": "2026-06", "note": "", "preview": "1"}))
    new = provider.program.by_date["2026-06"]
    assert provider.edition.mailbox in text
    assert new.mailbox in text
    for part in ("New requirements", "Removed requirements", "Retained requirements"):
        assert part in text
    assert "We send this email to alice@acme.example" in text
    assert Integration.objects.get(pk=provider.pk).edition_date == "2021-10"
    assert (AuditEvent.objects.count(), EmailMessage.objects.count()) == before


def test_note_survives_a_lost_session(provider: Integration, rita: User, client: Any) -> None:
    client.post(build_url(provider), {"to": "2026-06", "note": "As agreed.", "move": "1"})
    client.force_login(rita, backend="django.contrib.auth.backends.ModelBackend")
    assert get_text(client.get(build_url(provider)), "textarea") == "As agreed."
    assert Integration.objects.get(pk=provider.pk).edition_date == "2021-10"


@pytest.mark.every_database
def test_migration_is_performed_recorded_and_emailed(provider: Integration, rita: User, sign_in: SignIn) -> None:
    client = sign_in(rita)
    response = client.post(build_url(provider), {"to": "2026-06", "note": "As agreed.", "move": "1"})
    assert response["Location"] == f"/integrations/{provider.uuid}/review/"
    assert Integration.objects.get(pk=provider.pk).edition_date == "2026-06"
    event = provider.events.get(event_type="integration.edition_moved")
    assert (event.actor, event.note, event.data["old_edition"], event.data["new_edition"]) == (
        "Rita Reyes",
        "As agreed.",
        "2021-10",
        "2026-06",
    )
    assert [mail.to for mail in EmailMessage.objects.filter(event=event)] == ["alice@acme.example"]


@pytest.mark.every_database
@pytest.mark.parametrize("to", ["2021-10", "1999-01", "", "x" * 300])
def test_invalid_edition_is_shown_as_field_error(provider: Integration, rita: User, sign_in: SignIn, to: str) -> None:
    response = sign_in(rita).post(build_url(provider), {"to": to, "note": "Kept.", "move": "1"})
    assert response.status_code == 422
    assert "Kept." in get_text(response, "textarea")
    assert Integration.objects.get(pk=provider.pk).edition_date == "2021-10"


def test_page_of_a_program_with_one_edition_says_that_there_is_no_other(
    integration_at: Any, rita: User, sign_in: SignIn
) -> None:
    row = integration_at("develop")
    assert "No other editions" in get_text(sign_in(rita).get(build_url(row)))


def test_reviewer_of_the_partner_cannot_migrate_and_sees_why(
    provider: Integration, acme: Partner, rita: User, sign_in: SignIn, now: datetime
) -> None:
    Membership.objects.create(partner=acme, user=rita, role="viewer", joined_at=now)
    client = sign_in(rita)
    assert "You are a member of Acme" in get_text(client.get(build_url(provider)))
    response = client.post(build_url(provider), {"to": "2026-06", "note": "", "move": "1"})
    assert response.status_code == 403
    assert "decide on their own company" in get_text(response)
    assert Integration.objects.get(pk=provider.pk).edition_date == "2021-10"


def test_reviewer_with_a_conflict_of_interest_is_not_offered_the_migration(
    provider: Integration, rob: User, sign_in: SignIn, now: datetime
) -> None:
    client = sign_in(rob)
    review_url = f"/integrations/{provider.uuid}/review/"
    assert "Change edition" in get_text(client.get(review_url), "#actions")
    conflicts.record_conflict(provider.partner, rob, "I worked there.", actor=rob, now=now)
    response = client.get(review_url)
    assert "Conflict of interest: Rob Roth has a recorded conflict with Acme." in get_text(response)
    assert "Change edition" not in get_text(response, "#actions")


def test_preview_has_no_button_while_a_decision_can_be_undone(
    provider: Integration, rita: User, sign_in: SignIn, now: datetime
) -> None:
    perform_transition(provider, "decline", actor=rita, note="No.", now=now)
    response = sign_in(rita).post(build_url(provider), {"to": "2026-06", "note": "", "preview": "1"})
    assert "The edition can't be changed yet The last decision can be undone until 9:10 AM UTC" in get_text(response)
    assert "New requirements" in get_text(response)
    assert BeautifulSoup(response.content, "html.parser").select("main form button[name=move]") == []


def test_partners_cannot_migrate_editions(provider: Integration, alice: User, sign_in: SignIn) -> None:
    client = sign_in(alice)
    assert client.get(build_url(provider)).status_code == 404
    assert client.post(build_url(provider), {"to": "2026-06", "move": "1"}).status_code == 404
    assert Integration.objects.get(pk=provider.pk).edition_date == "2021-10"
