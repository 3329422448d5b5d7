"""Tests of arbitrary input in all forms: it is valid, or each field explains why not; no form fails."""

import re
import unicodedata
from typing import Any

import pytest
from allauth.core import context
from django import forms
from django.http import QueryDict
from django.urls import reverse
from hypothesis import HealthCheck, Phase, given, settings, strategies as st

from tests.portal.forms_table import BASES, FORMS, build_request, list_form_classes
from tests.portal.rollback_requests import create_client, send_request

pytestmark = pytest.mark.any_database

HOSTILE_TEXTS = [
    "a\x00b",
    "\u202e\u2028",
    "Two\r\nBcc: x@y.example",
    "<script>alert(1)</script>",
    "x" * 30_000,
    "9" * 400,
    "-1",
    "1e999",
    "NaN",
    "²",
    "%s %(x)s {0}",
    "https://a:b@c.example/",
    "http://[",
    "javascript:alert(1)",
    "a@b",
    "2026-02-30",
    "0001-01-01T00:00",
    "9999-12-31T23:59",
    "true",
    "on",
    "\ufeff",
    "e\u0301" * 40,
    "𝒜𝒸𝓂𝑒",
]
VALID_VALUES = [
    "Rocket",
    "acme/rocket",
    "https://acme.example/",
    "new@acme.example",
    "2026-04-14",
    "2099-04-14T10:00",
    "3",
    "a",
]
FORBIDDEN = re.compile(
    r"\b(invalid|illegal)\b|^This field is required|%\((limit_value|show_value|value)\)|!$", re.IGNORECASE
)
SECRETS = ("password", "secret", "code")
texts = st.text(max_size=40).map(lambda text: text.encode("utf-8", "ignore").decode())
values = st.one_of(st.sampled_from(VALID_VALUES), st.sampled_from(HOSTILE_TEXTS), texts)
# failures name the field, so shrinking the example isn't worth its time
PHASES = (Phase.explicit, Phase.reuse, Phase.generate)
quick_settings = settings(max_examples=10, deadline=None, phases=PHASES, suppress_health_check=list(HealthCheck))


def test_every_form_is_in_the_table() -> None:
    assert {form.__qualname__ for form in list_form_classes() - BASES} == {form.__qualname__ for form, _ in FORMS}


def draw_form_data(draw: st.DataObject, names: list[str]) -> QueryDict:
    """Draw a value for each field once, twice, or not at all."""
    post = QueryDict(mutable=True)
    for name in names:
        post.setlist(name, draw.draw(st.lists(values, max_size=2), label=name))
    return post


@pytest.mark.parametrize("case", FORMS, ids=lambda case: "-".join(filter(None, (case[0].__qualname__, case[1]))))
@quick_settings
@given(draw=st.data())
def test_form_accepts_any_input_or_explains_errors(case: Any, alice: Any, draw: st.DataObject) -> None:
    with context.request_context(build_request(alice)):
        build = FORMS[case]
        form_data = draw_form_data(draw, list(build(None, alice).fields))
        form: Any = build(form_data, alice)
        form.is_valid()
        post = [value for _, values in form_data.lists() for value in values]
        errors = [strip_input(str(message), post) for messages in form.errors.values() for message in messages]
        assert [message for message in errors if not message or FORBIDDEN.search(message)] == []
        assert "<script>alert" not in str(form)
    for name, value in getattr(form, "cleaned_data", {}).items():
        assert not isinstance(value, str) or is_storable(form.fields[name], value, name), (name, value)


def strip_input(message: str, post: list[str]) -> str:
    """Replace the user's input in a message, so that only the form's own words are left."""
    return next((message.replace(each, "…") for each in post if each and each in message), message)


def is_storable(field: forms.Field, text: str, name: str) -> bool:
    """Return whether the database accepts the text, it has no invisible characters, and it is not too long."""
    longest = getattr(field, "max_length", None)
    unseen = {char for char in text if unicodedata.category(char) in ("Cc", "Cs") and char != "\n"}
    is_secret = any(word in name for word in SECRETS)
    return "\x00" not in text and (is_secret or not unseen) and (longest is None or len(text) <= longest)


# page: user who submits it
PAGES = {
    "account_login": None,
    "account_signup": None,
    "account_reset_password": None,
    "accounts:email_addresses": "alice",
    "account_change_password": "alice",
    "account_reauthenticate": "alice",
    "partners:create": "charlie",
    "partners:edit": "alice",
    "partners:invite": "alice",
    "accounts:profile": "alice",
    "reviews:profile": "rita",
}
FIELDS = [
    "login",
    "password",
    "remember",
    "name",
    "email",
    "password1",
    "oldpassword",
    "action_add",
    "website",
    "anyway",
    "role",
    "zone",
    "programs",
    "max_open_reviews",
    "away_from",
    "away_until",
    "next",
]


@pytest.mark.parametrize("page", PAGES)
@quick_settings
@given(draw=st.data())
def test_page_accepts_any_input(page: str, alice: Any, charlie: Any, rita: Any, draw: st.DataObject) -> None:
    users = {"alice": alice, "charlie": charlie, "rita": rita}
    slug = ["acme"] if page in ("partners:edit", "partners:invite") else []
    post = draw_form_data(draw, FIELDS)
    code, text = send_request(
        create_client(users.get(PAGES[page] or "nobody")), reverse(page, args=slug), dict(post.lists())
    )
    assert code.rstrip("+") in ("in", "200", "302", "403", "422", "429"), code
    assert "<script>alert(1)" not in text
