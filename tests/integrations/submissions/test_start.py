import re

import pytest

from integrations.partners.models import Membership
from integrations.submissions.models import Integration, IntegrationDraft
from portal.notifications.models import EmailMessage
from tests.conftest import NOW, PASSWORD, company
from tests.fakes.github.server import Repo
from tests.integrations.submissions.draft_input import DATA

pytestmark = pytest.mark.any_database

START = "/programs/choose/terraform-provider/"


@pytest.mark.every_database
def test_visitor_begins_and_finds_it_again_after_signing_in(client, alice):
    assert client.get(START).status_code == 200
    answer = client.post(START, DATA | {"known": "yes"})
    assert answer.headers["Location"] == f"/accounts/login/?next={START}"
    client.post(answer.headers["Location"], {"login": alice.email, "password": PASSWORD})
    page = client.get(START)
    assert page.context["form"].initial["description"] == "Launches rockets."
    assert "This is your input from before you signed in" in page.text
    assert IntegrationDraft.objects.count() == 0


def test_visitor_without_an_account_is_led_to_make_one(client, db):
    assert client.post(START, DATA).headers["Location"] == f"/accounts/signup/?next={START}"


def test_person_without_a_partner_makes_it_first_and_loses_nothing(client, acme, charlie):
    client.post(START, DATA)
    Membership.objects.filter(user=charlie).update(ended_at=NOW)
    client.force_login(charlie, backend="django.contrib.auth.backends.ModelBackend")
    assert client.get(START).headers["Location"] == f"/company/new/?next={START}"
    Membership.objects.create(partner=acme, user=charlie, role="owner", joined_at=NOW)
    assert client.get(START).context["form"].initial["name"] == "Rocket"


def test_new_partner_leads_back_to_what_was_begun(client, charlie):
    client.post(START, DATA)
    Membership.objects.filter(user=charlie).update(ended_at=NOW)
    client.force_login(charlie, backend="django.contrib.auth.backends.ModelBackend")
    answer = client.post(f"/company/new/?next={START}", {"name": "Initech", "anyway": "1"})
    assert answer.headers["Location"] == START
    assert client.get(START).context["form"].initial["name"] == "Rocket"


def test_new_partner_leads_to_no_other_site(client, charlie):
    Membership.objects.filter(user=charlie).update(ended_at=NOW)
    client.force_login(charlie, backend="django.contrib.auth.backends.ModelBackend")
    answer = client.post("/company/new/?next=https://evil.example/", {"name": "Initech", "anyway": "1"})
    assert answer.headers["Location"] == "/company/initech/"


@pytest.mark.every_database
@pytest.mark.django_db(transaction=True)
def test_visitor_signs_up_and_goes_on(client, settings):
    client.post(START, DATA)
    fields = {"email": "nina@initech.example", "password1": PASSWORD, "name": "Nina Nash"}
    client.post(f"/accounts/signup/?next={START}", fields | {"next": START})
    link = re.search(r"/accounts/confirm-email/[^/\s]+/", EmailMessage.objects.get(to="nina@initech.example").text)
    response = client.post(link[0], follow=True)
    assert response.redirect_chain[-1][0] == f"/company/new/?next={START}"


def test_reviewer_learns_who_begins(sign_in, rita):
    page = sign_in(rita).get(START, follow=True)
    assert page.redirect_chain == [("/programs/terraform-provider/", 302)]
    assert "Only owners and editors of a company can start integrations." in page.text


def test_viewer_begins_nothing(sign_in, acme, bob):
    Membership.objects.filter(user=bob).update(role="viewer")
    assert sign_in(bob).post(START, DATA).headers["Location"] == "/programs/terraform-provider/"
    assert IntegrationDraft.objects.count() == 0


def test_empty_start_makes_one_draft_however_often(sign_in, alice):
    client = sign_in(alice)
    first = client.post(START).headers["Location"]
    assert client.post(START).headers["Location"] == first
    assert IntegrationDraft.objects.count() == 1


