"""Tests that what checks recorded about a repository doesn't count for another one."""

from dataclasses import replace

import pytest

from integrations.submissions.models import Integration
from integrations.submissions.services.creation import change_description
from integrations.submissions.services.requirements import record_check_outcome
from integrations.submissions.services.waivers import request_waiver, waive_requirement
from integrations.submissions.workflow.states import FULFILLED_STATUSES
from portal.notifications.models import EmailMessage
from tests.conftest import NOW
from tests.verification.checks.check_runs import DAY, HOUR, get_newest_result
from tests.verification.checks.fake_sources import FakeSources, build_release, build_snapshot
from verification.checks.services import observations
from verification.checks.services.runner import run_integration_checks

pytestmark = pytest.mark.any_database

KEY = "release.tag"
FIRST = ("acme/terraform-provider-rocket", 4711)
SECOND = ("acme/terraform-provider-lander", 4712)


def check_tag(row, commit, now):
    """Check a repository whose release v1.0.0 is at a commit, and return the outcome."""
    row = Integration.objects.get(pk=row.pk)
    ids = [each.id for each in row.edition.list_requirements() if KEY in each.checks]
    code = replace(build_snapshot({}), commit=commit)
    sources = FakeSources(releases_answer=(build_release("v1.0.0"),), code_answer=code)
    run_integration_checks(row, ids, now=now, sources=sources)
    return get_newest_result(row, KEY).outcome


def change_repository(row, repository, actor, now):
    name, number = repository
    change_description(row, {"repository": name, "repository_id": number}, actor=actor, now=now)


@pytest.fixture
def provider(provider, alice):
    """Return Acme's provider in the first repository, whose tag was read."""
    change_repository(provider, FIRST, alice, NOW)
    assert check_tag(provider, "abcdef", NOW) == "pass"
    return provider


def test_tag_of_another_repository_was_not_moved(provider, alice):
    change_repository(provider, SECOND, alice, NOW + HOUR)
    assert check_tag(provider, "123456", NOW + DAY) == "pass"
    assert check_tag(provider, "654321", NOW + 2 * DAY) == "fail"


def record_outcome(row, outcome):
    """Record the outcome of the checks of one requirement, and return the status that counts."""
    id = next(each.id for each in row.edition.list_requirements() if KEY in each.checks)
    result = {"outcome": outcome, "summary": "", "detail": [], "retry_at": None, "valid_until": NOW + 30 * DAY}
    record_check_outcome(row, id, **result, now=NOW)
    return row.fulfillments.get(requirement_id=id).status


@pytest.mark.parametrize("number", [SECOND[1], None])
def test_result_of_another_repository_meets_no_requirement(provider, alice, number):
    """An outage doesn't replace a result, so that of a signed release would count for an unsigned one."""
    assert record_outcome(provider, "pass") == "pass"
    change_repository(provider, (SECOND[0], number), alice, NOW + HOUR)
    assert not provider.fulfillments.filter(status__in=FULFILLED_STATUSES).exists()
    assert record_outcome(Integration.objects.get(pk=provider.pk), "error") == "error"


def waive_all(row, actor):
    """Waive every requirement of the path, and return the IDs."""
    ids = [each.id for each in row.edition.list_requirements()]
    for id in ids:
        waive_requirement(row, id, reason="Later.", expires_at=NOW + 90 * DAY, actor=actor, now=NOW)
    return ids


@pytest.mark.parametrize("number", [SECOND[1], None])
def test_waiver_ends_if_it_was_for_facts_about_the_former_repository(provider, alice, rita, number):
    ids = waive_all(provider, rita)
    change_repository(provider, (SECOND[0], number), alice, NOW + HOUR)
    ended = [state.requirement_id for state in provider.fulfillments.all() if not state.is_waived(NOW + HOUR)]
    requirements = {each.id: each for each in provider.edition.list_requirements()}
    checked = {id for id in ids if requirements[id].checks}
    statements = {id for id in ids if checked & set(requirements[id].confirms)}
    assert (set(ended), bool(statements)) == (checked | statements, True)
    events = provider.events.filter(event_type="requirement.waiver_ended")
    assert {(event.data["requirement"], event.actor, event.note) for event in events} == {
        (id, "", f"It was for the former repository, {FIRST[0]}.") for id in ended
    }
    email = EmailMessage.objects.get(name="waiver_ended", to=alice.email)
    titles = "".join(f"- {requirements[id].title}\n" for id in ids if id in ended)
    assert email.subject == f"Repository changed, waivers ended: {provider.name}"
    assert f"The repository of {provider.name} is no longer {FIRST[0]}." in email.text
    assert titles in email.text
    assert titles in EmailMessage.objects.filter(name="repository_changed").latest("pk").text


def request_all(row, actor):
    """Request a waiver of every requirement of the path."""
    for each in row.edition.list_requirements():
        request_waiver(row, each.id, reason="Later.", actor=actor, now=NOW)


