"""Tests of check results and waivers on the requirement page."""

from datetime import UTC, datetime, timedelta

import pytest
from bs4 import BeautifulSoup
from django.conf import settings

from integrations.submissions.models import Integration
from integrations.submissions.services import requirements, waivers
from integrations.submissions.services.creation import change_description
from integrations.submissions.workflow.states import Status
from portal.core.errors import ActionRefused
from portal.notifications.models import EmailMessage
from tests.conftest import create_integration
from tests.integrations.page_text import get_text
from tests.integrations.reviews.queue_page import get_row_text, list_names
from tests.integrations.submissions.requirements.pages import CHECKED_REQUIREMENT, get_state, get_url, submit_action
from tests.portal.api.client import add_second_factor, create_api_client

pytestmark = pytest.mark.any_database


@pytest.fixture
def checked_integration(acme, alice, now):
    row = create_integration(acme, alice, category="storage")
    detail = {
        "key": "repository.license",
        "title": "Open-source license",
        "advice": "Add a LICENSE file.",
        "outcome": "fail",
        "summary": "There is no license.",
        "inspected_summary": "commit 9f3c1e",
        "evidence": [{"label": "Files", "value": "README.md", "url": ""}],
    }
    requirements.record_check_outcome(
        row,
        CHECKED_REQUIREMENT,
        outcome=Status.FAIL,
        summary="There is no license.",
        detail=[detail],
        retry_at=None,
        now=now,
    )
    return row


def test_check_result_is_shown_with_its_evidence(checked_integration, alice, sign_in):
    words = get_text(sign_in(alice).get(get_url(checked_integration, CHECKED_REQUIREMENT)))
    for phrase in ("Open-source license", "There is no license.", "Add a LICENSE file.", "commit 9f3c1e", "README.md"):
        assert phrase in words


def test_requirement_of_another_category_does_not_apply(checked_integration, alice, sign_in):
    page = sign_in(alice).get(get_url(checked_integration, "NO-CODE"))
    assert "This requirement applies to other categories" in get_text(page)
    submit_action(sign_in(alice), checked_integration, "NO-CODE", "confirm", confirmed="on")
    assert get_state(checked_integration, "NO-CODE") is None


def test_day_of_a_waiver_has_the_same_name_in_the_error_of_the_api(checked_integration, rita):
    reviewer = create_api_client(add_second_factor(rita))
    url = f"/integrations/{checked_integration.uuid}/requirements/{CHECKED_REQUIREMENT}/waive"
    refused = reviewer.post(url, {"reason": "They publish it in May.", "expires_on": "2020-01-01"})
    assert [error["field"] for error in refused.json()["errors"]] == ["expires_on"]
    waived = reviewer.post(url, {"reason": "They publish it in May.", "expires_on": "2026-05-31"}).json()
    assert datetime.fromisoformat(waived["waiver_expires_at"]) == datetime(2026, 5, 31, 23, 59, tzinfo=UTC)


def test_reviewer_waives_a_requirement(checked_integration, rita, alice, sign_in):
    response = submit_action(
        sign_in(rita),
        checked_integration,
        CHECKED_REQUIREMENT,
        "waive",
        reason="They publish it in May.",
        expires_on="2026-05-31",
    )
    assert response.status_code == 302
    words = get_text(sign_in(alice).get(get_url(checked_integration, CHECKED_REQUIREMENT)))
    assert "They publish it in May." in words
    assert (
        get_state(checked_integration, CHECKED_REQUIREMENT).waiver_expires_at.isoformat() == "2026-05-31T23:59:00+00:00"
    )


def test_expiration_date_is_the_same_in_all_time_zones(checked_integration, rita, alice, sign_in):
    rita.zone = "America/Los_Angeles"
    alice.zone = "Asia/Tokyo"
    for person in (rita, alice):
        person.save()
    fields = {"reason": "They publish it in May.", "expires_on": "2026-05-31"}
    submit_action(sign_in(rita), checked_integration, CHECKED_REQUIREMENT, "waive", **fields)
    url = get_url(checked_integration, CHECKED_REQUIREMENT)
    pages = [get_text(sign_in(person).get(url)) for person in (rita, alice)]
    email = EmailMessage.objects.get(event__event_type="requirement.waived")
    assert ["until Sun, May 31" in page for page in pages] == [True, True]
    assert (email.to, "until May 31, 2026." in email.text) == (alice.email, True)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"reason": "", "expires_on": "2026-05-31"}, "Enter a reason"),
        (
            {"reason": "x", "expires_on": "2026-04-13"},
            "Enter Tue, Apr 14 or later. In UTC, the day that you entered is over.",
        ),
        (
            {"reason": "x", "expires_on": "2029-04-13"},
            "Enter Fri, Apr 14, 2028 or earlier. A waiver can last up to two years.",
        ),
        ({"reason": "x", "expires_on": ""}, "Enter an answer."),
    ],
)
def test_invalid_waiver_is_refused(checked_integration, rita, sign_in, fields, message):
    response = submit_action(sign_in(rita), checked_integration, CHECKED_REQUIREMENT, "waive", **fields)
    assert response.status_code == 422
    assert message in get_text(response)


