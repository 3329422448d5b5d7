"""Tests of test accounts on the requirement page."""

from datetime import timedelta
from urllib.parse import unquote
from uuid import uuid4

import pytest
import time_machine
from bs4 import BeautifulSoup
from django.http import Http404
from django.utils import timezone
from django.views.debug import SafeExceptionReporterFilter

from integrations.submissions.models import Integration, TestCredential, TestCredentialAccess
from integrations.submissions.services import credentials
from integrations.submissions.views.requirement_actions import show_requirement
from portal.core.crypto import Secret
from tests.conftest import PASSWORD
from tests.integrations.page_text import get_text
from tests.integrations.submissions.requirements.pages import get_url, submit_action
from tests.integrations.submissions.test_credentials import ACCOUNT_REQUIREMENT, VALUE
from tests.replay import replay_fixture

pytestmark = pytest.mark.any_database


def build_account(**more):
    return {"uuid": str(uuid4()), "label": "Tenant", "secret": VALUE, **more}


@pytest.fixture
@replay_fixture
def integration_with_account(integration_at, alice, rita, now):
    """An account in review, with Rita as the reviewer."""
    row = integration_at("review")
    Integration.objects.filter(pk=row.pk).update(reviewer=rita)
    return credentials.submit_credential(
        row, ACCOUNT_REQUIREMENT, "Tenant", Secret(VALUE), permanent=False, actor=alice, now=now, uuid=uuid4()
    )


def test_submitted_account_is_never_shown_again(rocket, alice, sign_in):
    client = sign_in(alice)
    submit_action(client, rocket, ACCOUNT_REQUIREMENT, "add", **build_account())
    page = client.get(get_url(rocket, ACCOUNT_REQUIREMENT)).content.decode()
    assert TestCredential.objects.count() == 1
    assert "c0rrect-h0rse" not in page
    assert "Tenant" in page


def test_value_is_not_put_back_into_the_form(rocket, alice, sign_in):
    response = submit_action(sign_in(alice), rocket, ACCOUNT_REQUIREMENT, "add", **build_account(label=""))
    assert response.status_code == 422
    assert "c0rrect-h0rse" not in response.content.decode()


def test_blank_value_is_refused(rocket, alice, sign_in):
    response = submit_action(sign_in(alice), rocket, ACCOUNT_REQUIREMENT, "add", **build_account(secret=" \n "))
    assert (response.status_code, TestCredential.objects.count()) == (422, 0)


def test_value_is_not_kept_after_the_session_ends(rocket, alice, client, sign_in):
    client.post(get_url(rocket, ACCOUNT_REQUIREMENT), {"action": "add", **build_account()})
    page = sign_in(alice).get(get_url(rocket, ACCOUNT_REQUIREMENT)).content.decode()
    assert ("Tenant" in page, "c0rrect-h0rse" in page) == (True, False)


def test_account_is_revealed_once_to_its_reviewer(integration_with_account, rita, sign_in):
    client = sign_in(rita)
    where = get_url(integration_with_account.integration, ACCOUNT_REQUIREMENT)
    response = client.post(
        where, {"action": "reveal", "uuid": str(integration_with_account.uuid), "reason": "To run it."}
    )
    assert "c0rrect-h0rse-77" in response.content.decode()
    assert "no-store" in response.headers["Cache-Control"]
    assert "c0rrect-h0rse" not in client.get(where).content.decode()
    assert TestCredentialAccess.objects.get().reason == "To run it."


def test_account_is_revealed_only_after_reauthentication(integration_with_account, rita, sign_in, settings):
    client = sign_in(rita)
    where = get_url(integration_with_account.integration, ACCOUNT_REQUIREMENT)
    form_data = {"action": "reveal", "uuid": str(integration_with_account.uuid), "reason": "To run it."}
    with time_machine.travel(timezone.now() + timedelta(minutes=settings.REAUTHENTICATION_MINUTES)):
        response = client.post(where, form_data)
        assert unquote(response["Location"]) == f"/accounts/reauthenticate/?next={where}"
        assert TestCredentialAccess.objects.count() == 0
        wrong = client.post(response["Location"], {"password": "not hers"})
        assert "c0rrect-h0rse" not in wrong.text
        answer = client.post(response["Location"], {"password": PASSWORD})
        assert "c0rrect-h0rse-77" in answer.text
        assert "no-store" in answer.headers["Cache-Control"]
    assert TestCredentialAccess.objects.get().reason == "To run it."


