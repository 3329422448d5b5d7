"""Tests of drafts: autosave, conflicts between versions, and deletion."""

from datetime import timedelta

import pytest

from integrations.partners.models import Membership
from integrations.submissions.models import IntegrationDraft
from integrations.submissions.services import drafts
from portal.core.errors import ActionRefused
from tests.conftest import NOW, create_integration
from tests.integrations.page_text import parse

pytestmark = pytest.mark.any_database

DATA = {
    "repository_address": "acme/rocket",
    "name": "Rocket",
    "description": "Launches.",
    "category": "networking",
    "homepage": "",
    "offerings": ["HCP Terraform", "Terraform Enterprise"],
}


@pytest.fixture
def draft(acme, alice):
    return drafts.create_draft(acme, "terraform-provider", actor=alice, now=NOW)


@pytest.fixture
def two_versions(draft, alice, bob):
    """A draft that Alice saved, and then Bob."""
    first = drafts.save_draft(draft, DATA, version=0, actor=alice, now=NOW)
    return drafts.save_draft(first, DATA | {"name": "Bob's", "category": "database"}, version=1, actor=bob, now=NOW)


def get_url(draft, more=""):
    return f"/drafts/{draft.uuid}/{more}"


def test_draft_is_autosaved_and_reports_its_version(sign_in, draft, alice):
    response = sign_in(alice).post(get_url(draft, "save/"), DATA | {"version": 0})
    assert (response.status_code, response.headers["X-Draft-Version"]) == (204, "1")
    assert IntegrationDraft.objects.get().data == DATA


@pytest.mark.every_database
def test_saving_the_same_again_is_not_a_new_version(sign_in, draft, alice):
    client = sign_in(alice)
    client.post(get_url(draft, "save/"), DATA | {"version": 0})
    assert client.post(get_url(draft, "save/"), DATA | {"version": 1}).headers["X-Draft-Version"] == "1"


def test_colleague_continues_a_saved_draft(sign_in, draft, alice, bob):
    drafts.save_draft(draft, DATA, version=0, actor=alice, now=NOW)
    page = sign_in(bob).get(get_url(draft))
    assert page.context["form"].initial["name"] == "Rocket"
    assert "Alice Archer saved this draft" in page.text


def test_late_autosave_of_another_person_is_refused(sign_in, two_versions, alice):
    response = sign_in(alice).post(get_url(two_versions, "save/"), DATA | {"version": 1})
    assert (response.status_code, response.text) == (409, "Bob Baker saved another version.")
    assert IntegrationDraft.objects.get().data["name"] == "Bob's"


def test_late_autosave_of_another_own_tab_is_refused(sign_in, two_versions, bob):
    response = sign_in(bob).post(get_url(two_versions, "save/"), DATA | {"version": 1})
    assert (response.status_code, response.text) == (409, "You saved another version on another page.")
    assert IntegrationDraft.objects.get().data["name"] == "Bob's"


def test_another_own_tab_shows_both_versions(sign_in, two_versions, bob):
    page = sign_in(bob).post(get_url(two_versions), DATA | {"version": 1})
    assert (page.status_code, page.context["colleague"]) == (409, None)
    assert "You changed this draft on another page" in page.text


def test_empty_draft_accepts_any_version(sign_in, draft, alice):
    assert sign_in(alice).post(get_url(draft, "save/"), DATA | {"version": 7}).status_code == 204


@pytest.mark.every_database
def test_second_author_sees_both_versions(sign_in, two_versions, alice):
    page = sign_in(alice).post(get_url(two_versions), DATA | {"version": 1, "name": "Alice's"})
    assert page.status_code == 409
    differing = {s.key: (s.own, s.other) for s in page.context["comparisons"] if s.own != s.other}
    assert differing == {"name": ("Alice's", "Bob's"), "category": ("Networking", "Database")}
    assert IntegrationDraft.objects.get().data["name"] == "Bob's"


@pytest.mark.parametrize(
    ("choice", "name", "category"),
    [
        ({"whole": "mine"}, "Alice's", "networking"),
        ({"whole": "theirs"}, "Bob's", "database"),
        ({"take_name": "mine", "take_category": "theirs"}, "Alice's", "database"),
        ({}, "Bob's", "database"),
    ],
)
def test_choice_between_versions_is_kept(sign_in, two_versions, alice, choice, name, category):
    mine = {f"mine_{key}": value for key, value in (DATA | {"name": "Alice's"}).items()}
    sign_in(alice).post(get_url(two_versions, "resolve/"), mine | choice | {"version": 2})
    data = IntegrationDraft.objects.get().data
    assert (data["name"], data["category"], data["offerings"]) == (name, category, DATA["offerings"])