def test_person_of_several_partners_chooses(sign_in, alice):
    other = company("Initech", "initech.example")
    Membership.objects.create(partner=other, user=alice, role="editor", joined_at=NOW)
    client = sign_in(alice)
    page = client.post(START, DATA)
    assert (page.status_code, page.context["form"].initial["name"]) == (422, "Rocket")
    client.post(START, DATA | {"company": "initech"})
    assert [draft.partner for draft in IntegrationDraft.objects.all()] == [other]


def test_partner_of_others_cannot_be_chosen(sign_in, alice, globex):
    sign_in(alice).post(START, DATA | {"company": "globex"})
    assert [draft.partner.name for draft in IntegrationDraft.objects.all()] == ["Acme"]


def test_unknown_program_is_not_there(client, db):
    assert client.get("/programs/choose/gardening/").status_code == 404


def create_draft(client):
    where = client.post(START, DATA).headers["Location"]
    return IntegrationDraft.objects.get(), where


@pytest.mark.every_database
def test_sending_twice_makes_one_integration(sign_in, alice):
    client = sign_in(alice)
    draft, confirm = create_draft(client)
    page = client.get(confirm)
    assert page.context["values"]["repository_address"] == "acme/terraform-provider-rocket"
    first = client.post(confirm, {"version": draft.version})
    second = client.post(confirm, {"version": draft.version})
    row = Integration.objects.get()
    assert first.headers["Location"] == second.headers["Location"] == f"/integrations/{row.uuid}/"
    assert (row.name, row.category, row.offerings, row.edition_date) == (
        "Rocket",
        "networking",
        ["Terraform Cloud"],
        "2021-10",
    )
    assert client.get(f"/drafts/{draft.uuid}/").headers["Location"] == f"/integrations/{row.uuid}/"


@pytest.mark.every_database
def test_draft_that_a_colleague_changed_is_looked_at_again(sign_in, alice, bob):
    client = sign_in(alice)
    draft, confirm = create_draft(client)
    IntegrationDraft.objects.update(version=draft.version + 1, saved_by=bob)
    page = client.post(confirm, {"version": draft.version}, follow=True)
    assert "Bob Baker changed this draft. Review it again." in page.text
    assert Integration.objects.count() == 0


def test_draft_that_is_not_fit_goes_back_to_its_form_with_the_sentences(sign_in, alice):
    client = sign_in(alice)
    client.post(START, DATA | {"category": ""})
    page = client.get(f"/drafts/{IntegrationDraft.objects.get().uuid}/confirm/", follow=True)
    assert "Select an option." in page.text
    assert page.context["form"]["name"].value() == "Rocket"


def test_html_is_shown_as_entered(sign_in, alice):
    client = sign_in(alice)
    client.post(START, DATA | {"name": "<b>Rocket</b>"})
    page = client.get(f"/drafts/{IntegrationDraft.objects.get().uuid}/confirm/")
    assert "&lt;b&gt;Rocket&lt;/b&gt;" in page.text
    assert "<b>Rocket</b>" not in page.text


@pytest.mark.github
def test_form_is_filled_from_github_and_says_so(sign_in, alice, github):
    github.seed(Repo("acme/terraform-provider-rocket", "Launches.", releases=("v1.0.0",)))
    address = "https://github.com/acme/terraform-provider-rocket"
    client = sign_in(alice)
    page = client.post(START, {"repository_address": address, "name": "Mine", "then": "prefill"}, follow=True)
    data = IntegrationDraft.objects.get().data
    assert (data["name"], data["description"], data["license"], data["latest_release"]) == (
        "Mine",
        "Launches.",
        "MPL-2.0",
        "v1.0.0",
    )
    assert data["prefilled"] == ["description", "license", "latest_release"]
    assert page.text.count("from GitHub</span>") == 3


def test_github_out_of_reach_keeps_what_was_entered(sign_in, alice, settings):
    settings.GITHUB_API_URL = "http://127.0.0.1:1"
    client = sign_in(alice)
    client.post(START)
    draft = IntegrationDraft.objects.get()
    page = client.post(f"/drafts/{draft.uuid}/prefill/", DATA | {"version": 0}, follow=True)
    assert page.context["form"].initial["name"] == "Rocket"
    assert "You can enter the details yourself." in page.text