def test_reviewer_without_a_password_must_sign_in_again(integration_with_account, rita, sign_in, settings):
    rita.set_unusable_password()
    rita.save()
    client = sign_in(rita)
    with time_machine.travel(timezone.now() + timedelta(minutes=settings.REAUTHENTICATION_MINUTES)):
        answer = submit_action(
            client,
            integration_with_account.integration,
            ACCOUNT_REQUIREMENT,
            "reveal",
            uuid=str(integration_with_account.uuid),
            reason="To run it.",
        )
    where = f"/accounts/sign-in-again/?next={get_url(integration_with_account.integration, ACCOUNT_REQUIREMENT)}"
    assert (unquote(answer["Location"]), TestCredentialAccess.objects.count()) == (where, 0)


def test_account_withdrawn_before_reauthentication_is_refused_on_its_own_page(
    integration_with_account, alice, rita, sign_in, settings
):
    client = sign_in(rita)
    where = get_url(integration_with_account.integration, ACCOUNT_REQUIREMENT)
    with time_machine.travel(timezone.now() + timedelta(minutes=settings.REAUTHENTICATION_MINUTES)):
        response = client.post(
            where, {"action": "reveal", "uuid": str(integration_with_account.uuid), "reason": "To run it."}
        )
        credentials.withdraw_credential(
            integration_with_account.integration,
            ACCOUNT_REQUIREMENT,
            str(integration_with_account.uuid),
            actor=alice,
            now=timezone.now(),
        )
        answer = client.post(response["Location"], {"password": PASSWORD})
    forms = BeautifulSoup(answer.content, "html.parser").select("form[method=post]")
    assert [form for form in forms if not form.get("action")] == []


def test_account_is_not_revealed_without_a_reason(integration_with_account, rita, sign_in):
    response = submit_action(
        sign_in(rita),
        integration_with_account.integration,
        ACCOUNT_REQUIREMENT,
        "reveal",
        uuid=str(integration_with_account.uuid),
        reason="",
    )
    assert (response.status_code, TestCredentialAccess.objects.count()) == (422, 0)
    assert "c0rrect-h0rse" not in response.content.decode()


@pytest.mark.parametrize("who", ["alice", "rob", "sam"])
def test_account_is_revealed_to_no_one_else(integration_with_account, sign_in, request, who):
    client = sign_in(request.getfixturevalue(who))
    response = submit_action(
        client,
        integration_with_account.integration,
        ACCOUNT_REQUIREMENT,
        "reveal",
        uuid=str(integration_with_account.uuid),
        reason="Let me see.",
    )
    assert (response.status_code, TestCredentialAccess.objects.count()) == (403, 0)
    assert "c0rrect-h0rse" not in response.content.decode()


def test_get_request_never_reveals_an_account(integration_with_account, rita, sign_in):
    where = get_url(integration_with_account.integration, ACCOUNT_REQUIREMENT)
    response = sign_in(rita).get(f"{where}?action=reveal&uuid={integration_with_account.uuid}&reason=x")
    assert (TestCredentialAccess.objects.count(), "c0rrect-h0rse" in response.content.decode()) == (0, False)


def test_value_is_in_no_error_report(rocket, alice, rf):
    request = rf.post(get_url(rocket, ACCOUNT_REQUIREMENT), {"action": "add", **build_account(label="A\x00")})
    request.user = alice
    with pytest.raises(Http404):
        show_requirement(request, uuid4(), ACCOUNT_REQUIREMENT)
    post_parameters = SafeExceptionReporterFilter().get_post_parameters(request)
    assert post_parameters["secret"] == SafeExceptionReporterFilter.cleansed_substitute


def test_partner_sees_who_viewed_the_account_and_why(integration_with_account, alice, rita, now, sign_in):
    credentials.reveal_credential(integration_with_account, reason="To run the tests.", actor=rita, now=now)
    words = get_text(sign_in(alice).get(get_url(integration_with_account.integration, ACCOUNT_REQUIREMENT)))
    assert "Rita Reyes: Viewed by the reviewer" in words
    assert "To run the tests." in words


def test_account_is_withdrawn(integration_with_account, alice, sign_in):
    submit_action(
        sign_in(alice),
        integration_with_account.integration,
        ACCOUNT_REQUIREMENT,
        "withdraw",
        uuid=str(integration_with_account.uuid),
    )
    assert TestCredential.objects.get().end_reason == "It was withdrawn."