def test_message_names_the_first_day_that_has_not_ended_in_utc(checked_integration, rita, sign_in, time_machine, now):
    rita.zone = "America/Los_Angeles"
    rita.save()
    time_machine.move_to(now.replace(hour=23, minute=59), tick=False)  # late afternoon in Los Angeles
    fields = {"reason": "They publish it in May.", "expires_on": f"{now:%Y-%m-%d}"}
    response = submit_action(sign_in(rita), checked_integration, CHECKED_REQUIREMENT, "waive", **fields)
    assert "Enter Wed, Apr 15 or later." in get_text(response)
    fields["expires_on"] = "2026-04-15"
    assert submit_action(sign_in(rita), checked_integration, CHECKED_REQUIREMENT, "waive", **fields).status_code == 302


def test_partner_cannot_waive(checked_integration, alice, sign_in):
    response = submit_action(
        sign_in(alice), checked_integration, CHECKED_REQUIREMENT, "waive", reason="x", expires_on="2026-05-31"
    )
    assert (response.status_code, get_state(checked_integration, CHECKED_REQUIREMENT).waiver_expires_at) == (403, None)


def test_waiver_without_a_future_end_is_refused(checked_integration, rita, now):
    for expires_at in (now, now - timedelta(days=1)):
        with pytest.raises(ActionRefused, match="Enter a future date"):
            waivers.waive_requirement(
                checked_integration, CHECKED_REQUIREMENT, reason="x", expires_at=expires_at, actor=rita, now=now
            )
    assert get_state(checked_integration, CHECKED_REQUIREMENT).waiver_expires_at is None


WAIVED_UNTIL = timedelta(days=9)


@pytest.fixture
def waived_integration(checked_integration, rita, now):
    waivers.waive_requirement(
        checked_integration, CHECKED_REQUIREMENT, reason="x", expires_at=now + WAIVED_UNTIL, actor=rita, now=now
    )
    return checked_integration


def test_reviewer_ends_a_waiver(waived_integration, rita, now, sign_in):
    response = submit_action(
        sign_in(rita),
        waived_integration,
        CHECKED_REQUIREMENT,
        "end_waiver",
        reason="The license is missing since March.",
    )
    assert (response.status_code, get_state(waived_integration, CHECKED_REQUIREMENT).waiver_expires_at) == (302, now)
    event = waived_integration.events.get(event_type="requirement.waiver_ended")
    title = waived_integration.edition.get_requirement(CHECKED_REQUIREMENT).title
    assert (event.note, event.data["title"]) == ("The license is missing since March.", title)
    assert event.data["until"] == (now + WAIVED_UNTIL).isoformat()
    assert event.action == f"ended the waiver of “{title}” early"
    assert "The license is missing since March." in get_text(
        sign_in(rita).get(get_url(waived_integration, CHECKED_REQUIREMENT))
    )


def test_waiver_is_not_ended_without_a_reason(waived_integration, rita, now, sign_in):
    response = submit_action(sign_in(rita), waived_integration, CHECKED_REQUIREMENT, "end_waiver", reason=" ")
    assert (response.status_code, get_state(waived_integration, CHECKED_REQUIREMENT).waiver_expires_at) == (
        422,
        now + WAIVED_UNTIL,
    )
    assert "Enter a reason. The partner relied on the waiver." in get_text(response)


def test_partner_cannot_end_a_waiver(waived_integration, alice, now, sign_in):
    response = submit_action(sign_in(alice), waived_integration, CHECKED_REQUIREMENT, "end_waiver", reason="x")
    assert (response.status_code, get_state(waived_integration, CHECKED_REQUIREMENT).waiver_expires_at) == (
        403,
        now + WAIVED_UNTIL,
    )


def test_review_links_to_the_open_form(integration_at, rita, sign_in):
    row = integration_at("review", category="storage")
    row.fulfillments.filter(requirement_id=CHECKED_REQUIREMENT).update(status=Status.FAIL)
    client = sign_in(rita)
    review = BeautifulSoup(client.get(f"/integrations/{row.uuid}/review/").content, "html.parser")
    (link,) = review.select(f"#requirement-{CHECKED_REQUIREMENT} a[href*=waive]")
    assert link["href"] == f"{get_url(row, CHECKED_REQUIREMENT)}?open=waive"
    urls = (link["href"], get_url(row, CHECKED_REQUIREMENT))
    opened, closed = (BeautifulSoup(client.get(url).content, "html.parser") for url in urls)
    assert [page.select_one("#grant-waiver").has_attr("open") for page in (opened, closed)] == [True, False]
    focused = [[field["id"] for field in page.select("main [autofocus]")] for page in (opened, closed)]
    assert focused == [["waive-reason"], []]


