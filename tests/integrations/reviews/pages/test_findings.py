"""Tests of findings on review pages."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from bs4 import BeautifulSoup

from integrations.partners.models import Membership, Partner
from integrations.submissions.models import Finding, Integration
from integrations.submissions.services import findings
from integrations.submissions.services.transitions import perform_transition
from portal.accounts.models import User
from tests.conftest import fulfill_requirements
from tests.integrations.database_rows import reload_row
from tests.integrations.page_text import get_text
from tests.integrations.reviews.pages.review_pages import SignIn, add_finding, get_first_requirement_id, get_review_page

pytestmark = pytest.mark.any_database


def send_finding(row: Integration, by: User, now: datetime, text: str = "Sign the release.") -> Finding:
    """Add a finding and send it to the partner."""
    finding = add_finding(row, by, now, text)
    perform_transition(row, "request_changes", actor=by, now=now)
    return finding


def test_pending_decision_is_shown_with_the_end_of_its_undo_period(
    rocket: Integration, rita: User, rob: User, sign_in: SignIn, frozen_now: datetime
) -> None:
    add_finding(rocket, rita, frozen_now)
    perform_transition(rocket, "request_changes", actor=rita, now=frozen_now)
    assert (
        "You requested changes You can undo this decision until Tue, Apr 14, 9:10 AM UTC . "
        "We send the email after that." in get_text(get_review_page(sign_in(rita), rocket))
    )
    assert "Rita Reyes requested changes You can undo this decision until Tue, Apr 14, 9:10 AM UTC" in get_text(
        get_review_page(sign_in(rob), rocket)
    )


def test_finding_goes_from_open_to_resolved_to_verified(
    rocket: Integration, alice: User, rita: User, sign_in: SignIn, frozen_now: datetime
) -> None:
    client = sign_in(rita)
    form_data = {"requirement": get_first_requirement_id(rocket), "text": "Sign the release.", "severity": "blocking"}
    response = client.post(f"/integrations/{rocket.uuid}/findings/", form_data)
    assert response["Location"] == f"/integrations/{rocket.uuid}/review/#finding-1"
    finding = Finding.objects.get(integration=rocket)
    assert (finding.number, finding.text, finding.state) == (1, "Sign the release.", "open")
    perform_transition(reload_row(rocket), "request_changes", actor=rita, now=frozen_now)
    response = sign_in(alice).post(f"/findings/{finding.pk}/fix/", {"answer": "Signed in v1.4.2."})
    assert response["Location"] == f"/integrations/{rocket.uuid}/#finding-1"
    finding.refresh_from_db()
    assert (finding.state, finding.answer, finding.resolved_by) == ("resolved", "Signed in v1.4.2.", alice)
    fulfill_requirements(rocket, alice, frozen_now)
    perform_transition(reload_row(rocket), "resubmit_for_review", actor=alice, now=frozen_now + timedelta(minutes=11))
    sign_in(rita).post(f"/findings/{finding.pk}/verify/")
    finding.refresh_from_db()
    assert (finding.state, finding.verified_by) == ("verified", rita)
    sign_in(rita).post(f"/findings/{finding.pk}/reopen/")
    finding.refresh_from_db()
    assert finding.state == "open"


def test_reopening_with_a_reason_that_is_too_long_is_refused(
    rocket: Integration, rita: User, sign_in: SignIn, frozen_now: datetime
) -> None:
    finding = send_finding(rocket, rita, frozen_now)
    Finding.objects.filter(pk=finding.pk).update(state=Finding.State.VERIFIED)
    response = sign_in(rita).post(f"/findings/{finding.pk}/reopen/", {"text": "x" * 4001}, follow=True)
    finding.refresh_from_db()
    assert finding.state == "verified"
    assert "at most 4000 characters" in get_text(response)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "Enter the requested change."),
        ("   \n", "Enter the requested change."),
        ("x" * 4001, "at most 4000 characters"),
    ],
)
def test_empty_or_long_finding_is_a_field_error(
    rocket: Integration, rita: User, sign_in: SignIn, text: str, message: str
) -> None:
    response = sign_in(rita).post(
        f"/integrations/{rocket.uuid}/findings/",
        {"requirement": get_first_requirement_id(rocket), "text": text, "severity": "blocking"},
    )
    assert response.status_code == 422
    assert message in get_text(response)
    assert not Finding.objects.exists()


def test_refused_finding_keeps_its_text(rocket: Integration, rita: User, sign_in: SignIn, frozen_now: datetime) -> None:
    perform_transition(rocket, "decline", actor=rita, note="No.", now=frozen_now)
    response = sign_in(rita).post(
        f"/integrations/{rocket.uuid}/findings/",
        {"requirement": get_first_requirement_id(rocket), "text": "Typed with care.", "severity": "blocking"},
    )
    assert response.status_code == 422
    assert "You can add findings only during a review." in get_text(response)
    assert "Typed with care." in get_text(response, "textarea")


def test_finding_on_an_unknown_requirement_is_not_found(rocket: Integration, rita: User, sign_in: SignIn) -> None:
    response = sign_in(rita).post(f"/integrations/{rocket.uuid}/findings/", {"requirement": "zzz", "text": "x"})
    assert response.status_code == 404


def test_partner_sees_no_finding_before_changes_are_requested(
    rocket: Integration, alice: User, rita: User, sign_in: SignIn, frozen_now: datetime
) -> None:
    finding = add_finding(rocket, rita, frozen_now, "A secret draft.")
    client = sign_in(alice)
    assert "A secret draft." not in client.get(f"/integrations/{rocket.uuid}/").content.decode()
    assert "A secret draft." not in client.get(f"/integrations/{rocket.uuid}/history/").content.decode()
    assert client.post(f"/findings/{finding.pk}/fix/", {"answer": "x"}).status_code == 404
    perform_transition(rocket, "request_changes", actor=rita, now=frozen_now)
    assert "A secret draft." in client.get(f"/integrations/{rocket.uuid}/").content.decode()


def test_undone_request_hides_the_findings(
    rocket: Integration, alice: User, rita: User, sign_in: SignIn, frozen_now: datetime
) -> None:
    send_finding(rocket, rita, frozen_now, "Sign the release.")
    perform_transition(reload_row(rocket), "undo_decision", actor=rita, now=frozen_now)
    assert "Sign the release." not in sign_in(alice).get(f"/integrations/{rocket.uuid}/").content.decode()


def test_finding_of_another_partner_is_not_found(
    rocket: Integration, charlie: User, rita: User, sign_in: SignIn, frozen_now: datetime
) -> None:
    finding = send_finding(rocket, rita, frozen_now)
    client = sign_in(charlie)
    assert client.get(f"/findings/{finding.pk}/fix/").status_code == 404
    assert client.post(f"/findings/{finding.pk}/fix/", {"answer": "x"}).status_code == 404
    finding.refresh_from_db()
    assert finding.state == "open"


def test_partner_cannot_verify_a_finding(
    rocket: Integration, alice: User, rita: User, sign_in: SignIn, frozen_now: datetime
) -> None:
    finding = send_finding(rocket, rita, frozen_now)
    for what in ("verify", "reopen"):
        assert sign_in(alice).post(f"/findings/{finding.pk}/{what}/").status_code == 404
    finding.refresh_from_db()
    assert finding.state == "open"


def test_response_of_a_viewer_is_refused_with_the_reason_and_kept(
    rocket: Integration, acme: Partner, charlie: User, rita: User, sign_in: SignIn, frozen_now: datetime
) -> None:
    finding = send_finding(rocket, rita, frozen_now)
    Membership.objects.create(partner=acme, user=charlie, role="viewer", joined_at=frozen_now)
    response = sign_in(charlie).post(f"/findings/{finding.pk}/fix/", {"answer": "I did it."})
    assert response.status_code == 403
    assert "Only owners and editors of the company can do this." in get_text(response)
    assert "I did it." in get_text(response, "pre")


@pytest.mark.parametrize(("who", "page"), [("rita", "fix"), ("sam", "fix"), ("vera", "fix"), ("vera", "say")])
def test_form_is_hidden_from_people_without_permission(
    rocket: Integration,
    acme: Partner,
    charlie: User,
    rita: User,
    sam: User,
    sign_in: SignIn,
    frozen_now: datetime,
    who: str,
    page: str,
) -> None:
    finding = send_finding(rocket, rita, frozen_now)
    Membership.objects.create(partner=acme, user=charlie, role="viewer", joined_at=frozen_now)
    address = f"/findings/{finding.pk}/fix/" if page == "fix" else f"/integrations/{rocket.uuid}/messages/"
    response = sign_in({"rita": rita, "sam": sam, "vera": charlie}[who]).get(address)
    assert response.status_code == 403
    assert BeautifulSoup(response.content, "html.parser").select("main form") == []


def test_second_response_is_refused(
    rocket: Integration, alice: User, bob: User, rita: User, sign_in: SignIn, frozen_now: datetime
) -> None:
    finding = send_finding(rocket, rita, frozen_now)
    findings.answer_finding(finding, "Done.", actor=bob, now=frozen_now)
    response = sign_in(alice).post(f"/findings/{finding.pk}/fix/", {"answer": "Also done."})
    assert "Finding 1 is already resolved." in get_text(response)
    finding.refresh_from_db()
    assert finding.answer == "Done."


def test_invalid_response_of_the_integration_page_replaces_only_its_form(
    rocket: Integration, alice: User, rita: User, sign_in: SignIn, frozen_now: datetime
) -> None:
    finding = send_finding(rocket, rita, frozen_now)
    client = sign_in(alice)
    url = f"/findings/{finding.pk}/fix/"
    response = client.post(url, {"answer": "Done.", "url": "the last commit"}, headers={"HX-Request": "true"})
    assert (response.status_code, response["HX-Retarget"]) == (422, "#finding-1 form[hx-post]")
    forms = BeautifulSoup(response.content, "html.parser").select("form")
    values = [each.get("value") or each.get_text(strip=True) for each in forms[0].select("#answer-1, #url-1")]
    assert (len(forms), forms[0]["hx-post"], values) == (1, url, ["Done.", "the last commit"])


def test_response_survives_a_lost_session(
    rocket: Integration, alice: User, rita: User, client: Any, frozen_now: datetime
) -> None:
    finding = send_finding(rocket, rita, frozen_now)
    response = client.post(f"/findings/{finding.pk}/fix/", {"answer": "Typed for an hour."})
    assert response.status_code == 302
    client.force_login(alice, backend="django.contrib.auth.backends.ModelBackend")
    assert "Typed for an hour." in get_text(client.get(f"/findings/{finding.pk}/fix/"), "textarea")


def test_finding_that_was_not_sent_is_hidden_from_staff_of_the_company(
    rocket: Integration, acme: Partner, rita: User, rob: User, sign_in: SignIn, frozen_now: datetime
) -> None:
    Membership.objects.create(partner=acme, user=rob, role="editor", joined_at=frozen_now)
    finding = add_finding(rocket, rita, frozen_now)
    url = f"/findings/{finding.pk}/fix/"
    assert sign_in(rob).get(url).status_code == 404
    perform_transition(rocket, "request_changes", actor=rita, now=frozen_now)
    assert sign_in(rob).get(url).status_code == 200
