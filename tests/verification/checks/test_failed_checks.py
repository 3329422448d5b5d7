"""Tests of what follows from a failure: findings, holds, and decisions of people."""

from datetime import timedelta

import pytest

from integrations.submissions.models import Finding, Integration
from integrations.submissions.services import waivers
from integrations.submissions.services.transitions import perform_transition
from portal.audit.models import AuditEvent
from portal.core.errors import ActionRefused
from portal.notifications.models import EmailMessage
from tests.conftest import NOW, meet
from tests.verification.checks.check_runs import DAY, HOUR, KEY, look, newest, state
from verification.outcomes import Evidence, Outcome, build_conflict_result

pytestmark = pytest.mark.any_database


def mails(name):
    return sorted(EmailMessage.objects.filter(name=name).values_list("to", flat=True))


def test_failure_of_a_listed_one_opens_a_finding_and_reports_both_sides_once(listed_provider, stubs, alice):
    stubs.say(KEY, Outcome.FAIL, "It is archived.")
    for days in (1, 2, 3):
        look(listed_provider, NOW + days * DAY)
    finding = Finding.objects.get()
    assert (finding.state, finding.raised_by, finding.text) == ("open", None, "It is archived.")
    assert finding.due_at == NOW + DAY + timedelta(days=14)
    assert len(mails("check_failed")) == len(set(mails("check_failed"))) == 2
    assert alice.email in mails("check_failed")
    assert AuditEvent.objects.filter(event_type="check.failed").count() == 1


def test_partner_sees_the_finding_and_can_respond(listed_provider, stubs, alice, sign_in):
    stubs.say(KEY, Outcome.FAIL, "It is archived.")
    look(listed_provider, NOW + DAY)
    page = sign_in(alice).get(f"/integrations/{listed_provider.uuid}/").text
    assert ("It is archived." in page, "Respond to finding" in page) == (True, True)


def test_what_passes_again_settles_the_finding_and_is_reported_once(listed_provider, stubs):
    stubs.say(KEY, Outcome.FAIL)
    look(listed_provider, NOW + DAY)
    stubs.said.clear()
    for days in (2, 3):
        look(listed_provider, NOW + days * DAY)
    finding = Finding.objects.get()
    assert (finding.state, finding.verified_by, finding.verified_at) == ("verified", None, NOW + 2 * DAY)
    assert len(mails("check_passed")) == 2
    stubs.say(KEY, Outcome.FAIL)
    look(listed_provider, NOW + 4 * DAY)
    assert [f.number for f in Finding.objects.order_by("number")] == [1, 2]


def test_failure_before_the_release_is_no_finding(provider, stubs):
    look(provider, NOW)
    stubs.say(KEY, Outcome.FAIL)
    look(provider, NOW + DAY)
    assert not Finding.objects.exists()


def test_waived_failure_opens_no_finding_until_the_waiver_ends(listed_provider, stubs, rita):
    stubs.say(KEY, Outcome.FAIL)
    mine = state(listed_provider).requirement_id
    waivers.waive_requirement(
        listed_provider, mine, reason="They move house.", expires_at=NOW + 3 * DAY, actor=rita, now=NOW + 2 * HOUR
    )
    look(listed_provider, NOW + DAY)
    assert not Finding.objects.exists()
    look(listed_provider, NOW + 4 * DAY)
    assert Finding.objects.count() == 1


def test_failure_of_a_hint_or_of_another_tier_is_no_finding(listed_provider, stubs):
    edition = listed_provider.edition
    others = [r for tier in edition.tiers if tier.key != listed_provider.tier for r in tier.requirements]
    hints = [r for r in edition.requirements() if r.optional]
    keys = {key for r in (*others, *hints) for key in r.checks}
    keys -= {key for r in edition.requirements() if not r.optional for key in r.checks}
    assert keys
    for key in keys:
        stubs.say(key, Outcome.FAIL)
    look(listed_provider, NOW + DAY)
    assert not Finding.objects.exists()


def test_repository_under_another_owner_freezes_a_listed_one_once(listed_provider, stubs, rita):
    stubs.say(KEY, Outcome.FAIL, freeze_reason="The repository belongs to globex now.")
    look(listed_provider, NOW + DAY)
    row = Integration.objects.get(pk=listed_provider.pk)
    assert (row.on_hold_for, row.hold_reason) == ("program", "The repository belongs to globex now.")
    perform_transition(row, "resume", actor=rita, now=NOW + DAY + HOUR)
    look(listed_provider, NOW + 2 * DAY)
    assert Integration.objects.get(pk=listed_provider.pk).on_hold_for == ""
    assert AuditEvent.objects.filter(event_type="integration.put_on_hold").get().actor_id is None


def test_repository_under_another_owner_before_the_release_is_no_hold(provider, stubs):
    stubs.say(KEY, Outcome.FAIL, freeze_reason="The repository belongs to globex now.")
    look(provider, NOW)
    assert Integration.objects.get(pk=provider.pk).on_hold_for == ""


def test_contradiction_is_shown_with_both_sources_and_blocks_until_waived(at, stubs, rita, now):
    row = at("review", program="terraform-provider")
    claims = (
        Evidence("GitHub", "v1.2.0", "https://github.com/acme/rocket", at=NOW),
        Evidence("the registry", "v1.1.0", "https://registry.example/acme/rocket", at=NOW - HOUR),
    )
    meet(row, rita, NOW)
    stubs.said[KEY] = build_conflict_result("the newest version", *claims)
    look(row, NOW)
    check_result = newest(row)
    assert check_result.summary == (
        "Two sources contradict each other about the newest version: GitHub says v1.2.0; the registry says v1.1.0."
        " A reviewer decides."
    )
    assert [item["at"] for item in check_result.evidence] == [NOW.isoformat(), (NOW - HOUR).isoformat()]
    with pytest.raises(ActionRefused, match="Open requirements"):
        perform_transition(row, "approve", actor=rita, now=NOW)
    mine = state(row).requirement_id
    waivers.waive_requirement(
        row, mine, reason="The registry is behind.", expires_at=NOW + 30 * DAY, actor=rita, now=NOW
    )
    perform_transition(row, "approve", actor=rita, now=NOW)
    assert Integration.objects.get(pk=row.pk).stage == "release"
