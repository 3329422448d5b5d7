"""Tests of decisions that the authors of earlier ones can't make: guards, pages, queue, and emails agree."""

from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Any

import pytest
from django.utils import timezone

from integrations.compliance import tasks
from integrations.partners.models import Membership, Partner
from integrations.reviews.selectors import queue_items
from integrations.reviews.selectors.queue import find_next_review
from integrations.reviews.services import claims, conflicts
from integrations.sla.models import MonitoredRepository
from integrations.submissions.models import Integration
from integrations.submissions.services.transitions import list_available_transitions
from integrations.submissions.workflow.compliance_guards import (
    SEPARATED_DECISIONS,
    build_exclusion_condition,
    is_excluded_from_decision,
)
from portal.accounts import roles
from portal.accounts.models import User
from portal.core.errors import ActionRefused
from portal.notifications.models import EmailMessage
from tests.conftest import create_user
from tests.integrations.compliance.transitions import DAY, get_refusal, perform_and_reload
from tests.integrations.database_rows import reload_row
from tests.integrations.page_text import get_text, parse

pytestmark = pytest.mark.any_database

SignIn = Callable[[User], Any]
# States with the day on which a decision is pending, its transition, and who can't make it
PENDING_DECISIONS = {
    "on_notice": (31, "suspend", "rita"),
    "appealed": (2, "dismiss_appeal", "rita"),
    "suspended": (91, "delist", "rob"),
    "suspension_appealed": (92, "uphold_appeal", "rita rob"),
    "reinstatement_requested": (33, "dismiss_request", "rob"),
    "return_requested": (93, "dismiss_request", "rita"),
}
# Their earlier states, and what the partner does a day before
REQUESTS = {
    "suspension_appealed": ("suspended", "appeal"),
    "reinstatement_requested": ("suspended", "request_reinstatement"),
    "return_requested": ("delisted", "request_reinstatement"),
}
OTHER_STATES = ("listed", "requested", "deadline_paused", "delisted", "unlisted")


@pytest.fixture
def rae(db: None) -> User:
    """A third reviewer."""
    return create_user("rae@program.example", "Rae Ruiz", is_reviewer=True)


@pytest.fixture
def mae(db: None) -> User:
    """The program manager of the providers."""
    return create_user("mae@program.example", "Mae Mora", program_roles=["manager:terraform-provider"])


@pytest.fixture
def reach(reach_state: Callable[[str], Integration], alice: User, now: datetime, time_machine: Any) -> Any:
    """Take the integration to a state in which a decision is pending, at its time."""

    def reach_pending(name: str) -> Integration:
        earlier, step = REQUESTS.get(name, (name, ""))
        row = reach_state(earlier)
        then = now + DAY * PENDING_DECISIONS[name][0]
        if step:
            perform_and_reload(row, step, alice, then - DAY)
        tasks.advance_cases(then)
        time_machine.move_to(then, tick=False)
        return reload_row(row)

    return reach_pending


def list_excluded(row: Integration, people: dict[str, User]) -> tuple[str, str]:
    """Return whom the pages and the queries of the queue exclude."""
    by_pages = " ".join(name for name, user in people.items() if is_excluded_from_decision(row, user.pk))
    rows = Integration.objects.filter(pk=row.pk)
    return by_pages, " ".join(n for n, user in people.items() if rows.filter(build_exclusion_condition(user)).exists())


@pytest.mark.parametrize("state", PENDING_DECISIONS)
def test_guards_pages_and_queries_exclude_the_same_people(
    reach: Any, rita: User, rob: User, rae: User, alice: User, now: datetime, state: str
) -> None:
    days, transition, excluded = PENDING_DECISIONS[state]
    row = reach(state)
    people = {"rita": rita, "rob": rob, "rae": rae}
    assert row.next_action_code in SEPARATED_DECISIONS
    refused = [
        name
        for name, user in people.items()
        for each in list_available_transitions(reload_row(row), user, now=now + DAY * days)
        if each.name == transition and not each.is_ready
    ]
    assert (" ".join(refused), *list_excluded(row, people | {"alice": alice})) == (excluded, excluded, excluded)


@pytest.mark.parametrize(("state", "refusal"), [("on_notice", "issued the notice"), ("suspended", "suspended the")])
def test_separation_is_named_before_a_data_gap(
    reach: Any, rita: User, rob: User, now: datetime, state: str, refusal: str
) -> None:
    _, transition, excluded = PENDING_DECISIONS[state]
    row = reach(state)
    MonitoredRepository.objects.update(data_up_to=now)
    transitions = list_available_transitions(row, {"rita": rita, "rob": rob}[excluded], now=timezone.now())
    (blockers,) = (each.blockers for each in transitions if each.name == transition)
    assert [(refusal in text, "Our issue data ends" in text) for text in blockers] == [(True, False), (False, True)]


