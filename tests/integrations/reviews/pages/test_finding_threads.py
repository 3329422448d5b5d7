"""Tests of severity, templates, replies, and changes of findings before they are sent."""

from datetime import datetime

import pytest
from bs4 import BeautifulSoup
from django.test import Client

from integrations.programs.registry import PROGRAMS
from integrations.reviews.finding_templates import TEMPLATES_BY_PROGRAM, list_templates
from integrations.submissions.models import Finding, Integration
from integrations.submissions.services import findings
from integrations.submissions.services.transitions import list_available_transitions, perform_transition
from portal.accounts.models import User
from tests.integrations.database_rows import reload_row
from tests.integrations.page_text import get_field_error, get_text, parse
from tests.integrations.reviews.pages.review_pages import SignIn, add_finding, get_first_requirement_id, get_review_page

pytestmark = pytest.mark.any_database


def test_finding_is_edited_and_withdrawn_until_it_is_sent(
    rocket: Integration, rita: User, sign_in: SignIn, frozen_now: datetime
) -> None:
    first = add_finding(rocket, rita, frozen_now, "Sign it.")
    second = add_finding(rocket, rita, frozen_now, "Not needed.")
    client = sign_in(rita)
    client.post(f"/findings/{first.pk}/edit/", {"text": "Sign the release.", "severity": "optional"})
    confirmation = get_text(get_review_page(client, rocket), "#withdraw-finding-2")
    assert confirmation == (
        "Withdraw finding… Withdraw finding: Finding 2 We delete the finding, which the partner hasn't seen. "
        "The history keeps its text. Withdraw finding"
    )
    client.post(f"/findings/{second.pk}/withdraw/")
    assert list(rocket.findings.values_list("number", "text", "severity")) == [(1, "Sign the release.", "optional")]
    events = rocket.events.filter(event_type__in=["finding.edited", "finding.withdrawn"])
    assert list(events.values_list("event_type", "note", "internal")) == [
        ("finding.edited", "Sign the release.", True),
        ("finding.withdrawn", "Not needed.", True),
    ]
    assert add_finding(rocket, rita, frozen_now, "Another.").number == 3


@pytest.mark.parametrize("action", ["edit", "withdraw"])
def test_sent_finding_is_not_changed(
    rocket: Integration, rita: User, sign_in: SignIn, frozen_now: datetime, action: str
) -> None:
    finding = add_finding(rocket, rita, frozen_now)
    perform_transition(rocket, "request_changes", actor=rita, now=frozen_now)
    client = sign_in(rita)
    fields = {"text": "Something else.", "severity": "blocking"}
    response = client.post(f"/findings/{finding.pk}/{action}/", fields, follow=True)
    assert "The partner can already see finding 1. Reply to it instead." in get_text(response, "body")
    assert Finding.objects.get().text == "Sign the release."


@pytest.mark.parametrize("action", ["edit", "reopen", "reply"])
def test_text_for_a_finding_survives_a_lost_session(
    rocket: Integration, rita: User, client: Client, frozen_now: datetime, action: str
) -> None:
    url = f"/findings/{add_finding(rocket, rita, frozen_now).pk}/{action}/"
    client.post(url, {"text": "Typed for an hour.", "severity": "optional"})
    client.force_login(rita, backend="django.contrib.auth.backends.ModelBackend")
    assert get_text(client.get(url), "textarea") == "Typed for an hour."
    assert client.get(url).headers["Location"] == f"/integrations/{rocket.uuid}/review/#finding-1"


def test_blank_reason_for_reopening_is_no_error_after_a_lost_session(
    rocket: Integration, rita: User, client: Client, frozen_now: datetime
) -> None:
    url = f"/findings/{add_finding(rocket, rita, frozen_now).pk}/reopen/"
    client.post(url, {"text": ""})
    client.force_login(rita, backend="django.contrib.auth.backends.ModelBackend")
    page = get_text(client.get(url))
    assert ("Reopen with this reason" in page, "Enter a reply." in page) == (True, False)


def test_staff_of_the_company_reply_as_its_members(
    rocket: Integration, alice: User, rita: User, sign_in: SignIn, frozen_now: datetime
) -> None:
    finding = add_finding(rocket, rita, frozen_now)
    perform_transition(rocket, "request_changes", actor=rita, now=frozen_now)
    User.objects.filter(pk=alice.pk).update(is_reviewer=True)
    response = sign_in(alice).post(f"/findings/{finding.pk}/reply/", {"text": "Done."})
    assert response.headers["Location"] == f"/integrations/{rocket.uuid}/#finding-1"


def test_optional_finding_does_not_block_the_approval_and_is_sent_with_it(
    ready_integration: Integration, alice: User, rita: User, sign_in: SignIn, frozen_now: datetime
) -> None:
    requirement_id = get_first_requirement_id(ready_integration)
    findings.raise_finding(
        ready_integration, requirement_id, "Name it.", actor=rita, now=frozen_now, severity="optional"
    )
    options = {
        option.name: option.blockers
        for option in list_available_transitions(reload_row(ready_integration), rita, now=frozen_now)
    }
    assert options["request_changes"] == ("Add at least one finding before you request changes.",)
    assert "Name it." not in sign_in(alice).get(f"/integrations/{ready_integration.uuid}/").content.decode()
    event = perform_transition(reload_row(ready_integration), "approve", actor=rita, now=frozen_now)
    assert ["Name it." in email.text for email in event.emails.all()] == [True]
    assert "Name it." in sign_in(alice).get(f"/integrations/{ready_integration.uuid}/").content.decode()


