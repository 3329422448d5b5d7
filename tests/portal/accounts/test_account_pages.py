"""Tests of the profile and other account pages."""

import re
from typing import Any

import pytest

from portal.accounts.forms import ProfileForm
from portal.accounts.models import User
from tests.integrations.page_text import find_text, get_field_error
from tests.portal.accounts.sign_in import SignIn, find_forbidden_words

pytestmark = pytest.mark.any_database


PAGES = (
    "/accounts/email/",
    "/accounts/password/change/",
    "/accounts/logout/",
    "/accounts/2fa/",
    "/accounts/3rdparty/",
    "/profile/",
    "/accounts/reauthenticate/",
)


@pytest.mark.parametrize("path", PAGES)
def test_account_pages_have_the_frame_and_terms_of_the_portal(sign_in: SignIn, alice: Any, path: str) -> None:
    response = sign_in(alice).get(path)
    assert response.status_code == 200
    html = response.content.decode()
    assert "Partner portal</title>" in html
    assert find_forbidden_words(html) == []
    assert not re.search(r'\sstyle="|\son[a-z]+="', html)


def test_profile_is_saved_and_times_follow_the_zone(sign_in: SignIn, alice: Any) -> None:
    page = sign_in(alice).post("/profile/", {"name": "Alice A.", "zone": "Europe/Berlin"}, follow=True)
    assert "Profile saved." in find_text(page)
    alice.refresh_from_db()
    assert (alice.name, alice.zone, alice.zone_chosen) == ("Alice A.", "Europe/Berlin", True)


def test_profile_retains_roles_that_change_meanwhile(alice: Any) -> None:
    form = ProfileForm(data={"name": "Alice", "zone": ""}, instance=User.objects.get(pk=alice.pk))
    User.objects.filter(pk=alice.pk).update(is_reviewer=True)
    form.save()
    alice.refresh_from_db()
    assert (alice.name, alice.is_reviewer) == ("Alice", True)


def test_profile_without_a_choice_follows_the_browser(sign_in: SignIn, alice: Any) -> None:
    assert 'data-zone="browser"' in sign_in(alice).get("/profile/").content.decode()
    sign_in(alice).post("/profile/", {"name": "Alice", "zone": "Asia/Tokyo"})
    assert "data-zone" not in sign_in(alice).get("/profile/").content.decode()
    sign_in(alice).post("/profile/", {"name": "Alice", "zone": ""})
    page = sign_in(alice).get("/profile/").content.decode()
    assert 'data-zone="browser"' in page
    assert "Automatic, from the browser (emails: Asia/Tokyo)" in page


@pytest.mark.parametrize(
    "form_data", [{"name": ""}, {"name": "<i>A</i>"}, {"name": "x" * 121}, {"zone": "Mars/Olympus"}, {"zone": "../etc"}]
)
def test_invalid_profile_is_refused(sign_in: SignIn, alice: Any, form_data: dict[str, str]) -> None:
    page = sign_in(alice).post("/profile/", {"name": "Alice", "zone": "UTC"} | form_data)
    assert page.status_code == 422
    assert get_field_error(page, next(iter(form_data))) != ""
    alice.refresh_from_db()
    assert (alice.name, alice.zone) == ("Alice Archer", "UTC")


def test_refused_name_is_not_shown_in_the_frame(sign_in: SignIn, alice: Any) -> None:
    page = sign_in(alice).post("/profile/", {"name": "<i>Mallory</i>", "zone": "UTC"})
    assert "Mallory" not in find_text(page, "header.top")