def test_author_can_reinstate_only_without_a_request(reach: Any, rita: User, rob: User, now: datetime) -> None:
    row = reach("reinstatement_requested")
    then = timezone.now()
    assert get_refusal(row, "reinstate", rob, then).startswith("Rob Roth suspended or delisted the integration.")
    row = perform_and_reload(row, "dismiss_request", rita, then)
    assert row.listing_status == "suspended"
    assert perform_and_reload(row, "reinstate", rob, then).listing_status == "listed"


@pytest.mark.parametrize("state", OTHER_STATES)
def test_no_one_is_excluded_from_other_decisions(reach_state: Any, rita: User, rob: User, state: str) -> None:
    assert list_excluded(reach_state(state), {"rita": rita, "rob": rob}) == ("", "")


@pytest.mark.parametrize("state", ["on_notice", "appealed"])
def test_decision_waits_for_others_than_the_excluded_reviewer(
    reach: Any, sign_in: SignIn, rita: User, rob: User, now: datetime, state: str
) -> None:
    row = reach(state)
    Integration.objects.update(reviewer=rita)
    at = now + DAY * PENDING_DECISIONS[state][0]
    other = Integration(pk=0)
    tabs = {
        user.name: [queue_items.summarize_queue({}, user, at).count("", tab) for tab in ("all", "mine", "free")]
        for user in (rita, rob)
    }
    assert tabs == {"Rita Reyes": [1, 0, 0], "Rob Roth": [1, 0, 1]}
    assert [find_next_review(other, user, at) for user in (rita, rob)] == [None, row.uuid]
    assert [queue_items.list_decidable_items({}, user, at).count() for user in (rita, rob)] == [0, 1]
    text = get_text(sign_in(rita).get("/queue/"), "table")
    assert "Another reviewer must decide" in text
    assert "Claim review" not in text


def test_excluded_reviewer_can_neither_claim_nor_be_assigned(reach: Any, rita: User, rob: User, sam: User) -> None:
    row = reach("on_notice")
    message = f"{rita} made an earlier decision. Another reviewer must make this one."
    for call in (
        partial(claims.claim_review, row, actor=rita),
        partial(claims.assign_reviewer, row, rita, actor=sam),
    ):
        with pytest.raises(ActionRefused) as refusal:
            call(now=timezone.now())
        assert (str(refusal.value), refusal.value.kind) == (message, "forbidden")
    assert claims.claim_review(row, actor=rob, now=timezone.now()).reviewer == rob


def test_review_page_asks_only_reviewers_who_can_decide(reach: Any, sign_in: SignIn, rita: User, rob: User) -> None:
    row = reach("appealed")
    labels = []
    for user in (rita, rob):
        Integration.objects.update(reviewer=user)
        page = parse(sign_in(user).get(f"/integrations/{row.uuid}/review/"))
        (action,) = page.select(".next-action")
        is_excluded = "Another reviewer must decide" in action.text
        labels.append((is_excluded, "next-action-mine" in action["class"], [link.text.strip() for link in action("a")]))
    assert labels == [(True, False, []), (False, True, ["Decide"])]


def test_managers_are_notified_that_no_reviewer_can_decide(
    reach: Any, sign_in: SignIn, rita: User, rob: User, mae: User, sam: User
) -> None:
    row = reach("suspension_appealed")
    emails = EmailMessage.objects.filter(event__event_type="compliance.appealed").order_by("pk")
    assert [email.to for email in emails] == [mae.email, row.edition.mailbox]
    assert all(
        "No reviewer of" in email.text and "/people/invite/" in email.text and "](<" not in email.text
        for email in emails
    )
    for path in (f"/integrations/{row.uuid}/compliance/", f"/integrations/{row.uuid}/review/"):
        assert "No reviewer can decide" in get_text(sign_in(mae).get(path))
        assert parse(sign_in(mae).get(path)).select('a[href="/people/invite/"]')
        assert "Ask a program manager or an administrator" in get_text(sign_in(rita).get(path))
    assert "No reviewer can decide (add a reviewer)" in get_text(sign_in(mae).get("/queue/"), "table")


def test_administrators_are_notified_without_a_manager(reach: Any, rita: User, rob: User, sam: User) -> None:
    row = reach("suspension_appealed")
    emails = EmailMessage.objects.filter(event__event_type="compliance.appealed").order_by("pk")
    assert [email.to for email in emails] == [sam.email, row.edition.mailbox]


def test_administrators_are_notified_instead_of_a_manager_who_belongs_to_the_company(
    reach: Any, acme: Partner, rita: User, rob: User, mae: User, sam: User, now: datetime
) -> None:
    Membership.objects.create(partner=acme, user=mae, role="viewer", joined_at=now)
    row = reach("suspension_appealed")
    emails = EmailMessage.objects.filter(event__event_type="compliance.appealed").order_by("pk")
    assert [(email.to, "No reviewer of" in email.text) for email in emails] == [
        (sam.email, True),
        (row.edition.mailbox, True),
    ]


