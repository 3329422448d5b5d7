import re

import pytest
from django.http import QueryDict

from integrations.partners.models import Membership
from integrations.programs.registry import PROGRAMS
from integrations.submissions.forms.drafts import bind_form, get_naming_hint, merge_form_data, merge_repository_data
from integrations.submissions.models import Integration, IntegrationDraft
from portal.notifications.models import EmailMessage
from tests.conftest import NOW, PASSWORD, company
from tests.fakes.github.server import Repo

PROGRAM = PROGRAMS["terraform-provider"]
EDITION = PROGRAM.newest
DATA = {
    "repository_address": "https://github.com/acme/terraform-provider-rocket",
    "name": "Rocket",
    "description": "Launches rockets.",
    "category": "networking",
    "offerings": ["HCP Terraform"],
    "homepage": "",
}
START = "/programs/choose/terraform-provider/"


def errors(**changes):
    return bind_form(PROGRAM, EDITION, DATA | changes).errors.get_json_data()


def sentence(field, **changes):
    (error,) = errors(**changes)[field]
    return error["message"]


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("name", "", "Enter a name."),
        ("name", "x" * 81, "Enter 80 characters or fewer. You entered 81."),
        ("name", "Roc\u202eket", "Character 4 is invisible (U+202E). Delete it, or type the text again."),
        ("name", "Roc\u2028ket", "Character 4 is invisible (U+2028). Delete it, or type the text again."),
        ("description", "Roc\x00ket", "Character 4 is invisible (U+0000). Delete it, or type the text again."),
        ("description", "x" * 2001, "Enter 2000 characters or fewer. You entered 2001."),
        ("category", "gardening", "Unknown category. Select another one."),
        ("offerings", [], "Select at least one option."),
        ("offerings", ["Gardens"], "Unknown product. Select from the list."),
        (
            "repository_address",
            "https://gitlab.com/acme/rocket",
            "Enter a repository on github.com, such as https://github.com/owner/name.",
        ),
        ("repository_address", "", "Enter the repository URL."),
        ("homepage", "not an address", "Enter a complete URL, such as https://docs.example.com/page."),
        ("homepage", "ftp://acme.example/rocket", "The URL must start with https:// or http://."),
    ],
)
def test_field_that_is_not_fit_says_what_to_do(field, value, expected):
    assert sentence(field, **{field: value}) == expected


def test_form_that_is_fit_gives_the_facts():
    form = bind_form(PROGRAM, EDITION, DATA)
    assert form.is_valid()
    assert form.get_values(DATA | {"repository": "acme/terraform-provider-rocket", "repository_id": 7}) == {
        **{key: DATA[key] for key in ("name", "description", "category", "offerings", "homepage")},
        "repository": "acme/terraform-provider-rocket",
        "repository_id": 7,
        "repository_owner_id": None,
    }


def test_numbers_of_another_repository_are_left_out():
    form = bind_form(PROGRAM, EDITION, DATA)
    assert form.is_valid()
    assert form.get_values(DATA | {"repository": "acme/other", "repository_id": 7})["repository_id"] is None


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("terraform-provider-rocket", ""),
        (
            "rocket",
            "The program requires a repository named terraform-provider-NAME, in lowercase. "
            "This repository is named rocket.",
        ),
    ],
)
def test_repository_name_is_hinted_at_and_not_refused(name, expected):
    address = f"https://github.com/acme/{name}"
    assert get_naming_hint(PROGRAM, address) == expected
    assert errors(repository_address=address) == {}


def post(**fields):
    post_data = QueryDict(mutable=True)
    for key, value in fields.items():
        post_data.setlist(key, value if isinstance(value, list) else [value])
    return post_data


def test_typing_over_an_answer_of_github_forgets_that_it_was_one():
    before = DATA | {"prefilled": ["name", "description"], "license": "MPL-2.0"}
    after = merge_form_data(post(**DATA | {"name": "Rockets"}), before)
    assert (after["prefilled"], after["license"]) == (["description"], "MPL-2.0")


def test_another_address_forgets_what_the_first_repository_answered():
    before = DATA | {"prefilled": ["name", "license"], "license": "MPL-2.0", "repository_id": 7, "prefill_note": "x"}
    after = merge_form_data(post(**DATA | {"repository_address": "acme/other"}), before)
    assert {"license", "repository_id", "prefill_note"} & set(after) == set()
    assert after["prefilled"] == ["name"]


def test_no_ticked_box_unticks_all():
    fields = {key: value for key, value in DATA.items() if key != "offerings"}
    assert merge_form_data(post(**fields), DATA)["offerings"] == []


def test_what_no_database_takes_is_left_out_of_a_draft():
    assert merge_form_data(post(name="Ro\x00cket" + "x" * 30_000), {})["name"] == ("Ro\x00cket" + "x" * 30_000)[
        :20_000
    ].replace("\x00", "")


def test_github_never_overwrites_what_was_entered():
    answers = {
        "name": "From GitHub",
        "description": "Theirs",
        "homepage": "",
        "license": "MPL-2.0",
        "latest_release": "",
        "repository": "acme/rocket",
        "repository_id": 1,
        "repository_owner_id": 2,
        "error": "",
        "problem": "",
    }
    after = merge_repository_data({"name": "Mine"}, answers)
    assert (after["name"], after["description"]) == ("Mine", "Theirs")
    assert after["prefilled"] == ["description", "license"]


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
        ["HCP Terraform"],
        "2026-06",
    )
    assert client.get(f"/drafts/{draft.uuid}/").headers["Location"] == f"/integrations/{row.uuid}/"


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
