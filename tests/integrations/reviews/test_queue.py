"""Tests of the review queue: order, filters, assignment, and cost."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from integrations.partners.models import ConflictOfInterest, Partner
from integrations.reviews.selectors import queue, queue_items
from integrations.reviews.services import claims
from integrations.submissions.models import Integration
from integrations.submissions.services import findings
from integrations.submissions.services.transitions import perform_transition
from portal.accounts.models import User
from portal.core.errors import ActionRefused
from tests.integrations.page_text import parse
from tests.integrations.reviews.conftest import create_integration_in_review
from tests.integrations.reviews.queue_page import get_figures, get_row_text, list_names

pytestmark = pytest.mark.any_database

SignIn = Any


@pytest.mark.every_database
def test_queue_is_ordered_by_due_date(three_reviews: None, rita: User, sign_in: SignIn) -> None:
    assert list_names(sign_in(rita).get("/queue/")) == ["Scan", "Rocket", "Vaulted"]


def test_row_shows_position_reasons_checks_and_reviewer(three_reviews: None, rita: User, sign_in: SignIn) -> None:
    row_text = get_row_text(sign_in(rita).get("/queue/"), "Rocket")
    assert row_text.startswith("Not viewed yet Rocket Acme new review Review Nomad")
    assert "Review · new" in row_text
    assert "Unclaimed Claim review Rocket" in row_text


def test_row_counts_checks_by_outcome_worst_first(three_reviews: None, rita: User, sign_in: SignIn) -> None:
    counts = {"pass": 5, "open": 3, "expired": 1, "warn": 2}
    Integration.objects.filter(name="Rocket").update(requirement_counts=counts)
    row = parse(sign_in(rita).get("/queue/")).find("a", string="Rocket").find_parent("tr")
    assert [part["title"] for part in row.select(".tally > span")] == ["1 stale", "2 warning", "5 passed"]


def test_viewed_row_has_no_mark_and_counts_changes(
    three_reviews: None, alice: User, rita: User, sign_in: SignIn, frozen_now: datetime
) -> None:
    rocket = Integration.objects.get(name="Rocket")
    findings.update_read_marker(rocket, actor=rita, now=frozen_now)
    client = sign_in(rita)
    assert get_row_text(client.get("/queue/"), "Rocket").startswith("Rocket Acme new review")
    findings.post_message(rocket, "Done.", actor=alice, now=frozen_now)
    assert get_row_text(client.get("/queue/"), "Rocket").startswith("Rocket Acme · 1 change new review")


@pytest.mark.every_database
def test_filter_shows_integrations_waiting_for_partner(
    three_reviews: None, rocket: Integration, rita: User, sign_in: SignIn
) -> None:
    client = sign_in(rita)
    assert list_names(client.get("/queue/?responsible_party=partner")) == ["Rocket"]
    assert len(list_names(client.get("/queue/?responsible_party=any"))) == 4


@pytest.mark.every_database
def test_summary_counts_due_open_and_longest_wait(
    three_reviews: None, rita: User, sign_in: SignIn, frozen_now: datetime, time_machine: Any
) -> None:
    assert get_figures(sign_in(rita).get("/queue/")) == "0 overdue · 0 due today · 3 open · longest wait 6 d"
    due = Integration.objects.get(name="Scan").action_due_at
    assert due is not None
    time_machine.move_to(due - timedelta(minutes=1), tick=False)
    assert get_figures(sign_in(rita).get("/queue/")).startswith("0 overdue · 1 due today · 3 open · ")
    time_machine.move_to(due + timedelta(minutes=1), tick=False)
    assert get_figures(sign_in(rita).get("/queue/")).startswith("1 overdue · 0 due today · 3 open · ")


def test_empty_queue_shows_a_message(rita: User, sign_in: SignIn) -> None:
    assert "No items waiting" in sign_in(rita).get("/queue/").content.decode()


@pytest.mark.every_database
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("program=vault", ["Vaulted"]),
        ("stage=review", ["Scan", "Rocket", "Vaulted"]),
        ("stage=release", []),
        ("age=3", ["Scan", "Rocket"]),
        ("age=7", []),
        ("program=nomad&age=1&tab=free", ["Scan", "Rocket"]),
        ("tab=mine", []),
    ],
)
def test_filters_appear_in_the_address(
    three_reviews: None, rita: User, sign_in: SignIn, query: str, expected: list[str]
) -> None:
    assert list_names(sign_in(rita).get(f"/queue/?{query}")) == expected


@pytest.mark.every_database
def test_category_is_a_filter(
    three_reviews: None, acme: Partner, alice: User, rita: User, sign_in: SignIn, frozen_now: datetime
) -> None:
    row = Integration.objects.get(name="Rocket")
    category = row.edition.categories[0].key
    create_integration_in_review(acme, alice, rita, frozen_now, name="Sorted", category=category)
    assert list_names(sign_in(rita).get(f"/queue/?category={category}")) == ["Sorted"]


def test_unknown_filter_value_is_reported_and_ignored(three_reviews: None, rita: User, sign_in: SignIn) -> None:
    response = sign_in(rita).get("/queue/?program=zzz&stage=review&age=nine&tab=none&page=-7")
    assert response.status_code == 200
    assert response.content.decode().count("Unknown filter value. The list shows all results.") == 2
    assert len(list_names(response)) == 3


@pytest.mark.every_database
def test_tabs_split_all_mine_and_unclaimed(
    three_reviews: None, rita: User, rob: User, sign_in: SignIn, frozen_now: datetime
) -> None:
    claims.claim_review(Integration.objects.get(name="Scan"), actor=rita, now=frozen_now)
    claims.claim_review(Integration.objects.get(name="Rocket"), actor=rob, now=frozen_now)
    client = sign_in(rita)
    assert list_names(client.get("/queue/?tab=mine")) == ["Scan"]
    assert list_names(client.get("/queue/?tab=free")) == ["Vaulted"]
    assert list_names(client.get("/queue/?tab=all")) == ["Scan", "Rocket", "Vaulted"]


@pytest.mark.every_database
@pytest.mark.parametrize("fields", [{"is_active": False}, {"is_reviewer": False}])
def test_reviews_of_former_reviewers_are_unclaimed(
    three_reviews: None, rita: User, rob: User, sign_in: SignIn, frozen_now: datetime, fields: dict[str, bool]
) -> None:
    rocket, scan, vaulted = Integration.objects.order_by("name")
    for row in (scan, rocket):
        claims.assign_reviewer(row, rob, actor=rita, now=frozen_now)
    assert list_names(sign_in(rita).get("/queue/?tab=free")) == ["Vaulted"]
    User.objects.filter(pk=rob.pk).update(**fields)
    assert queue.find_next_review(vaulted, rita, frozen_now) == scan.uuid
    assert list_names(sign_in(rita).get("/queue/?tab=free")) == ["Scan", "Rocket", "Vaulted"]
    assert b"Assigned to" not in sign_in(rita).get("/queue/?tab=free").content


@pytest.mark.every_database
def test_reviews_of_a_program_that_the_reviewer_lost_are_unclaimed(
    three_reviews: None, rita: User, rob: User, sign_in: SignIn, frozen_now: datetime
) -> None:
    _rocket, scan, vaulted = Integration.objects.order_by("name")
    for row in (scan, vaulted):
        claims.assign_reviewer(row, rob, actor=rita, now=frozen_now)
    User.objects.filter(pk=rob.pk).update(program_roles=["manager:nomad", "reviewer:vault"])
    client = sign_in(rita)
    assert list_names(client.get("/queue/?tab=free")) == ["Scan", "Rocket"]
    assert "Assigned to Rob Roth" not in client.get("/queue/?tab=free").text
    assert "Assigned to Rob Roth" in client.get("/queue/?program=vault").text
    assert list_names(sign_in(rob).get("/queue/?tab=mine")) == ["Vaulted"]


def test_claim_of_a_former_reviewer_binds_no_one(
    integration_at: Any, rita: User, rob: User, frozen_now: datetime
) -> None:
    rocket = claims.claim_review(integration_at("review"), actor=rob, now=frozen_now)
    with pytest.raises(ActionRefused):
        claims.claim_review(rocket, actor=rita, now=frozen_now)
    User.objects.filter(pk=rob.pk).update(is_reviewer=False)
    assert claims.claim_review(rocket, actor=rita, now=frozen_now).reviewer == rita


def test_htmx_gets_only_the_same_results(three_reviews: None, rita: User, sign_in: SignIn) -> None:
    client = sign_in(rita)
    fragment = client.get("/queue/?program=nomad", headers={"HX-Request": "true"})
    assert list_names(fragment) == list_names(client.get("/queue/?program=nomad")) == ["Scan", "Rocket"]
    assert "<html" not in fragment.content.decode()
    assert "HX-Request" in fragment["Vary"]


def test_assigning_names_the_reviewer(three_reviews: None, rita: User, rob: User, sign_in: SignIn) -> None:
    row = Integration.objects.get(name="Scan")
    sign_in(rita).post(f"/integrations/{row.uuid}/assign/", {"reviewer": rob.pk})
    assert Integration.objects.get(pk=row.pk).reviewer == rob


@pytest.mark.parametrize("reviewer_id", ["", "x", "9" * 40, "-1"])
def test_assigning_no_one_is_reported(three_reviews: None, rita: User, sign_in: SignIn, reviewer_id: str) -> None:
    row = Integration.objects.get(name="Scan")
    response = sign_in(rita).post(f"/integrations/{row.uuid}/assign/", {"reviewer": reviewer_id}, follow=True)
    assert "Select a reviewer." in response.content.decode()


def test_assigning_a_non_reviewer_is_not_found(three_reviews: None, rita: User, alice: User, sign_in: SignIn) -> None:
    row = Integration.objects.get(name="Scan")
    assert sign_in(rita).post(f"/integrations/{row.uuid}/assign/", {"reviewer": alice.pk}).status_code == 404


def create_rows(partner: Partner, count: int, now: datetime) -> None:
    """Insert rows directly, because a long queue takes long to create."""
    pattern = build_fields(partner, now)
    Integration.objects.bulk_create(
        Integration(**pattern, name=f"I{n}", name_key=f"i{n}", action_due_at=now + timedelta(hours=n))
        for n in range(count)
    )


def build_fields(partner: Partner, now: datetime) -> dict[str, Any]:
    return {
        "partner": partner,
        "program_key": "nomad",
        "edition_date": "2021-04",
        "stage": "review",
        "step": "review",
        "review_state": "waiting",
        "review_round": 1,
        "responsible_party": "program",
        "next_action_code": "review",
        "next_action_params": {"round": 1},
        "next_action_target": "review",
        "responsible_since": now,
        "reasons": [{"code": "new_review", "params": {}}],
        "requirement_counts": {"pass": 3},
        "created_at": now,
    }


@pytest.mark.parametrize("count", [50, 500])
def test_queue_takes_as_many_queries_for_many_rows_as_for_few(
    acme: Partner, rita: User, sign_in: SignIn, frozen_now: datetime, count: int, django_assert_num_queries: Any
) -> None:
    create_rows(acme, count, frozen_now)
    client = sign_in(rita)
    # session, person, saved views, last event, conflicts, figures, rows, unread emails, reviewers
    with django_assert_num_queries(9):
        assert len(list_names(client.get("/queue/"))) == 50
    with django_assert_num_queries(7):  # the fragment reads the last event once, for its tag and its figures
        client.get("/queue/", headers={"HX-Request": "true"})


@pytest.mark.every_database
def test_figures_of_many_rows_are_cached_until_the_next_event(
    acme: Partner, rita: User, rob: User, frozen_now: datetime, django_assert_num_queries: Any
) -> None:
    create_rows(acme, 501, frozen_now)
    summary = queue_items.summarize_queue({}, rita, frozen_now)
    with django_assert_num_queries(1):  # the last event
        assert queue_items.summarize_queue({}, rita, frozen_now) == summary
    claims.claim_review(Integration.objects.all()[0], actor=rita, now=frozen_now)
    changed = queue_items.summarize_queue({}, rita, frozen_now)
    assert (summary.count("", "mine"), changed.count("", "mine")) == (0, 1)
    assert queue_items.summarize_queue({}, rob, frozen_now).count("", "mine") == 0


@pytest.mark.every_database
def test_pages_continue_the_list(acme: Partner, rita: User, sign_in: SignIn, frozen_now: datetime) -> None:
    create_rows(acme, 120, frozen_now)
    client = sign_in(rita)
    assert list_names(client.get("/queue/?page=2")) == [f"I{n}" for n in range(50, 100)]
    assert list_names(client.get("/queue/?page=99")) == [f"I{n}" for n in range(100, 120)]
    assert list_names(client.get("/queue/?page=zero"))[0] == "I0"


@pytest.mark.every_database
def test_figures_agree_with_the_rows(three_reviews: None, rita: User, rob: User, frozen_now: datetime) -> None:
    claims.claim_review(Integration.objects.get(name="Scan"), actor=rita, now=frozen_now)
    summary = queue_items.summarize_queue({}, rita, frozen_now)
    counts_by_tab = {tab: summary.count("", tab) for tab in queue.TAB_LABELS}
    lengths = {tab: queue_items.list_items(summary, "", tab, rita, frozen_now).count() for tab in queue.TAB_LABELS}
    expected = {"all": 3, "overdue": 0, "today": 0, "mine": 1, "free": 2, "snoozed": 0}
    assert counts_by_tab == lengths == expected


@pytest.mark.every_database
@pytest.mark.parametrize("age", ["", "1"])
@pytest.mark.parametrize("responsible_party", ["", "any", "partner"])
def test_compiled_rows_agree_with_the_rows_of_each_reader(
    three_reviews: None, acme: Partner, rita: User, rob: User, frozen_now: datetime, age: str, responsible_party: str
) -> None:
    claims.claim_review(Integration.objects.get(name="Scan"), actor=rita, now=frozen_now)
    ConflictOfInterest.objects.create(partner=acme, user=rob, kind="marked", recorded_at=frozen_now)
    filters = {"program": "nomad", "age": age, "responsible_party": responsible_party}
    for user in (rita, rob):
        for later in (frozen_now, frozen_now + timedelta(days=2)):
            summary = queue_items.summarize_queue(filters, user, later)
            for number, tab in enumerate(queue.TAB_LABELS):
                # all items in each order, and the other tabs in the default order and two others
                others = queue_items.SORT_ORDERS[1:] if tab == "all" else queue_items.SORT_ORDERS[number::5]
                orders = ("", *others)
                rows = [list(queue_items.list_items(summary, "", tab, user, later, sort)) for sort in orders]
                arguments = (summary, "", tab, user, later)
                pages = [list(queue_items.list_page_items(*arguments, sort, "changes")) for sort in orders]
                assert [[row[:-1] for row in page] for page in pages] == rows
                assert len(rows[0]) == summary.count("", tab)


def test_finished_review_leaves_the_queue(
    three_reviews: None, rita: User, frozen_now: datetime, sign_in: SignIn
) -> None:
    perform_transition(Integration.objects.get(name="Scan"), "decline", actor=rita, note="No.", now=frozen_now)
    assert list_names(sign_in(rita).get("/queue/")) == ["Rocket", "Vaulted"]