def test_a_third_reviewer_can_decide(reach: Any, sign_in: SignIn, rita: User, rob: User, mae: User, rae: User) -> None:
    row = reach("suspension_appealed")
    emails = EmailMessage.objects.filter(event__event_type="compliance.appealed")
    assert [(email.to, "No reviewer of" in email.text) for email in emails] == [(row.edition.mailbox, False)]
    for path in (f"/integrations/{row.uuid}/compliance/", "/queue/"):
        assert "No reviewer can decide" not in get_text(sign_in(mae).get(path))


def test_compliance_page_says_why_staff_cannot_decide(
    listed_integration: Integration, sign_in: SignIn, alice: User, rita: User, rob: User, sam: User
) -> None:
    row = listed_integration
    conflicts.record_conflict(row.partner, rob, "I worked there.", actor=rob, now=timezone.now())
    path = f"/integrations/{row.uuid}/compliance/"
    texts = {user.name: get_text(sign_in(user).get(path)) for user in (alice, rita, rob, sam)}
    refused = {name for name, text in texts.items() if "You can't decide on this integration" in text}
    assert refused == {rob.name, sam.name}
    assert "Conflict of interest" in texts[rob.name]
    assert "You have read-only access" in texts[sam.name]


@pytest.fixture
def rob_and_mae(rob: User, mae: User, sam: User) -> list[User]:
    """The second reviewer and the program manager. An administrator exists, too."""
    return [rob, mae]


@pytest.mark.parametrize(
    ("reviewers", "state", "transition", "listing_status"),
    [(1, "on_notice", "suspend", "suspended"), (2, "suspension_appealed", "uphold_appeal", "listed")],
)
def test_manager_of_a_small_team_adds_a_reviewer_who_decides(
    reach: Any,
    sign_in: SignIn,
    rob_and_mae: list[User],
    reviewers: int,
    state: str,
    transition: str,
    listing_status: str,
) -> None:
    rob, mae = rob_and_mae
    User.objects.filter(pk=rob.pk).update(is_reviewer=reviewers == 2)
    row = reach(state)
    rae = create_user("rae@program.example", "Rae Ruiz")
    page = get_text(sign_in(mae).get(f"/integrations/{row.uuid}/compliance/"))
    assert ("No reviewer can decide" in page, "an appeal against it requires a third one" in page) == (True, True)
    decision = {"actor": mae, "now": timezone.now(), "reason": "Decides on the case."}
    roles.change_roles(rae, grant=["reviewer:terraform-provider"], **decision)
    rae = User.objects.get(pk=rae.pk)
    row = perform_and_reload(row, transition, rae, timezone.now())
    assert row.listing_status == listing_status


def test_hint_for_the_partner_offers_no_second_appeal(reach: Any, sign_in: SignIn, alice: User, rob: User) -> None:
    row = reach("appealed")
    perform_and_reload(row, "dismiss_appeal", rob, timezone.now())
    hint = "Respond to the overdue issues in your repository, or publish a release."
    assert hint in get_text(sign_in(alice).get(f"/integrations/{row.uuid}/compliance/"))


def test_partner_is_not_told_about_reviewers(reach: Any, sign_in: SignIn, alice: User, rita: User, rob: User) -> None:
    row = reach("suspension_appealed")
    assert "No reviewer" not in get_text(sign_in(alice).get(f"/integrations/{row.uuid}/compliance/"))


def test_partner_previews_the_email_to_the_program_without_staff(
    reach_state: Any, sign_in: SignIn, alice: User, rita: User, rob: User, mae: User, now: datetime, time_machine: Any
) -> None:
    row = reach_state("suspended")
    time_machine.move_to(now + 31 * DAY, tick=False)
    page = parse(sign_in(alice).get(f"/integrations/{row.uuid}/transitions/appeal/"))
    recipients = [element.text for element in page.select(".mail strong")]
    assert (recipients, "No reviewer of" in page.text) == (["Program reviewers"], False)
    assert "Rocket" in page.select_one(".mail pre").text
    assert [email for email in (mae.email, row.edition.mailbox, "Mae") if email in page.text] == []


def test_partner_reads_the_evidence_without_staff(
    reach: Any, sign_in: SignIn, alice: User, rita: User, rob: User, mae: User
) -> None:
    row = reach("suspension_appealed")
    evidence = sign_in(alice).get(f"/integrations/{row.uuid}/compliance/evidence.json")
    recipients = [email["to"] for email in evidence.json()["notifications"] if email["subject"].startswith("Appeal")]
    assert (recipients, mae.email in evidence.text) == (["Program reviewers", row.edition.mailbox], False)