def test_unticked_boxes_of_the_chosen_version_stay_unticked(sign_in, two_versions, alice):
    mine = {f"mine_{key}": value for key, value in DATA.items() if key != "offerings"}
    sign_in(alice).post(get_url(two_versions, "resolve/"), mine | {"whole": "mine", "version": 2})
    assert IntegrationDraft.objects.get().data["offerings"] == []


def test_missing_values_of_the_chosen_version_are_blank(sign_in, two_versions, alice):
    sign_in(alice).post(get_url(two_versions, "resolve/"), {"whole": "mine", "version": 2})
    assert set(map(str, IntegrationDraft.objects.get().data.values())) == {"", "[]"}
    assert IntegrationDraft.objects.get().data["name"] == ""


def test_version_saved_during_the_choice_is_shown_too(sign_in, two_versions, alice, bob):
    drafts.save_draft(two_versions, DATA | {"name": "Bob's third"}, version=2, actor=bob, now=NOW)
    mine = {f"mine_{key}": value for key, value in (DATA | {"name": "Alice's"}).items()}
    page = sign_in(alice).post(get_url(two_versions, "resolve/"), mine | {"whole": "mine", "version": 2})
    names = next((s.own, s.other) for s in page.context["comparisons"] if s.key == "name")
    assert (page.status_code, names) == (409, ("Alice's", "Bob's third"))


def test_choice_between_versions_survives_a_session_timeout(client, two_versions, alice):
    mine = {f"mine_{key}": value for key, value in (DATA | {"name": "Alice's"}).items()}
    choice = {"take_name": "mine", "version": 2}
    response = client.post(get_url(two_versions, "resolve/"), mine | choice)
    client.force_login(alice, backend="django.contrib.auth.backends.ModelBackend")
    page = client.get(response.headers["Location"].partition("next=")[2])
    values = page.context["form"].initial
    assert (values["name"], values["category"], page.context["version"]) == ("Alice's", "database", 2)
    assert "This is your input from before you signed in" in page.text
    assert IntegrationDraft.objects.get().data["name"] == "Bob's"


def test_choice_for_a_deleted_draft_is_not_restored(client, two_versions, alice):
    client.post(get_url(two_versions, "resolve/"), {"whole": "mine", "mine_name": "Alice's", "version": 2})
    drafts.discard_draft(two_versions, actor=alice, now=NOW)
    client.force_login(alice, backend="django.contrib.auth.backends.ModelBackend")
    page = client.get(get_url(two_versions, "resolve/"), follow=True)
    assert (page.redirect_chain[-1][0], "This draft was deleted." in page.text) == ("/", True)


@pytest.mark.every_database
def test_conflict_under_htmx_replaces_the_page(sign_in, two_versions, alice):
    page = sign_in(alice).post(get_url(two_versions), DATA | {"version": 1}, headers={"HX-Request": "true"})
    assert (page.status_code, page.headers["HX-Retarget"]) == (200, "#main")


def test_input_survives_a_session_timeout(client, draft, alice):
    response = client.post(get_url(draft), DATA | {"version": 0})
    assert response.headers["Location"] == f"/accounts/login/?next={get_url(draft)}"
    client.force_login(alice, backend="django.contrib.auth.backends.ModelBackend")
    page = client.get(get_url(draft))
    assert page.context["form"].initial["name"] == "Rocket"
    assert "This is your input from before you signed in" in page.text


def test_input_survives_a_session_timeout_before_it_is_filled_from_github(client, sign_in, draft, alice):
    buttons = parse(sign_in(alice).get(get_url(draft))).select("#draft-form button")
    button = next(each for each in buttons if "Fill from GitHub" in each.text)
    url = button.get("formaction", get_url(draft))
    client.logout()
    client.post(url, DATA | {"version": 0, button["name"]: button["value"]})
    client.force_login(alice, backend="django.contrib.auth.backends.ModelBackend")
    page = client.get(url, follow=True)
    assert page.context["form"].initial["name"] == "Rocket"


