"""The value of a test account is on one answer, for one person, and nowhere else."""

from datetime import timedelta
from urllib.parse import unquote
from uuid import uuid4

import pytest
import time_machine
from bs4 import BeautifulSoup
from django.http import Http404
from django.utils import timezone
from django.views.debug import SafeExceptionReporterFilter

from integrations.submissions.models import Credential, CredentialUse, Integration
from integrations.submissions.services import credentials
from integrations.submissions.views.requirements import requirement
from portal.core.crypto import Secret
from tests.conftest import PASSWORD
from tests.integrations.submissions.requirements.pages import place, press, read
from tests.integrations.submissions.test_credentials import ASKED, VALUE


def account(**more):
    return {"uuid": str(uuid4()), "label": "Tenant", "secret": VALUE, **more}


@pytest.fixture
def kept(at, alice, rita, now):
    """An account in review, with Rita as the reviewer."""
    row = at("review")
    Integration.objects.filter(pk=row.pk).update(reviewer=rita)
    return credentials.give(row, ASKED, "Tenant", Secret(VALUE), permanent=False, by=alice, now=now, uuid=uuid4())


def test_account_given_is_never_shown_again(rocket, alice, sign_in):
    client = sign_in(alice)
    press(client, rocket, ASKED, "give", **account())
    page = client.get(place(rocket, ASKED)).content.decode()
    assert Credential.objects.count() == 1
    assert "c0rrect-h0rse" not in page
    assert "Tenant" in page


def test_value_is_not_put_back_into_the_form(rocket, alice, sign_in):
    answer = press(sign_in(alice), rocket, ASKED, "give", **account(label=""))
    assert answer.status_code == 422
    assert "c0rrect-h0rse" not in answer.content.decode()


def test_value_is_not_kept_over_a_lost_sign_in(rocket, alice, client, sign_in):
    client.post(place(rocket, ASKED), {"act": "give", **account()})
    page = sign_in(alice).get(place(rocket, ASKED)).content.decode()
    assert ("Tenant" in page, "c0rrect-h0rse" in page) == (True, False)


def test_account_revealed_once_to_its_reviewer(kept, rita, sign_in):
    client = sign_in(rita)
    where = place(kept.integration, ASKED)
    answer = client.post(where, {"act": "reveal", "uuid": str(kept.uuid), "reason": "To run it."})
    assert "c0rrect-h0rse-77" in answer.content.decode()
    assert "no-store" in answer.headers["Cache-Control"]
    assert "c0rrect-h0rse" not in client.get(where).content.decode()
    assert CredentialUse.objects.get().reason == "To run it."


def test_account_revealed_after_a_fresh_sign_in_alone(kept, rita, sign_in, settings):
    client, where = sign_in(rita), place(kept.integration, ASKED)
    pressed = {"act": "reveal", "uuid": str(kept.uuid), "reason": "To run it."}
    with time_machine.travel(timezone.now() + timedelta(minutes=settings.SIGN_IN_AGAIN_MINUTES)):
        asked = client.post(where, pressed)
        assert unquote(asked["Location"]) == f"/accounts/reauthenticate/?next={where}"
        assert CredentialUse.objects.count() == 0
        wrong = client.post(asked["Location"], {"password": "not hers"})
        assert "c0rrect-h0rse" not in wrong.text
        answer = client.post(asked["Location"], {"password": PASSWORD})
        assert "c0rrect-h0rse-77" in answer.text
        assert "no-store" in answer.headers["Cache-Control"]
    assert CredentialUse.objects.get().reason == "To run it."


def test_account_revealed_to_who_has_no_password_to_be_asked_for(kept, rita, sign_in, settings):
    rita.set_unusable_password()
    rita.save()
    client = sign_in(rita)
    with time_machine.travel(timezone.now() + timedelta(minutes=settings.SIGN_IN_AGAIN_MINUTES)):
        answer = press(client, kept.integration, ASKED, "reveal", uuid=str(kept.uuid), reason="To run it.")
    where = f"/accounts/sign-in-again/?next={place(kept.integration, ASKED)}"
    assert (unquote(answer["Location"]), CredentialUse.objects.count()) == (where, 0)


def test_account_withdrawn_before_reauthentication_is_refused_on_its_own_page(kept, alice, rita, sign_in, settings):
    client, where = sign_in(rita), place(kept.integration, ASKED)
    with time_machine.travel(timezone.now() + timedelta(minutes=settings.SIGN_IN_AGAIN_MINUTES)):
        asked = client.post(where, {"act": "reveal", "uuid": str(kept.uuid), "reason": "To run it."})
        credentials.withdraw(kept.integration, ASKED, str(kept.uuid), by=alice, now=timezone.now())
        answer = client.post(asked["Location"], {"password": PASSWORD})
    forms = BeautifulSoup(answer.content, "html5lib").select("form[method=post]")
    assert [form for form in forms if not form.get("action")] == []


def test_account_revealed_without_a_reason(kept, rita, sign_in):
    answer = press(sign_in(rita), kept.integration, ASKED, "reveal", uuid=str(kept.uuid), reason="")
    assert (answer.status_code, CredentialUse.objects.count()) == (422, 0)
    assert "c0rrect-h0rse" not in answer.content.decode()


@pytest.mark.parametrize("who", ["alice", "rob", "sam"])
def test_account_revealed_to_nobody_else(kept, sign_in, request, who):
    client = sign_in(request.getfixturevalue(who))
    answer = press(client, kept.integration, ASKED, "reveal", uuid=str(kept.uuid), reason="Let me see.")
    assert (answer.status_code, CredentialUse.objects.count()) == (403, 0)
    assert "c0rrect-h0rse" not in answer.content.decode()


def test_reveal_is_never_a_get(kept, rita, sign_in):
    where = place(kept.integration, ASKED)
    answer = sign_in(rita).get(f"{where}?act=reveal&uuid={kept.uuid}&reason=x")
    assert (CredentialUse.objects.count(), "c0rrect-h0rse" in answer.content.decode()) == (0, False)


def test_value_is_in_no_error_report(rocket, alice, rf):
    request = rf.post(place(rocket, ASKED), {"act": "give", **account(label="A\x00")})
    request.user = alice
    with pytest.raises(Http404):
        requirement(request, uuid4(), ASKED)
    kept = SafeExceptionReporterFilter().get_post_parameters(request)
    assert kept["secret"] == SafeExceptionReporterFilter.cleansed_substitute


def test_company_reads_who_opened_it_and_why(kept, alice, rita, now, sign_in):
    credentials.reveal(kept, reason="To run the tests.", by=rita, now=now)
    words = read(sign_in(alice).get(place(kept.integration, ASKED)))
    assert "Rita Reyes: shown to the reviewer" in words
    assert "To run the tests." in words


def test_account_withdrawn(kept, alice, sign_in):
    press(sign_in(alice), kept.integration, ASKED, "withdraw", uuid=str(kept.uuid))
    assert Credential.objects.get().ended_why == "withdrawn"
