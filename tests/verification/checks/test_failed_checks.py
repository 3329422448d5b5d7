"""Tests of the effects of failed checks: findings, holds, notifications, and waivers."""

from datetime import timedelta

import pytest

from integrations.submissions.models import Finding, Integration
from integrations.submissions.services import waivers
from integrations.submissions.services.transitions import perform_transition
from portal.audit.models import AuditEvent
from portal.core.errors import ActionRefused
from portal.notifications.models import EmailMessage
from tests.conftest import NOW, fulfill_requirements
from tests.verification.checks.check_runs import DAY, HOUR, KEY, SOURCES, get_fulfillment, get_newest_result, run_checks
from verification.checks.services.runner import run_integration_checks
from verification.outcomes import Evidence, Outcome, build_conflict_result

pytestmark = pytest.mark.any_database


def list_recipients(name):
    return sorted(EmailMessage.objects.filter(name=name).values_list("to", flat=True))


def test_failure_after_the_listing_opens_one_finding_and_notifies_both_parties_once(listed_provider, stubs, alice):
    stubs.set_result(KEY, Outcome.FAIL, "It is archived.")
    for days in (1, 2, 3):
        run_checks(listed_provider, NOW + days * DAY)
    finding = Finding.objects.get()
    assert (finding.state, finding.raised_by, finding.text) == ("open", None, "It is archived.")
    assert finding.due_at == NOW + DAY + timedelta(days=14)
    assert len(list_recipients("check_failed")) == len(set(list_recipients("check_failed"))) == 2
    assert alice.email in list_recipients("check_failed")
    assert AuditEvent.objects.filter(event_type="check.failed").count() == 1


def test_partner_sees_the_finding_and_can_respond(listed_provider, stubs, alice, sign_in):
    stubs.set_result(KEY, Outcome.FAIL, "It is archived.")
    run_checks(listed_provider, NOW + DAY)
    page = sign_in(alice).get(f"/integrations/{listed_provider.uuid}/").text
    assert ("It is archived." in page, "Respond to finding" in page) == (True, True)


def test_passing_check_verifies_the_finding_and_notifies_once(listed_provider, stubs):
    stubs.set_result(KEY, Outcome.FAIL)
    run_checks(listed_provider, NOW + DAY)
    stubs.answers.clear()
    for days in (2, 3):
        run_checks(listed_provider, NOW + days * DAY)
    finding = Finding.objects.get()
    assert (finding.state, finding.verified_by, finding.verified_at) == ("verified", None, NOW + 2 * DAY)
    assert len(list_recipients("check_passed")) == 2
    stubs.set_result(KEY, Outcome.FAIL)
    run_checks(listed_provider, NOW + 4 * DAY)
    assert [f.number for f in Finding.objects.order_by("number")] == [1, 2]


def test_failure_before_the_listing_opens_no_finding(provider, stubs):
    run_checks(provider, NOW)
    stubs.set_result(KEY, Outcome.FAIL)
    run_checks(provider, NOW + DAY)
    assert not Finding.objects.exists()


def test_waived_failure_opens_no_finding_until_the_waiver_ends(listed_provider, stubs, rita):
    stubs.set_result(KEY, Outcome.FAIL)
    requirement_id = get_fulfillment(listed_provider).requirement_id
    waivers.waive_requirement(
        listed_provider, requirement_id, reason="Migration.", expires_at=NOW + 3 * DAY, actor=rita, now=NOW + 2 * HOUR
    )
    run_checks(listed_provider, NOW + DAY)
    assert not Finding.objects.exists()
    run_checks(listed_provider, NOW + 4 * DAY)
    assert Finding.objects.count() == 1


def test_waiver_ends_the_finding_until_the_check_fails_after_it(listed_provider, stubs, rita):
    stubs.set_result(KEY, Outcome.FAIL)
    run_checks(listed_provider, NOW + DAY)
    requirement_id = get_fulfillment(listed_provider).requirement_id
    waivers.waive_requirement(
        listed_provider, requirement_id, reason="Migration.", expires_at=NOW + 3 * DAY, actor=rita, now=NOW + 2 * DAY
    )
    finding = Finding.objects.get()
    assert (finding.state, finding.verified_at) == ("verified", NOW + 2 * DAY)
    assert (finding.answer, finding.resolved_at) == ("", None)  # the partner did nothing
    run_checks(listed_provider, NOW + 4 * DAY)
    assert [each.state for each in Finding.objects.order_by("number")] == ["verified", "open"]


def test_failed_hint_or_check_of_another_tier_opens_no_finding(listed_provider, stubs):
    edition = listed_provider.edition
    others = [r for tier in edition.tiers if tier.key != listed_provider.tier for r in tier.requirements]
    hints = [r for r in edition.list_requirements() if r.optional]
    keys = {key for r in (*others, *hints) for key in r.checks}
    keys -= {key for r in edition.list_requirements() if not r.optional for key in r.checks}
    assert keys
    for key in keys:
        stubs.set_result(key, Outcome.FAIL)
    run_checks(listed_provider, NOW + DAY)
    assert not Finding.objects.exists()