def test_draft_of_another_partner_is_not_found(sign_in, draft, charlie, rita):
    for person in (charlie, rita):
        client = sign_in(person)
        pages = [
            client.get(get_url(draft)),
            client.get(get_url(draft, "confirm/")),
            client.get(get_url(draft, "overlaps/")),
        ]
        responses = [client.post(get_url(draft, f"{name}/")) for name in ("save", "resolve", "discard")]
        assert [response.status_code for response in pages + responses] == [404] * 6


def test_viewer_can_read_but_not_change(sign_in, draft, bob):
    Membership.objects.filter(user=bob).update(role="viewer")
    client = sign_in(bob)
    assert client.get(get_url(draft)).context["can_edit"] is False
    assert client.post(get_url(draft, "save/"), DATA | {"version": 0}).status_code == 403
    client.post(get_url(draft), DATA | {"version": 0})
    assert IntegrationDraft.objects.get().data == {}


@pytest.mark.every_database
def test_deleted_draft_refuses_changes(sign_in, draft, alice):
    client = sign_in(alice)
    client.post(get_url(draft, "discard/"))
    assert client.post(get_url(draft, "save/"), DATA | {"version": 0}).status_code == 410
    page = client.get(get_url(draft), follow=True)
    assert "This draft was deleted." in page.text
    with pytest.raises(ActionRefused, match="This draft was deleted"):
        drafts.submit_draft(draft, {}, version=0, actor=alice, now=NOW)
    with pytest.raises(ActionRefused, match="This draft was deleted"):
        drafts.save_draft(draft, DATA, version=0, actor=alice, now=NOW)


@pytest.mark.every_database
def test_draft_is_deleted_by_its_name_and_can_be_restored(sign_in, draft, alice, bob):
    drafts.save_draft(draft, DATA, version=0, actor=alice, now=NOW)
    client = sign_in(alice)
    refused_response = client.post(get_url(draft, "discard/"), {"confirm_name": "Rockets"})
    assert (refused_response.status_code, "Enter the name “Rocket” to confirm." in refused_response.text) == (422, True)
    home = client.post(get_url(draft, "discard/"), {"confirm_name": " Rocket "}, follow=True)
    assert ("Deleted. You can restore it until" in home.text, get_url(draft, "restore/") in home.text) == (True, True)
    Membership.objects.filter(user=bob).update(role="viewer")
    assert "can be undone" not in sign_in(bob).get("/").text
    page = sign_in(alice).post(get_url(draft, "restore/"), follow=True)
    assert ("Draft restored." in page.text, page.context["form"].initial["name"]) == (True, "Rocket")


@pytest.mark.every_database
def test_submitted_draft_is_not_deleted(sign_in, draft, alice):
    saved_draft = drafts.save_draft(draft, DATA, version=0, actor=alice, now=NOW)
    drafts.submit_draft(saved_draft, DATA, version=1, actor=alice, now=NOW)
    page = sign_in(alice).post(get_url(draft, "discard/"), {"confirm_name": "Rocket"}, follow=True)
    assert ("Draft deleted." in page.text, "This draft was already submitted." in page.text) == (False, True)


def test_draft_is_restored_twice_without_an_error(draft, alice):
    drafts.discard_draft(draft, actor=alice, now=NOW)
    for _ in range(2):
        drafts.restore_draft(draft, actor=alice, now=NOW)
    assert IntegrationDraft.objects.get().sent_at is None


@pytest.mark.every_database
def test_draft_is_deleted_permanently_after_the_undo_period(draft, alice):
    drafts.discard_draft(draft, actor=alice, now=NOW)
    with pytest.raises(ActionRefused, match="This draft can no longer be restored"):
        drafts.restore_draft(draft, actor=alice, now=NOW + timedelta(minutes=10))
    drafts.restore_draft(draft, actor=alice, now=NOW + timedelta(minutes=9))
    assert IntegrationDraft.objects.get().sent_at is None


@pytest.mark.every_database
@pytest.mark.parametrize("version", ["", "x", "-1", "9" * 30, "²"])
def test_invalid_version_is_a_conflict(sign_in, two_versions, alice, version):
    assert sign_in(alice).post(get_url(two_versions, "save/"), DATA | {"version": version}).status_code == 409


def test_overlap_with_the_work_of_others_is_reported_while_typing(sign_in, draft, alice, charlie, globex):
    create_integration(globex, charlie, name="Rocket", repository="globex/secret", repository_id=1)
    page = sign_in(alice).get(get_url(draft, "overlaps/"), {"name": "Rocket"})
    assert "Someone is working on this (the same product)." in page.text
    assert "globex" not in page.text.lower()
