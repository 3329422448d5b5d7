"""Tests that the page for new partners shows each user's next step and stores nothing."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from integrations.programs.registry import PROGRAMS
from integrations.submissions.services import drafts
from portal.help.getting_started import PreparationList, build_preparation_list
from tests.conftest import create_user

pytestmark = pytest.mark.any_database


def get_next_step(client: Client) -> tuple[str, str]:
    page = client.get("/help/getting-started/").context
    return page["text"], page["href"]


def test_visitor_is_directed_to_the_program_chooser_and_nothing_is_stored(client: Client, db: None) -> None:
    assert get_next_step(client) == ("Find your program. You don't need an account.", "/programs/choose/")
    assert client.get("/help/getting-started/").cookies.output() == ""


def test_user_without_a_partner_is_directed_to_one(sign_in: Any, db: None) -> None:
    assert get_next_step(sign_in(create_user("new@new.example", "New")))[1] == "/company/new/"


def test_partner_is_directed_to_the_action_then_the_draft_then_the_start(
    sign_in: Any, alice: Any, acme: Any, rocket: Any, charlie: Any, globex: Any
) -> None:
    rocket.refresh_from_db()
    assert get_next_step(sign_in(alice)) == (f"Rocket: {rocket.next_action_label}.", f"/integrations/{rocket.uuid}/")
    assert get_next_step(sign_in(charlie))[1] == "/new/"
    draft = drafts.create_draft(globex, "vault", actor=charlie, now=timezone.now())
    drafts.save_draft(draft, {"name": "Scan"}, version=0, actor=charlie, now=timezone.now())
    assert get_next_step(sign_in(charlie)) == ("Continue your draft “Scan”.", f"/drafts/{draft.uuid}/")


def test_viewer_is_not_directed_to_what_only_editors_can_do(sign_in: Any, alice: Any, acme: Any, rocket: Any) -> None:
    draft = drafts.create_draft(acme, "vault", actor=alice, now=timezone.now())
    drafts.save_draft(draft, {"name": "Scan"}, version=0, actor=alice, now=timezone.now())
    alice.memberships.update(role="viewer")
    assert get_next_step(sign_in(alice))[1] == "/new/"


@pytest.mark.parametrize("key", PROGRAMS)
def test_preparation_list_matches_the_requirements_of_the_program(key: str) -> None:
    preparation_list = build_preparation_list(PROGRAMS[key])
    requirement_titles = {each.title for each in PROGRAMS[key].default_edition.list_requirements()}
    assert preparation_list.needs
    assert {need.title for need, _ in preparation_list.needs} <= requirement_titles
    assert preparation_list.minutes == sum(minutes for need, minutes in preparation_list.needs if not need.optional)
    assert all(minutes for _, minutes in preparation_list.needs)


@pytest.mark.parametrize(
    ("minutes", "words"),
    [
        (20, "about ½ hour"),
        (60, "about 1 hour"),
        (61, "about 1½ hours"),
        (120, "about 2 hours"),
        (130, "about 2½ hours"),
    ],
)
def test_hours_are_rounded_up_to_the_half_hour(minutes: int, words: str) -> None:
    assert PreparationList(PROGRAMS["nomad"], (), 0, minutes, 10).hours == words