@pytest.mark.every_database
def test_requested_waiver_is_an_item_of_the_queue_until_it_is_decided(checked_integration, alice, bob, rita, sign_in):
    row = checked_integration
    why = "The release follows in May."
    assert submit_action(sign_in(bob), row, CHECKED_REQUIREMENT, "request_waiver", reason=why).status_code == 302
    assert why in get_text(sign_in(alice).get(get_url(row, CHECKED_REQUIREMENT)))
    assert submit_action(sign_in(alice), row, CHECKED_REQUIREMENT, "request_waiver", reason="Again.").status_code == 409
    email = EmailMessage.objects.get(name="waiver_requested")
    assert (email.subject.startswith("Waiver requested: "), why in email.text) == (True, True)
    page = sign_in(rita).get("/queue/?kind=waiver")
    assert list_names(page) == [row.name]
    assert "Decide on the waiver of “" in get_row_text(page, row.name)
    assert CHECKED_REQUIREMENT not in get_row_text(page, row.name)
    link = BeautifulSoup(page.content, "html.parser").select_one("td.main a")["href"]
    assert link == f"{get_url(row, CHECKED_REQUIREMENT)}?open=waive"
    (item,) = create_api_client(add_second_factor(rita)).get("/queue?kind=waiver").json()["items"]
    assert item["href"] == f"{settings.SITE_URL}{link}"
    submit_action(sign_in(rita), row, CHECKED_REQUIREMENT, "waive", reason="Agreed.", expires_on="2026-05-31")
    assert list_names(sign_in(rita).get("/queue/?kind=waiver")) == []
    assert get_state(row, CHECKED_REQUIREMENT).waiver_requested_at is None


def test_declined_waiver_leaves_the_queue_and_the_partner_sees_why(checked_integration, alice, rita, sign_in):
    row = checked_integration
    submit_action(sign_in(alice), row, CHECKED_REQUIREMENT, "request_waiver", reason="We need more time.")
    assert submit_action(sign_in(rita), row, CHECKED_REQUIREMENT, "decline_waiver", reason="Add it.").status_code == 302
    assert list_names(sign_in(rita).get("/queue/?kind=waiver")) == []
    assert "Add it." in EmailMessage.objects.get(name="waiver_declined", to=alice.email).text
    assert submit_action(sign_in(rita), row, CHECKED_REQUIREMENT, "decline_waiver", reason="Again.").status_code == 409


def test_open_pages_show_a_requested_and_a_declined_waiver(checked_integration, alice, rita, now):
    versions = [Integration.objects.get(pk=checked_integration.pk).version]
    for act, actor in ((waivers.request_waiver, alice), (waivers.decline_waiver, rita)):
        act(checked_integration, CHECKED_REQUIREMENT, reason="Later.", actor=actor, now=now)
        versions.append(Integration.objects.get(pk=checked_integration.pk).version)
    assert versions == [versions[0], versions[0] + 1, versions[0] + 2]


@pytest.mark.parametrize(("outcome", "is_requested"), [(Status.PASS, False), (Status.ERROR, True), (Status.FAIL, True)])
def test_passed_check_clears_the_request(checked_integration, alice, now, outcome, is_requested):
    row = checked_integration
    waivers.request_waiver(row, CHECKED_REQUIREMENT, reason="Please.", actor=alice, now=now)
    requirements.record_check_outcome(
        row, CHECKED_REQUIREMENT, outcome=outcome, summary="", detail=[], retry_at=None, now=now
    )
    request = get_state(row, CHECKED_REQUIREMENT)
    assert (request.waiver_requested_at is not None, request.waiver_request_reason == "Please.") == (
        is_requested,
        is_requested,
    )


@pytest.mark.every_database
def test_answer_clears_the_request(checked_integration, alice, now):
    row = checked_integration
    answered = next(each for each in row.edition.list_requirements() if each.fields)
    waivers.request_waiver(row, answered.id, reason="Please.", actor=alice, now=now)
    requirements.submit_answer(row, answered.id, {answered.fields[0].key: "x"}, actor=alice, now=now)
    assert get_state(row, answered.id).waiver_requested_at is None


def test_only_partners_request_and_only_reviewers_decline(checked_integration, alice, rita, now):
    row = checked_integration
    with pytest.raises(ActionRefused, match="Only owners and editors"):
        waivers.request_waiver(row, CHECKED_REQUIREMENT, reason="Please.", actor=rita, now=now)
    waivers.request_waiver(row, CHECKED_REQUIREMENT, reason="Please.", actor=alice, now=now)
    with pytest.raises(ActionRefused, match="Only reviewers of the program"):
        waivers.decline_waiver(row, CHECKED_REQUIREMENT, reason="No.", actor=alice, now=now)


def test_request_ends_with_the_category_that_has_the_requirement(checked_integration, alice, now):
    waivers.request_waiver(checked_integration, CHECKED_REQUIREMENT, reason="In May.", actor=alice, now=now)
    change_description(checked_integration, {"description": "Faster."}, actor=alice, now=now)
    assert get_state(checked_integration, CHECKED_REQUIREMENT).waiver_requested_at == now
    change_description(checked_integration, {"category": "monitoring"}, actor=alice, now=now)
    state = get_state(checked_integration, CHECKED_REQUIREMENT)
    assert (state.waiver_requested_at, state.waiver_request_reason) == (None, "")