def test_selected_templates_become_findings_and_open_the_request(
    rocket: Integration, rita: User, sign_in: SignIn, frozen_now: datetime
) -> None:
    templates = list_templates(rocket)[:2]
    form_data = {"template": [template.key for template in templates], "request_changes": "on"}
    client = sign_in(rita)
    response = client.post(f"/integrations/{rocket.uuid}/findings/templates/", form_data)
    assert "You added 2 findings." in client.get(response["Location"]).text
    assert response["Location"] == f"/integrations/{rocket.uuid}/transitions/request_changes/"
    assert len(templates) == 2
    assert list(rocket.findings.values_list("requirement_id", "text", "severity")) == [
        (template.requirement, template.text, template.severity) for template in templates
    ]


def test_templates_name_requirements_of_the_newest_edition() -> None:
    unknown = [
        (key, template.key)
        for key, templates in TEMPLATES_BY_PROGRAM.items()
        for template in templates
        if PROGRAMS[key].editions[-1].get_requirement(template.requirement) is None
    ]
    assert (sorted(TEMPLATES_BY_PROGRAM), unknown) == (sorted(PROGRAMS), [])


def test_reopened_finding_keeps_the_earlier_response_and_the_replies(
    rocket: Integration, alice: User, rita: User, sign_in: SignIn, frozen_now: datetime
) -> None:
    finding = add_finding(rocket, rita, frozen_now)
    perform_transition(rocket, "request_changes", actor=rita, now=frozen_now)
    partner = sign_in(alice)
    reviewer = sign_in(rita)
    partner.post(f"/findings/{finding.pk}/reply/", {"text": "Which key?"})
    reviewer.post(f"/findings/{finding.pk}/reply/", {"text": "The registered one."})
    findings.answer_finding(finding, "Signed in v1.4.2.", actor=alice, now=frozen_now)
    reviewer.post(f"/findings/{finding.pk}/reopen/", {"text": "The signature is invalid."})
    findings.answer_finding(finding, "Signed in v1.4.3.", actor=alice, now=frozen_now)
    texts = ["Which key?", "The registered one.", "Signed in v1.4.2.", "The signature is invalid."]
    assert [event.note for event in reload_row(rocket).findings.get().thread] == texts
    for client, path in ((partner, ""), (reviewer, "review/")):
        article = get_text(client.get(f"/integrations/{rocket.uuid}/{path}"), "#finding-1")
        assert [text for text in (*texts, "Signed in v1.4.3.") if text not in article] == []


def test_selected_responses_are_verified_at_once(
    rocket: Integration, alice: User, rita: User, sign_in: SignIn, frozen_now: datetime
) -> None:
    rows = [add_finding(rocket, rita, frozen_now, text) for text in ("One.", "Two.", "Three.", "Four.")]
    perform_transition(rocket, "request_changes", actor=rita, now=frozen_now)
    for row in rows[:3]:
        findings.answer_finding(row, "Done.", actor=alice, now=frozen_now)
    client = sign_in(rita)
    url = f"/integrations/{rocket.uuid}/findings/verify/"
    boxes = BeautifulSoup(get_review_page(client, rocket).content, "html.parser").select(
        "#findings input[name=finding]"
    )
    assert [(box["value"], box.has_attr("checked")) for box in boxes] == [(str(row.pk), True) for row in rows[:3]]
    client.post(url)
    assert "Select at least one finding." in get_text(get_review_page(client, rocket), "body")
    client.post(url, {"finding": [rows[0].pk, rows[1].pk, rows[3].pk, "x", "9" * 30]})
    states = list(rocket.findings.values_list("state", flat=True))
    assert states == ["verified", "verified", "resolved", "open"]


@pytest.mark.parametrize(
    ("action", "name", "label"),
    [
        ("edit", "Requested change", "Save finding"),
        ("reply", "Reply", "Send reply"),
        ("reopen", "Reason optional", "Reopen finding"),
    ],
)
def test_refused_text_stays_in_its_field(
    rocket: Integration, rita: User, sign_in: SignIn, frozen_now: datetime, action: str, name: str, label: str
) -> None:
    finding = add_finding(rocket, rita, frozen_now)
    text = "Sign it." * 501
    response = sign_in(rita).post(f"/findings/{finding.pk}/{action}/", {"text": text, "severity": "optional"})
    page = parse(response)
    assert "at most 4000 characters" in get_field_error(response, "text")
    assert page.select("#id_text")[0].text.strip() == text
    assert " ".join(page.select("label[for=id_text]")[0].text.split()) == name
    button = page.select("main form button")[0].text.strip()
    cancel_url = page.select("main .actions a")[0]["href"]
    assert (response.status_code, button) == (422, label)
    assert cancel_url == f"/integrations/{rocket.uuid}/review/#finding-{finding.number}"