def test_request_is_withdrawn_if_it_was_for_facts_about_the_former_repository(provider, alice, rita):
    request_all(provider, alice)
    waived_id = next(each.id for each in provider.edition.list_requirements() if KEY in each.checks)
    waive_requirement(provider, waived_id, reason="Later.", expires_at=NOW + DAY, actor=rita, now=NOW)
    request_waiver(provider, waived_id, reason="Longer.", actor=alice, now=NOW)
    change_repository(provider, SECOND, alice, NOW + HOUR)
    requested = set(provider.fulfillments.exclude(waiver_requested_at=None).values_list("requirement_id", flat=True))
    requirements = {each.id: each for each in provider.edition.list_requirements()}
    checked = {id for id in requirements if requirements[id].checks}
    concerned = [id for id in requirements if id in checked or checked & set(requirements[id].confirms)]
    assert requested == requirements.keys() - set(concerned)
    events = provider.events.filter(event_type="requirement.waiver_request_withdrawn").order_by("seq")
    assert [(event.data["requirement"], event.note) for event in events] == [
        (id, f"It was for the former repository, {FIRST[0]}.") for id in concerned
    ]
    (email,) = EmailMessage.objects.filter(to=alice.email, created_at=NOW + HOUR)
    withdrawn = "".join(f"- {requirements[id].title}\n" for id in concerned)
    assert f"so the portal withdrew them:\n\n{withdrawn}" in email.text
    assert f"The requirements apply again:\n\n- {requirements[waived_id].title}\n" in email.text
    assert withdrawn in EmailMessage.objects.filter(name="repository_changed").latest("pk").text


def test_request_for_a_renamed_or_first_repository_stays(provider, alice):
    request_all(provider, alice)
    count = provider.fulfillments.exclude(waiver_requested_at=None).count()
    change_repository(provider, ("acme/terraform-provider-rockets", FIRST[1]), alice, NOW + HOUR)
    Integration.objects.filter(pk=provider.pk).update(repository="", repository_id=None)
    change_repository(provider, SECOND, alice, NOW + HOUR)
    assert provider.fulfillments.exclude(waiver_requested_at=None).count() == count


def test_waiver_stays_if_there_was_no_former_repository(provider, alice, rita):
    Integration.objects.filter(pk=provider.pk).update(repository="", repository_id=None)
    waive_all(provider, rita)
    change_repository(provider, SECOND, alice, NOW + HOUR)
    assert provider.events.filter(event_type="requirement.waiver_ended").count() == 0


def test_waiver_of_a_renamed_repository_stays(provider, alice, rita):
    ids = waive_all(provider, rita)
    change_repository(provider, ("acme/terraform-provider-rockets", FIRST[1]), alice, NOW + HOUR)
    assert [state.requirement_id for state in provider.fulfillments.all() if not state.is_waived(NOW + HOUR)] == []
    assert provider.fulfillments.count() == len(ids)


def test_run_that_read_the_former_repository_records_nothing(provider, alice):
    former = Integration.objects.get(pk=provider.pk)
    change_repository(provider, SECOND, alice, NOW + HOUR)
    record_outcome(former, "pass")
    assert not provider.fulfillments.filter(status__in=FULFILLED_STATUSES).exists()


def test_result_of_a_renamed_repository_still_counts(provider, alice):
    record_outcome(provider, "pass")
    change_repository(provider, ("acme/terraform-provider-rockets", FIRST[1]), alice, NOW + HOUR)
    assert record_outcome(Integration.objects.get(pk=provider.pk), "error") == "pass"


def test_history_returns_with_the_repository(provider, alice):
    change_repository(provider, SECOND, alice, NOW + HOUR)
    assert check_tag(provider, "123456", NOW + DAY) == "pass"
    change_repository(provider, FIRST, alice, NOW + DAY)
    assert check_tag(provider, "123456", NOW + 2 * DAY) == "fail"
    assert observations.get_known_values(provider)["release.tags"] == {"v1.0.0": "abcdef"}


@pytest.mark.parametrize(("before", "after"), [(4713, None), (None, 4713)])
def test_history_returns_although_the_number_was_unknown_once(provider, alice, before, after):
    name = "acme/terraform-provider-shuttle"
    change_repository(provider, (name, before), alice, NOW + HOUR)
    assert check_tag(provider, "123456", NOW + 2 * HOUR) == "pass"
    change_repository(provider, SECOND, alice, NOW + 3 * HOUR)
    assert check_tag(provider, "fedcba", NOW + DAY) == "pass"
    change_repository(provider, (name, after), alice, NOW + DAY)
    assert check_tag(provider, "654321", NOW + 2 * DAY) == "fail"


def test_history_stays_while_the_number_becomes_known(provider, alice):
    for number in (None, FIRST[1]):
        change_repository(provider, (FIRST[0], number), alice, NOW + HOUR)
        assert check_tag(provider, "123456", NOW + DAY) == "fail"


def test_new_repository_with_the_same_name_has_its_own_history(provider, alice):
    change_repository(provider, (FIRST[0], 4713), alice, NOW + HOUR)
    assert check_tag(provider, "123456", NOW + DAY) == "pass"


def test_renamed_repository_keeps_its_history(provider, alice):
    change_repository(provider, ("acme/terraform-provider-rockets", FIRST[1]), alice, NOW + HOUR)
    assert check_tag(provider, "123456", NOW + DAY) == "fail"
