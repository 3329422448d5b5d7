"""Tests of the integration page: people, dates, and the number of queries."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from integrations.partners.models import Membership
from integrations.submissions.models import Integration
from integrations.submissions.services import findings
from integrations.submissions.services.transitions import perform_transition
from tests.conftest import NOW, advance_to_stage, create_integration, create_user, fulfill_requirements
from tests.integrations.page_text import get_text
from verification.checks.facts import GITHUB, Fact
from verification.checks.services.facts import store_facts

DAY = timedelta(days=1)
MAX_QUERIES = {"alice": 12, "rita": 13}  # besides those for the session and the user; reviewers: also conflicts


def get_page(client: Any, integration: Integration) -> Any:
    return client.get(reverse("submissions:detail", args=[integration.uuid]))


def list_dates(page: Any) -> list[tuple[str, Any, str]]:
    dates: list[tuple[str, Any, str]] = page.context["dates"]
    return dates


def test_people_are_the_reviewer_the_contact_and_acting_members(
    acme: Any, alice: Any, bob: Any, rita: Any, sam: Any, sign_in: Any
) -> None:
    acme.alliances_manager = sam
    acme.save()
    viewer = create_user("vic@acme.example", "Vic Vega")
    former = create_user("fay@acme.example", "Fay Fox")
    Membership.objects.create(partner=acme, user=viewer, role="viewer", joined_at=NOW)
    Membership.objects.create(partner=acme, user=former, role="editor", joined_at=NOW, ended_at=NOW)
    rocket = advance_to_stage(create_integration(acme, alice), "review", partner=alice, reviewer=rita)
    Integration.objects.filter(pk=rocket.pk).update(reviewer=rita)
    page = get_page(sign_in(alice), rocket)
    panel = page.text.partition('id="people"')[2].partition("</section>")[0]
    emails = ("rita@program", "sam@program", "alice@acme", "bob@acme", "vic@acme", "fay@acme")
    assert [panel.count(f"mailto:{email}.example") for email in emails] == [1, 1, 1, 1, 0, 0]
    assert [(each.user, each.role_label) for each in page.context["members"]] == [(alice, "Owner"), (bob, "Editor")]


def test_new_integration_was_created_and_has_a_next_date(acme: Any, alice: Any, sign_in: Any) -> None:
    rocket = create_integration(acme, alice)
    Integration.objects.filter(pk=rocket.pk).update(action_due_at=NOW + DAY)
    dates = list_dates(get_page(sign_in(alice), rocket))
    assert dates == [("Created", NOW, ""), ("Next due", NOW + DAY, rocket.next_action_label)]


def test_dates_follow_the_path_to_support(acme: Any, alice: Any, rita: Any, sign_in: Any) -> None:
    rocket = advance_to_stage(create_integration(acme, alice), "support", partner=alice, reviewer=rita)
    assert list_dates(get_page(sign_in(alice), rocket)) == [
        ("Created", NOW, ""),
        ("Review requested", NOW, "Round 1"),
        ("Decided", NOW, "Rita Reyes approved the integration"),
        ("Released, in support since", NOW + timedelta(minutes=11), ""),
    ]


def test_older_decision_is_still_dated(acme: Any, alice: Any, rita: Any, sign_in: Any) -> None:
    rocket = advance_to_stage(create_integration(acme, alice), "support", partner=alice, reviewer=rita)
    for number in range(13):
        findings.post_message(rocket, f"Message {number}", actor=alice, now=NOW + DAY)
    page = get_page(sign_in(alice), rocket)
    assert [event.note for event in page.context["recent_events"]] == [f"Message {n}" for n in range(12, 0, -1)]
    assert list_dates(page)[2] == ("Decided", NOW, "Rita Reyes approved the integration")


def test_undone_decision_has_no_date(acme: Any, alice: Any, rita: Any, sign_in: Any) -> None:
    rocket = advance_to_stage(create_integration(acme, alice), "release", partner=alice, reviewer=rita)
    perform_transition(rocket, "undo_decision", actor=rita, now=NOW + timedelta(minutes=1))
    assert [label for label, *_ in list_dates(get_page(sign_in(alice), rocket))] == [
        "Created",
        "Review requested",
        "Next due",
    ]


def test_undo_of_another_decision_keeps_the_date_of_the_review(acme: Any, alice: Any, rita: Any, sign_in: Any) -> None:
    rocket = advance_to_stage(create_integration(acme, alice), "release", partner=alice, reviewer=rita)
    perform_transition(rocket, "withdraw", actor=alice, now=NOW + DAY)
    perform_transition(rocket, "undo_decision", actor=alice, now=NOW + DAY + timedelta(minutes=1))
    assert list_dates(get_page(sign_in(alice), rocket))[2] == ("Decided", NOW, "Rita Reyes approved the integration")


@pytest.mark.any_database
@pytest.mark.parametrize(
    ("stage", "ending", "states"),
    [
        ("develop", "withdraw", [*["done"] * 2, "ended", *["next"] * 3]),
        ("review", "decline", [*["done"] * 3, "ended", "next", "next"]),
        ("support", "archive", ["done"] * 6),
    ],
)
def test_path_shows_where_an_integration_ended(
    acme: Any, alice: Any, rita: Any, sign_in: Any, stage: str, ending: str, states: list[str]
) -> None:
    rocket = advance_to_stage(create_integration(acme, alice), stage, partner=alice, reviewer=rita)
    perform_transition(rocket, ending, actor=rita if ending == "decline" else alice, note="No time.", now=NOW + DAY)
    page = get_page(sign_in(alice), rocket)
    assert [step["state"] for step in page.context["path"]] == states


def test_open_requirement_that_does_not_block_is_marked_as_optional(acme: Any, alice: Any, sign_in: Any) -> None:
    text = get_text(get_page(sign_in(alice), create_integration(acme, alice)))
    assert re.search(r"\(MNDA\), if needed .{0,20} · optional", text), text
    assert re.search("Plan for continued support .{0,20}you (?!· optional)", text)


def test_check_that_runs_is_waited_for(acme: Any, alice: Any, sign_in: Any) -> None:
    rocket = create_integration(acme, alice)
    values = {
        "responsible_party": "portal",
        "next_action_code": "run_check",
        "next_action_params": {"title": "Code checks"},
        "next_action_target": "requirement:NO-CODE-CHECK",
    }
    Integration.objects.filter(pk=rocket.pk).update(**values)
    assert "Waiting for the portal: Run check “Code checks”" in get_text(get_page(sign_in(alice), rocket))


def test_each_event_has_one_anchor(acme: Any, alice: Any, sign_in: Any) -> None:
    rocket = create_integration(acme, alice)
    requirement = rocket.edition.list_requirements()[0]
    fulfill_requirements(rocket, alice, NOW)
    page = sign_in(alice).get(reverse("submissions:requirement", args=[rocket.uuid, requirement.id])).text
    anchors = re.findall(r'id="(event-\d+)"', page)
    assert "History of this requirement" in page
    assert len(anchors) == len(set(anchors)) > 0


def test_only_who_can_write_is_offered_the_message_form(
    acme: Any, alice: Any, bob: Any, rita: Any, sign_in: Any
) -> None:
    rocket = create_integration(acme, alice)
    bob.memberships.update(role="viewer")
    auditor = create_user("audrey@program.example", "Audrey Ames", is_auditor=True)
    address = reverse("reviews:post_message", args=[rocket.uuid])
    offers = [address in get_page(sign_in(user), rocket).text for user in (alice, rita, bob, auditor)]
    assert offers == [True, True, False, False]


def test_program_staff_who_belong_to_the_company_write_to_the_program(acme: Any, alice: Any, sign_in: Any) -> None:
    rocket = create_integration(acme, alice)
    alice.is_reviewer = True
    alice.save()
    client = sign_in(alice)
    text = get_text(get_page(client, rocket))
    address = reverse("reviews:post_message", args=[rocket.uuid])
    page_after = client.post(address, {"body": "Hello."})["Location"]
    assert ("Message to the program" in text, "Review page" in text, page_after) == (
        True,
        False,
        f"/integrations/{rocket.uuid}/#thread",
    )


@pytest.mark.parametrize("stage", ["engage", "review", "support"])
@pytest.mark.parametrize("reader", ["alice", "rita"])
def test_page_needs_few_queries(
    acme: Any, alice: Any, bob: Any, rita: Any, rob: Any, sign_in: Any, stage: str, reader: str
) -> None:
    rocket = create_integration(acme, alice, "terraform-provider")
    if stage != "engage":
        rocket = advance_to_stage(rocket, stage, partner=alice, reviewer=rita)
    store_facts(rocket, [Fact("license", "MIT", GITHUB), Fact("language", "Go", GITHUB)], NOW)
    client = sign_in({"alice": alice, "rita": rita}[reader])
    get_page(client, rocket)
    with CaptureQueriesContext(
        connection,
    ) as queries:
        get_page(client, rocket)
    others = [query for query in queries if "django_session" not in query["sql"]]
    assert len(others) - 1 <= MAX_QUERIES[reader]
