"""Tests of the navigation of each role and of form errors."""

from uuid import UUID

import pytest
from bs4 import BeautifulSoup
from django import forms
from django.contrib.auth.models import AnonymousUser
from django.core.files.uploadedfile import SimpleUploadedFile
from django.template import loader
from django.test import RequestFactory
from django.urls import resolve

from portal.dashboard import context_processors
from portal.styleguide.views import SampleForm

pytestmark = pytest.mark.any_database


def build_frame(user, path="/", **cookies):
    request = RequestFactory().get(path)
    request.user = user
    request.resolver_match = resolve(path)
    request.COOKIES.update(cookies)
    return context_processors.add_frame(request)["frame"]


def test_program_navigation_is_for_program_staff_only(alice, rita, sam):
    assert [place.label for place in build_frame(alice).rail] == []
    words = [place.label for place in build_frame(rita, "/queue/").rail]
    assert words[:2] == ["Review queue", "Integrations"]
    assert [place.label for place in build_frame(sam).rail] == [*words, "People", "Audit log", "Administration"]


def test_administrator_without_other_roles_manages_only_people(sign_in, alice):
    alice.is_superuser = True
    assert [place.label for place in build_frame(alice).rail] == ["People"]
    alice.save()
    client = sign_in(alice)
    assert [client.get(path).status_code for path in ("/people/", "/audit-log/", "/queue/")] == [200, 404, 404]


def test_navigation_marks_the_current_page(rita):
    assert [(p.label, p.current) for p in build_frame(rita, "/queue/").rail if p.current] == [("Review queue", "page")]
    below = build_frame(rita, "/companies/acme/").rail
    assert [(p.label, p.current) for p in below if p.current] == [("Partners", "true")]
    review = build_frame(rita, f"/integrations/{UUID(int=0)}/review/").rail
    assert [(p.label, p.current) for p in review if p.current] == [("Review queue", "true")]


def test_partners_take_one_query_only_where_shown(alice, django_assert_num_queries):
    with django_assert_num_queries(0):
        frame = build_frame(alice)
        assert (frame.theme, frame.rail) == ("system", [])
    with django_assert_num_queries(1):
        assert [(place.label, place.href) for place in frame.companies] == [("Acme", "/company/acme/")]
        assert len(frame.companies) == 1


def test_former_partners_are_not_shown(alice, now):
    alice.memberships.update(ended_at=now)
    assert build_frame(alice).companies == []


@pytest.mark.parametrize(("cookie", "theme"), [("dark", "dark"), ("light", "light"), ('"><script>', "system")])
def test_theme_is_one_of_three_for_any_cookie(cookie, theme):
    assert build_frame(AnonymousUser(), theme=cookie).theme == theme


def test_theme_is_stored_and_redirects_back(client, db):
    response = client.post("/theme/", {"theme": "dark", "next": "/styleguide/?a=1"})
    assert (response.status_code, response["Location"]) == (302, "/styleguide/?a=1")
    assert client.cookies["theme"].value == "dark"
    assert 'data-theme="dark"' in client.get("/styleguide/").content.decode()


@pytest.mark.parametrize("back", ["https://evil.example/", "//evil.example", "javascript:alert(1)", ""])
def test_theme_form_never_redirects_to_another_site(client, back, db):
    assert client.post("/theme/", {"theme": "dark", "next": back})["Location"] == "/"


def test_theme_form_accepts_a_relative_address(client, db):
    assert client.post("/theme/", {"theme": "dark", "next": "styleguide"})["Location"] == "styleguide"


def test_unknown_theme_changes_nothing(client, db):
    response = client.post("/theme/", {"theme": "purple"})
    assert (response.status_code, "theme" in response.cookies) == (302, False)


def parse_page(response):
    return BeautifulSoup(response.content.decode(), "html.parser")


@pytest.fixture
def guide(client, db):
    return parse_page(client.post("/styleguide/", {"name": "<b>x</b>", "repository": "not an address"}))


