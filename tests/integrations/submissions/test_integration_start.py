"""Tests of starting an integration from the page of its program."""

import re
from datetime import timedelta

import pytest

from integrations.partners.models import Membership
from integrations.submissions.models import Integration, IntegrationDraft
from integrations.submissions.services import drafts
from portal.notifications.models import EmailMessage
from tests.conftest import NOW, PASSWORD, create_partner
from tests.fakes.github.server import Repo
from tests.integrations.submissions.draft_input import DATA

pytestmark = pytest.mark.any_database

START = "/programs/choose/terraform-provider/"


@pytest.mark.every_database
def test_input_of_a_visitor_is_kept_after_signing_in(client, alice):
    assert client.get(START).status_code == 200
    response = client.post(START, DATA | {"known": "yes"})
    assert response.headers["Location"] == f"/accounts/login/?next={START}"
    client.post(response.headers["Location"], {"login": alice.email, "password": PASSWORD})
    page = client.get(START)
    assert page.context["form"].initial["description"] == "Launches rockets."
    assert "This is your input from before you signed in" in page.text
    assert IntegrationDraft.objects.count() == 0


def test_visitor_is_redirected_to_sign_up(client, db):
    assert client.post(START, DATA).headers["Location"] == f"/accounts/signup/?next={START}"


def test_person_without_a_company_creates_one_first_and_loses_nothing(client, acme, charlie):
    client.post(START, DATA)
    Membership.objects.filter(user=charlie).update(ended_at=NOW)
    client.force_login(charlie, backend="django.contrib.auth.backends.ModelBackend")
    assert client.get(START).headers["Location"] == f"/company/new/?next={START}"
    Membership.objects.create(partner=acme, user=charlie, role="owner", joined_at=NOW)
    assert client.get(START).context["form"].initial["name"] == "Rocket"


def test_new_company_leads_back_to_the_draft(client, charlie):
    client.post(START, DATA)
    Membership.objects.filter(user=charlie).update(ended_at=NOW)
    client.force_login(charlie, backend="django.contrib.auth.backends.ModelBackend")
    response = client.post(f"/company/new/?next={START}", {"name": "Initech", "anyway": "1"})
    assert response.headers["Location"] == START
    assert client.get(START).context["form"].initial["name"] == "Rocket"


def test_new_company_does_not_lead_to_another_site(client, charlie):
    Membership.objects.filter(user=charlie).update(ended_at=NOW)
    client.force_login(charlie, backend="django.contrib.auth.backends.ModelBackend")
    response = client.post("/company/new/?next=https://evil.example/", {"name": "Initech", "anyway": "1"})
    assert response.headers["Location"] == "/company/initech/"


@pytest.mark.every_database
@pytest.mark.django_db(transaction=True)
def test_visitor_signs_up_and_continues(client, settings):
    client.post(START, DATA)
    fields = {"email": "nina@initech.example", "password1": PASSWORD, "name": "Nina Nash"}
    client.post(f"/accounts/signup/?next={START}", fields | {"next": START})
    link = re.search(r"/accounts/confirm-email/[^/\s]+/", EmailMessage.objects.get(to="nina@initech.example").text)
    response = client.post(link[0], follow=True)
    assert response.redirect_chain[-1][0] == f"/company/new/?next={START}"


def test_reviewer_cannot_start_an_integration(sign_in, rita):
    page = sign_in(rita).get(START, follow=True)
    assert page.redirect_chain == [("/programs/terraform-provider/", 302)]
    assert "Only owners and editors of a company can start integrations." in page.text


def test_viewer_cannot_start_an_integration(sign_in, acme, bob):
    Membership.objects.filter(user=bob).update(role="viewer")
    assert sign_in(bob).post(START, DATA).headers["Location"] == "/programs/terraform-provider/"
    assert IntegrationDraft.objects.count() == 0


def test_repeated_empty_start_creates_one_draft(sign_in, alice):
    client = sign_in(alice)
    first = client.post(START).headers["Location"]
    assert client.post(START).headers["Location"] == first
    assert IntegrationDraft.objects.count() == 1


def test_empty_drafts_do_not_hide_a_filled_one(sign_in, alice, acme):
    client = sign_in(alice)
    client.post(START, DATA)
    for _ in range(10):
        drafts.create_draft(acme, "terraform-provider", actor=alice, now=NOW + timedelta(days=3650))
    assert [draft.title for draft in client.get(START).context["drafts"]] == ["Rocket"]


def test_member_of_several_companies_selects_one(sign_in, alice):
    other = create_partner("Initech", "initech.example")
    Membership.objects.create(partner=other, user=alice, role="editor", joined_at=NOW)
    client = sign_in(alice)
    page = client.post(START, DATA)
    assert (page.status_code, page.context["form"].initial["name"]) == (422, "Rocket")
    client.post(START, DATA | {"partner": "initech"})
    assert [draft.partner for draft in IntegrationDraft.objects.all()] == [other]


def test_company_of_others_cannot_be_selected(sign_in, alice, globex):
    client = sign_in(alice)
    page = client.post(START, DATA | {"partner": "globex"})
    assert (page.status_code, IntegrationDraft.objects.count()) == (422, 0)
    assert "Select Continue to start the integration for Acme." in page.text
    client.post(START, DATA)
    assert [draft.partner.name for draft in IntegrationDraft.objects.all()] == ["Acme"]


def test_unknown_program_is_not_found(client, db):
    assert client.get("/programs/choose/gardening/").status_code == 404


def create_draft(client):
    where = client.post(START, DATA).headers["Location"]
    return IntegrationDraft.objects.get(), where


@pytest.mark.every_database
def test_second_submission_creates_no_second_integration(sign_in, alice):
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
def test_draft_changed_by_a_colleague_is_reviewed_again(sign_in, alice, bob):
    client = sign_in(alice)
    draft, confirm = create_draft(client)
    IntegrationDraft.objects.update(version=draft.version + 1, saved_by=bob)
    page = client.post(confirm, {"version": draft.version}, follow=True)
    assert "Bob Baker changed this draft. Review it again." in page.text
    assert Integration.objects.count() == 0


def test_invalid_draft_returns_to_its_form_with_the_errors(sign_in, alice):
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
def test_form_says_that_it_is_prefilled_from_github(sign_in, alice, github):
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


def test_unreachable_github_keeps_the_input(sign_in, alice, settings):
    settings.GITHUB_API_URL = "http://127.0.0.1:1"
    client = sign_in(alice)
    client.post(START)
    draft = IntegrationDraft.objects.get()
    page = client.post(f"/drafts/{draft.uuid}/", DATA | {"version": 0, "then": "prefill"}, follow=True)
    assert page.context["form"].initial["name"] == "Rocket"
    assert "You can enter the details yourself." in page.text
