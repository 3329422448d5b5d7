"""Tests that no one is notified of a decision that was undone."""

from datetime import timedelta
from typing import Any

import pytest

from integrations.submissions.models import Integration
from integrations.submissions.services.transitions import perform_transition
from portal.core.errors import ActionRefused
from portal.notifications import preferences
from portal.notifications.categories import DeliveryMode
from portal.notifications.models import EmailMessage
from portal.notifications.selectors import count_unseen_emails, list_received_emails
from tests.conftest import NOW, fulfill_requirements

pytestmark = [pytest.mark.any_database, pytest.mark.django_db]


@pytest.mark.every_database
@pytest.mark.parametrize("mode", [DeliveryMode.PORTAL, DeliveryMode.DAILY])
def test_decision_is_shown_in_the_portal_only_when_it_is_final(
    integration_at: Any, alice: Any, bob: Any, mode: DeliveryMode
) -> None:
    preferences.save_preferences(bob, {"progress": mode})
    row = integration_at("support")
    for is_undone in (True, False):
        EmailMessage.objects.all().delete()
        perform_transition(row, "archive", actor=alice, note="Replaced.", now=NOW)
        counts = [count_unseen_emails(bob.pk, NOW)]
        if is_undone:
            perform_transition(row, "undo_decision", actor=alice, now=NOW + timedelta(minutes=9))
        final_at = NOW + timedelta(minutes=10)
        counts += [count_unseen_emails(bob.pk, final_at), list_received_emails(bob.pk, final_at).count()]
        assert counts == ([0, 0, 0] if is_undone else [0, 1, 1])


def test_decision_cannot_be_undone_while_its_email_is_being_sent(integration_at: Any, alice: Any, rita: Any) -> None:
    """The job that sends the email started before the undo was committed."""
    row = integration_at("review")
    fulfill_requirements(row, alice, NOW)
    event = perform_transition(row, "approve", actor=rita, now=NOW)
    event.emails.update(state="queued")
    with pytest.raises(ActionRefused, match="We already sent the email"):
        perform_transition(row, "undo_decision", actor=rita, now=NOW + timedelta(minutes=9))
    assert (Integration.objects.get(pk=row.pk).stage, event.emails.get().state) == ("release", "queued")


def test_notification_of_a_final_decision_stays_after_a_downgrade(integration_at: Any, alice: Any) -> None:
    row = integration_at("support")
    approval = row.events.get(event_type="integration.approved")
    approval.emails.update(state="in_app_only")
    perform_transition(row, "downgrade_to_community", actor=alice, now=NOW + timedelta(days=30))
    assert {*approval.emails.values_list("state", flat=True)} == {"in_app_only"}
