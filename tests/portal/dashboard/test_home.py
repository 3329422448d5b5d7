"""Tests of the partner's home page: all their integrations, those that wait for them first."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from integrations.partners.models import Membership
from integrations.sla.support_status import list_support_statuses
from integrations.submissions.models import Integration
from integrations.submissions.selectors import context as facts
from integrations.submissions.services import drafts, introductions
from portal.dashboard import views
from tests.conftest import NOW, advance_to_stage, create_integration, create_user
from tests.integrations.page_text import get_text
from tests.integrations.sla.monitored_repository import create_listed_integration
from tests.integrations.sla.rows import create_clock_row, create_issue_row, create_repository_row
from tests.portal.api.client import create_api_client

pytestmark = pytest.mark.any_database


def list_blocks(page: Any) -> list[tuple[str, list[str]]]:
    return [(heading, [row.name for row in rows]) for _, heading, rows in page.context["blocks"]]


def test_integrations_that_wait_for_the_reader_come_first(acme: Any, alice: Any, rita: Any, sign_in: Any) -> None:
    create_integration(acme, alice, name="Listed", repository="acme/a", repository_id=1)
    advance_to_stage(Integration.objects.get(name="Listed"), "support", partner=alice, reviewer=rita)
    in_review = create_integration(acme, alice, name="In review", repository="acme/b", repository_id=2)
    advance_to_stage(in_review, "review", partner=alice, reviewer=rita)
    create_integration(acme, alice, name="Begun", repository="acme/c", repository_id=3)
    assert list_blocks(sign_in(alice).get("/")) == [
        ("Action required", ["Begun"]),
        ("Waiting for others", ["In review"]),
        ("Supported", ["Listed"]),
    ]


@pytest.mark.parametrize(("days", "expected"), [(13, "expected by"), (15, "was expected by")])
def test_waiting_row_has_party_start_and_due_date(
    integration_at: Any, alice: Any, rita: Any, sign_in: Any, days: int, expected: str, time_machine: Any
) -> None:
    time_machine.move_to(NOW + timedelta(days=days), tick=False)
    row = integration_at("review", name="In review")
    due = f"{expected.capitalize()} Tue, Apr 28, 9:00 AM UTC"
    line = f"Waiting for %s: Review round 1 Since Tue, Apr 14, 9:00 AM UTC {due}"
    assert line % "the program" in get_text(sign_in(alice).get("/"))
    Integration.objects.filter(pk=row.pk).update(reviewer=rita)
    assert line % "Rita Reyes" in get_text(sign_in(alice).get("/"))
    page = get_text(sign_in(alice).get(f"/integrations/{row.uuid}/"))
    assert f"Waiting for Rita Reyes: Review round 1 Since Tue, Apr 14, 9:00 AM UTC ; {expected} Tue, Apr 28" in page
    action = create_api_client(alice).get(f"/integrations/{row.uuid}").json()["next_action"]
    assert (action["waiting_for"], action["due_at"]) == ("Rita Reyes", "2026-04-28T09:00:00Z")


def test_supported_row_shows_its_sla_status(
    acme: Any, alice: Any, sign_in: Any, django_assert_num_queries: Any
) -> None:
    states = {"Late": "overdue", "Close": "running", "Good": "", "Bare": None}
    rows = [create_listed_integration(acme, name) for name in states]
    Integration.objects.update(responsible_party="portal", next_action_code="none_monitored")
    for row, state in zip(rows, states.values(), strict=True):
        if state is None:
            continue
        monitored_repository = create_repository_row(row, NOW)
        for number in range(2 if state else 0):
            create_clock_row(
                create_issue_row(monitored_repository, 10 * row.pk + number, NOW - timedelta(days=9)), NOW, state=state
            )
    monitored = list(Integration.objects.all())
    with django_assert_num_queries(2):
        statuses = list_support_statuses(monitored, NOW)
    labels = ["2 issues overdue", "2 issues at risk", "On time", "Not monitored"]
    assert [statuses[row.pk].label for row in rows] == labels
    client = sign_in(alice)
    home = client.get("/")
    all_integrations = client.get("/integrations/")
    assert [heading for heading, _ in list_blocks(home)] == ["Supported"]
    assert [label in get_text(home) for label in labels] == [True] * 4
    on_time = "No action needed. We monitor this integration."
    expected = [*labels[:2], on_time, labels[3]]
    assert [label in get_text(all_integrations) for label in expected] == [True] * 4


def test_home_needs_no_more_queries_for_more_rows(
    acme: Any, alice: Any, sign_in: Any, django_assert_max_num_queries: Any
) -> None:
    create_repository_row(create_listed_integration(acme, "First"), NOW)
    Integration.objects.update(responsible_party="portal", next_action_code="none_monitored")
    client = sign_in(alice)
    client.get("/")
    with CaptureQueriesContext(connection) as few:
        client.get("/")
    for number in range(5):
        create_repository_row(create_listed_integration(acme, f"More {number}"), NOW)
    Integration.objects.update(responsible_party="portal", next_action_code="none_monitored")
    with django_assert_max_num_queries(len(few)):
        client.get("/")


def test_viewer_sees_that_the_partner_must_act(acme: Any, alice: Any, sign_in: Any, now: Any) -> None:
    vera = create_user("vera@acme.example", "Vera Voss")
    Membership.objects.create(partner=acme, user=vera, role="viewer", joined_at=now)
    row = create_integration(acme, alice, name="Begun")
    home = sign_in(vera).get("/")
    page = sign_in(vera).get(f"/integrations/{row.uuid}/")
    assert list_blocks(home) == [("Action required from your company", ["Begun"])]
    assert (" · you" in page.text, " · the partner" in page.text) == (False, True)
    assert " · you" in sign_in(alice).get(f"/integrations/{row.uuid}/").text


def test_integrations_that_the_reader_can_edit_come_first(
    acme: Any, globex: Any, alice: Any, charlie: Any, sign_in: Any, now: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    Membership.objects.create(partner=globex, user=alice, role="viewer", joined_at=now)
    create_integration(
        globex, charlie, name="Theirs", now=now - timedelta(days=1), repository="globex/rocket", repository_id=2
    )
    create_integration(acme, alice, name="Mine", now=now)
    monkeypatch.setattr(views, "PAGE_SIZE", 1)
    pages = [sign_in(alice).get(f"/?page={number}") for number in (1, 2)]
    blocks = [("Action required", ["Mine"]), ("Action required from your company", ["Theirs"])]
    assert [list_blocks(page) for page in pages] == [blocks[:1], blocks[1:]]
    assert [name in page.text for page, name in zip(pages, ("Acme", "Globex"), strict=True)] == [True, True]


def test_any_of_group_counts_only_the_required_number(integration_at: Any, sign_in: Any, alice: Any) -> None:
    row = integration_at("review")  # a demonstration, or the logs of the tests
    page = sign_in(alice).get(f"/integrations/{row.uuid}/").text
    assert page.count("One of these is required.") == 2
    assert row.requirement_counts["left"] == len(facts.list_missing_next(row, NOW)) - 1


def test_introduction_that_waits_for_the_reader_is_listed(
    acme: Any, globex: Any, alice: Any, charlie: Any, sign_in: Any, now: Any
) -> None:
    mine = create_integration(acme, alice, name="Mine")
    theirs = create_integration(globex, charlie, name="Theirs", repository="globex/rocket", repository_id=2)
    introduction = introductions.request_introduction(theirs, mine, "We build one too.", actor=charlie, now=now)
    page = sign_in(alice).get("/").text
    assert ("We build one too." in page, "Globex" in page) == (True, False)
    assert f"/introductions/{introduction.pk}/" not in sign_in(charlie).get("/").text
    introductions.accept_introduction(introduction, actor=alice, now=now)
    assert "We build one too." not in sign_in(alice).get("/").text


def test_long_lists_have_pages(acme: Any, alice: Any, sign_in: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "PAGE_SIZE", 2)
    for number in range(5):
        create_integration(acme, alice, name=f"Rocket {number}", repository=f"acme/r{number}", repository_id=number)
    client = sign_in(alice)
    pages = [client.get(f"/?page={number}") for number in (1, 2, 3)]
    names = [name for page in pages for _, rows in list_blocks(page) for name in rows]
    assert sorted(names) == [f"Rocket {number}" for number in range(5)]
    assert "page=2" in pages[0].text


def test_drafts_are_paged_too(acme: Any, alice: Any, sign_in: Any, now: Any) -> None:
    for number in range(views.DRAFTS_PAGE_SIZE + 1):
        draft = drafts.create_draft(acme, "nomad", actor=alice, now=now)
        drafts.save_draft(draft, {"name": f"Draft {number}"}, version=0, actor=alice, now=now)
    client = sign_in(alice)
    assert [len(client.get(f"/?drafts={page}").context["drafts"]) for page in (1, 2)] == [views.DRAFTS_PAGE_SIZE, 1]


def test_empty_home_explains_how_to_begin(acme: Any, alice: Any, sign_in: Any) -> None:
    assert "New integration" in sign_in(alice).get("/").text


def test_integrations_that_are_no_longer_listed_are_not_among_the_supported(
    acme: Any, alice: Any, sign_in: Any
) -> None:
    states = {
        "Listed": ("listed", "none_monitored"),
        "Community": ("unlisted", "none_unlisted"),
        "Delisted": ("delisted", "none_delisted"),
    }
    for name, (status, code) in states.items():
        row = create_listed_integration(acme, name)
        Integration.objects.filter(pk=row.pk).update(
            responsible_party="portal", listing_status=status, next_action_code=code
        )
    home = sign_in(alice).get("/")
    assert list_blocks(home) == [("Supported", ["Listed"]), ("No longer listed", ["Delisted", "Community"])]
    assert "No action needed. The support commitment has ended." in get_text(home)


@pytest.mark.parametrize(("code", "has_since"), [("none_monitored", True), ("run_check", False)])
def test_checks_of_a_supported_integration_do_not_run_since_its_listing(
    acme: Any, alice: Any, sign_in: Any, code: str, has_since: bool
) -> None:
    row = create_listed_integration(acme)
    Integration.objects.update(
        responsible_party="portal",
        responsible_since=NOW,
        next_action_code=code,
        next_action_params={"title": "License"},
    )
    client = sign_in(alice)
    pages = [get_text(client.get(path)) for path in ("/", f"/integrations/{row.uuid}/")]
    began_at = create_api_client(alice).get(f"/integrations/{row.uuid}").json()["next_action"]["began_at"]
    assert ["Since" in page for page in pages] == [has_since, has_since]
    assert (began_at is not None) == has_since