def test_styleguide_shows_every_component(guide):
    class_names = {name for tag in guide.select("[class]") for name in tag["class"]}
    assert class_names >= {
        "next-action",
        "path",
        "panel",
        "card",
        "table",
        "timeline",
        "fold",
        "empty",
        "banner",
        "facts",
        "requirement",
        "check",
        "decision",
        "mail",
        "tabs",
        "pagination",
        "crumbs",
        "meter",
        "person",
        "badge",
        "tally",
        "due",
        "form-footer",
        "draft-line",
        "copyable",
        "button-blocked",
    }


def test_styleguide_needs_no_inline_style_or_script(guide):
    assert guide.select("[style]") == []
    assert [script.get("src") for script in guide.select("script:not([src])")] == []
    assert [name for tag in guide.find_all(True) for name in tag.attrs if name.startswith("on")] == []


def test_styleguide_has_each_id_once_and_refers_to_none_that_is_missing(guide):
    ids = [tag["id"] for tag in guide.select("[id]")]
    assert sorted(ids) == sorted(set(ids))
    for name in ("aria-describedby", "aria-labelledby", "for"):
        for tag in guide.select(f"[{name}]"):
            assert set(tag[name].split()) <= set(ids)


def test_field_error_is_shown_at_the_field(guide):
    field = guide.find(id="id_repository")
    assert (field["aria-invalid"], field["aria-describedby"]) == ("true", "id_repository_helptext id_repository_error")
    assert field.parent.select_one("label")["for"] == "id_repository"
    assert field.parent.select_one(".error").text.strip() == "Enter a valid URL."
    assert field["value"] == "not an address"


def test_field_without_an_error_is_not_marked(guide):
    name = guide.find(id="id_name")
    assert name.get("aria-invalid") is None
    assert (name["value"], guide.select("b")) == ("<b>x</b>", [])
    assert name.parent.select_one(".prefilled").text.strip() == "from the repository"


def test_group_of_choices_is_a_fieldset_with_its_error(guide):
    group = guide.find("legend", string=lambda text: text and "Compatible products" in text).parent
    assert (group.name, group["aria-describedby"]) == ("fieldset", "id_offering_error")
    assert group.find(id="id_offering_error").get_text(strip=True) == "Select an option."


def test_errors_of_the_whole_form_are_shown_above_its_fields():
    class RefusedForm(forms.Form):
        first = forms.CharField()
        hidden = forms.CharField(widget=forms.HiddenInput, required=False)

        def clean(self):
            raise forms.ValidationError("The two <i>do not</i> fit.")

    body = BeautifulSoup(str(RefusedForm({"first": "x"})), "html5lib").body
    alert = body.select_one("[role=alert]")
    assert alert.get_text(strip=True) == "The two <i>do not</i> fit."
    assert alert.find_next(id="id_first") is not None


def test_form_of_the_styleguide_can_be_valid():
    fields = {"name": "x", "repository": "https://a.example", "category": "net", "offering": "oss", "parts": ["pre"]}
    form = SampleForm(data={**fields, "response_time": "on"}, files={"log": SimpleUploadedFile("log.txt", b"x")})
    assert form.errors == {}


def test_missing_page_explains_what_to_do(client, alice, rita):
    texts = []
    for person in (alice, rita):
        client.force_login(person)
        response = client.get("/no-such-page/")
        assert response.status_code == 404
        texts.append(parse_page(response).main.get_text())
    # No company has to invite program staff, who can view the integrations of all companies.
    assert ["ask an owner to invite" in text for text in texts] == [True, False]
    assert "search for the page" in texts[1]


@pytest.mark.parametrize("name", ["400.html", "500.html"])
def test_error_page_needs_no_other_files(name):
    text = loader.render_to_string(name)
    assert BeautifulSoup(text, "html.parser").h1.get_text(strip=True) != ""
    assert "error 500" not in text.lower()


def test_error_page_needs_no_template_tags():
    assert "{%" not in loader.get_template("500.html").template.source


@pytest.mark.parametrize(("address", "words"), [("/search/?q=rocket", "rocket"), ("/integrations/?q=rocket", "")])
def test_search_field_has_the_words_of_a_search_only(sign_in, alice, address, words):
    page = BeautifulSoup(sign_in(alice).get(address).text, "html.parser")
    assert page.select_one("#top-search")["value"] == words