def test_new_owner_puts_a_listed_integration_on_hold_once(listed_provider, stubs, rita):
    stubs.set_result(KEY, Outcome.FAIL, freeze_reason="The repository belongs to globex now.")
    run_checks(listed_provider, NOW + DAY)
    row = Integration.objects.get(pk=listed_provider.pk)
    assert (row.on_hold_for, row.hold_reason) == ("program", "The repository belongs to globex now.")
    perform_transition(row, "resume", actor=rita, now=NOW + DAY + HOUR)
    run_checks(listed_provider, NOW + 2 * DAY)
    assert Integration.objects.get(pk=listed_provider.pk).on_hold_for == ""
    assert AuditEvent.objects.filter(event_type="integration.put_on_hold").get().actor_id is None


def test_another_reason_puts_the_listing_on_hold_again(listed_provider, stubs, rita):
    stubs.set_result(KEY, Outcome.FAIL, freeze_reason="Another repository has the name now.")
    run_checks(listed_provider, NOW + DAY)
    for days in (2, 3):
        stubs.set_result("repository.owner", Outcome.FAIL, freeze_reason="The repository belongs to globex now.")
        row = Integration.objects.get(pk=listed_provider.pk)
        perform_transition(row, "resume", actor=rita, now=NOW + days * DAY)
        run_checks(listed_provider, NOW + days * DAY + HOUR)
    events = AuditEvent.objects.filter(event_type="integration.put_on_hold").order_by("pk")
    assert [event.note for event in events] == [
        "Another repository has the name now.",
        "The repository belongs to globex now.",
    ]
    assert Integration.objects.get(pk=listed_provider.pk).on_hold_for == ""


def test_reason_that_ended_puts_the_listing_on_hold_again(listed_provider, stubs, rita):
    stubs.set_result(KEY, Outcome.FAIL, freeze_reason="The repository belongs to globex now.")
    run_checks(listed_provider, NOW + DAY)
    row = Integration.objects.get(pk=listed_provider.pk)
    perform_transition(row, "resume", actor=rita, now=NOW + DAY + HOUR)
    stubs.set_result(KEY, Outcome.PASS)
    run_checks(listed_provider, NOW + 2 * DAY)
    stubs.set_result(KEY, Outcome.FAIL, freeze_reason="The repository belongs to globex now.")
    run_checks(listed_provider, NOW + 3 * DAY)
    assert Integration.objects.get(pk=listed_provider.pk).hold_reason == "The repository belongs to globex now."


def test_run_that_read_the_former_repository_causes_no_hold(listed_provider, stubs):
    stubs.set_result(KEY, Outcome.FAIL, freeze_reason="The repository belongs to globex now.")
    former = Integration.objects.get(pk=listed_provider.pk)
    Integration.objects.update(repository="acme/terraform-provider-comet")  # during the run
    run_integration_checks(former, now=NOW + DAY, sources=SOURCES)
    assert Integration.objects.get(pk=listed_provider.pk).on_hold_for == ""


def test_new_owner_before_the_listing_causes_no_hold(provider, stubs):
    stubs.set_result(KEY, Outcome.FAIL, freeze_reason="The repository belongs to globex now.")
    run_checks(provider, NOW)
    assert Integration.objects.get(pk=provider.pk).on_hold_for == ""


def test_conflict_between_sources_blocks_the_approval_until_waived(integration_at, stubs, rita, now):
    row = integration_at("review", program="terraform-provider")
    claims = (
        Evidence("GitHub", "v1.2.0", "https://github.com/acme/rocket", at=NOW),
        Evidence("the registry", "v1.1.0", "https://registry.example/acme/rocket", at=NOW - HOUR),
    )
    fulfill_requirements(row, rita, NOW)
    stubs.answers[KEY] = build_conflict_result("the newest version", *claims)
    run_checks(row, NOW)
    check_result = get_newest_result(row)
    assert check_result.summary == (
        "Two sources contradict each other about the newest version: GitHub says v1.2.0; the registry says v1.1.0."
        " A reviewer decides."
    )
    assert [item["at"] for item in check_result.evidence] == [NOW.isoformat(), (NOW - HOUR).isoformat()]
    with pytest.raises(ActionRefused, match="Open requirements"):
        perform_transition(row, "approve", actor=rita, now=NOW)
    requirement_id = get_fulfillment(row).requirement_id
    waivers.waive_requirement(
        row, requirement_id, reason="The registry is behind.", expires_at=NOW + 30 * DAY, actor=rita, now=NOW
    )
    perform_transition(row, "approve", actor=rita, now=NOW)
    assert Integration.objects.get(pk=row.pk).stage == "release"
