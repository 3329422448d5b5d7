"""Tests of automatic assignment and of absences."""

from datetime import date, datetime, timedelta
from typing import Any

import pytest
from bs4 import BeautifulSoup

from integrations.partners.models import Membership, Partner
from integrations.reviews.models import ReviewerProfile
from integrations.reviews.services import claims, rebalancing
from integrations.reviews.services.bulk import snooze
from integrations.reviews.views import rebalancing as rebalancing_views
from integrations.submissions.models import Integration
from integrations.submissions.services import findings
from integrations.submissions.services.transitions import perform_transition
from portal.accounts.models import User
from portal.audit.models import AuditEvent
from portal.core.errors import ActionRefused
from portal.notifications.models import EmailMessage
from tests.conftest import create_user

pytestmark = pytest.mark.any_database

SignIn = Any


def list_planned_assignments(rule: str, actor: User, now: datetime, scope: str = "unassigned") -> list[tuple[str, str]]:
    rows = rebalancing.plan_assignments(rule, scope, actor=actor, now=now)
    return [(row.integration.name, str(row.reviewer or "")) for row in rows]


def update_profile(user: User, **fields: Any) -> None:
    ReviewerProfile.objects.filter(user=user).update(**fields)


def test_round_robin_alternates_by_name(
    three_reviews: None, rita: User, rob: User, sam: User, frozen_now: datetime
) -> None:
    assert list_planned_assignments("round_robin", sam, frozen_now) == [
        ("Scan", "Rita Reyes"),
        ("Rocket", "Rob Roth"),
        ("Vaulted", "Rita Reyes"),
    ]


def test_reviewers_of_the_program_come_first(
    three_reviews: None, rita: User, rob: User, sam: User, frozen_now: datetime
) -> None:
    User.objects.filter(pk=rob.pk).update(program_roles=["reviewer:vault"])
    expected = [("Scan", "Rita Reyes"), ("Rocket", "Rita Reyes"), ("Vaulted", "Rob Roth")]
    assert list_planned_assignments("program", sam, frozen_now) == expected


def test_expertise_counts_the_partner_then_the_program(
    three_reviews: None, rita: User, rob: User, sam: User, frozen_now: datetime
) -> None:
    scan = Integration.objects.get(name="Scan")
    findings.raise_finding(scan, scan.edition.list_requirements()[0].id, "Fix it.", actor=rob, now=frozen_now)
    expected = [("Scan", "Rob Roth"), ("Rocket", "Rob Roth"), ("Vaulted", "Rob Roth")]
    assert list_planned_assignments("expertise", sam, frozen_now) == expected


@pytest.mark.parametrize("rule", list(rebalancing.RULES))
def test_people_out_of_office_and_at_their_limit_get_nothing(
    three_reviews: None, rita: User, rob: User, sam: User, frozen_now: datetime, rule: str
) -> None:
    update_profile(rita, away_from=frozen_now.date(), away_until=frozen_now.date())
    update_profile(rob, max_open_reviews=1)
    assert list_planned_assignments(rule, sam, frozen_now) == [("Scan", "Rob Roth"), ("Rocket", ""), ("Vaulted", "")]
    assert {reviewer for _, reviewer in list_planned_assignments(rule, sam, frozen_now + timedelta(days=1))} == {
        "Rita Reyes",
        "Rob Roth",
    }


def test_own_company_is_never_assigned(
    three_reviews: None, acme: Partner, rita: User, rob: User, sam: User, frozen_now: datetime
) -> None:
    Membership.objects.create(partner=acme, user=rita, role="viewer", joined_at=frozen_now)
    Membership.objects.create(partner=acme, user=sam, role="viewer", joined_at=frozen_now)
    assert ("Rocket", "Rita Reyes") not in list_planned_assignments("round_robin", rob, frozen_now)
    assert [name for name, _reviewer in list_planned_assignments("round_robin", sam, frozen_now)] == ["Scan", "Vaulted"]


def test_scopes_select_what_is_assigned(
    three_reviews: None, rita: User, rob: User, sam: User, frozen_now: datetime
) -> None:
    scan, rocket, vaulted = (Integration.objects.get(name=name) for name in ("Scan", "Rocket", "Vaulted"))
    claims.claim_review(scan, actor=rita, now=frozen_now)
    claims.assign_reviewer(rocket, rob, actor=sam, now=frozen_now)
    assert [name for name, _ in list_planned_assignments("program", sam, frozen_now)] == ["Vaulted"]
    update_profile(rob, away_from=frozen_now.date())
    assert list_planned_assignments("program", sam, frozen_now, "away") == [
        ("Rocket", "Rita Reyes"),
        ("Vaulted", "Rita Reyes"),
    ]
    update_profile(rob, away_from=None)
    assert [name for name, _ in list_planned_assignments("program", sam, frozen_now, "all")] == ["Rocket", "Vaulted"]
    snooze(vaulted, 3, "Waits.", actor=sam, now=frozen_now)
    assert [name for name, _ in list_planned_assignments("program", sam, frozen_now, "all")] == ["Rocket"]


@pytest.mark.parametrize(
    "fields", [{"is_active": False}, {"is_reviewer": False}, {"program_roles": ["reviewer:packer"]}]
)
def test_reviews_of_former_reviewers_are_unassigned(
    three_reviews: None, rita: User, rob: User, sam: User, frozen_now: datetime, fields: dict[str, Any]
) -> None:
    for name in ("Scan", "Rocket"):
        claims.assign_reviewer(Integration.objects.get(name=name), rob, actor=sam, now=frozen_now)
    claims.assign_reviewer(Integration.objects.get(name="Vaulted"), rita, actor=sam, now=frozen_now)
    User.objects.filter(pk=rob.pk).update(**fields)
    expected = [("Scan", "Rita Reyes"), ("Rocket", "Rita Reyes")]
    assert list_planned_assignments("program", sam, frozen_now) == expected
    assert list_planned_assignments("program", sam, frozen_now, "away") == expected
    board = {
        str(reviewer or "Unassigned"): [row.name for row in rows]
        for reviewer, rows in rebalancing.list_reviews_by_reviewer(sam, frozen_now)
    }
    assert {name: rows for name, rows in board.items() if rows} == {
        "Unassigned": ["Scan", "Rocket"],
        "Rita Reyes": ["Vaulted"],
    }


def test_plan_is_shown_and_then_assigned_with_events_and_one_email_each(
    three_reviews: None, rita: User, rob: User, sam: User, sign_in: SignIn
) -> None:
    client = sign_in(sam)
    page = BeautifulSoup(client.get("/queue/rebalance/?rule=round_robin&scope=unassigned").content, "html.parser")
    assert [chip.text for chip in page.select(".chips li")] == ["Rita Reyes: 2", "Rob Roth: 1"]
    pairs = [str(field["value"]) for field in page.select("input[name=assignment]")]
    long_pk = f"{pairs[0].split(':')[0]}:{rob.pk:018}9:"  # the first 18 digits are the reviewer
    client.post("/queue/rebalance/", {"assignment": [long_pk]})
    assert Integration.objects.exclude(reviewer=None).count() == 0
    response = client.post("/queue/rebalance/", {"assignment": [*pairs, "x", "0:1:", "0:1"]}, follow=True)
    assert "Assigned 3 reviews." in response.content.decode()
    assert dict(Integration.objects.exclude(reviewer=None).values_list("name", "reviewer__name")) == {
        "Scan": "Rita Reyes",
        "Rocket": "Rob Roth",
        "Vaulted": "Rita Reyes",
    }
    events = AuditEvent.objects.filter(event_type="review.assigned").order_by("integration__name")
    assert [(e.integration.name, e.actor, e.data["reviewer"]) for e in events if e.integration] == [
        ("Rocket", "Sam Stone", "Rob Roth"),
        ("Scan", "Sam Stone", "Rita Reyes"),
        ("Vaulted", "Sam Stone", "Rita Reyes"),
    ]
    emails = EmailMessage.objects.filter(name="reviews_assigned").order_by("to")
    assert [(mail.to, mail.subject) for mail in emails] == [
        (rita.email, "2 reviews assigned to you"),
        (rob.email, "1 review assigned to you"),
    ]
    assert "Scan" in emails[0].text


def test_assignment_that_is_refused_does_not_stop_the_others(
    three_reviews: None, globex: Partner, rita: User, rob: User, sam: User, frozen_now: datetime
) -> None:
    Membership.objects.create(partner=globex, user=rita, role="viewer", joined_at=frozen_now)
    scan, rocket = (Integration.objects.get(name=name) for name in ("Scan", "Rocket"))
    count, refusals = rebalancing.assign_reviewers([(scan, rita, None), (rocket, rob, None)], actor=sam, now=frozen_now)
    assert (count, refusals) == (
        1,
        ["Scan: Rita Reyes can't review this integration. Choose a reviewer from another company."],
    )


@pytest.mark.parametrize("change_row", ["assign", "claim", "hold", "withdraw"])
def test_review_that_changed_after_the_preview_is_skipped(
    three_reviews: None,
    alice: User,
    rita: User,
    rob: User,
    sam: User,
    sign_in: SignIn,
    frozen_now: datetime,
    change_row: str,
) -> None:
    client = sign_in(sam)
    rocket = Integration.objects.get(name="Rocket")
    claims.assign_reviewer(rocket, rob, actor=sam, now=frozen_now)
    update_profile(rob, away_from=frozen_now.date())
    page = BeautifulSoup(client.get("/queue/rebalance/?rule=round_robin&scope=away").content, "html.parser")
    lines = [str(field["value"]) for field in page.select("input[name=assignment]")]
    assert f"{rocket.uuid}:{rita.pk}:{rob.pk}" in lines
    ada = create_user("ada@program.example", "Ada", is_reviewer=True)
    steps: dict[str, Any] = {
        "assign": lambda: claims.assign_reviewer(rocket, ada, actor=sam, now=frozen_now),
        "claim": lambda: claims.claim_review(rocket, actor=rob, now=frozen_now),
        "hold": lambda: perform_transition(rocket, "put_on_hold", actor=rob, note="Wait.", now=frozen_now),
        "withdraw": lambda: perform_transition(rocket, "withdraw", actor=alice, now=frozen_now + timedelta(minutes=11)),
    }
    steps[change_row]()
    response = client.post("/queue/rebalance/", {"assignment": lines}, follow=True).content.decode()
    assert "Rocket: This review changed after you opened the page. Check it, then assign it again." in response
    assert "Assigned 2 reviews." in response
    rocket.refresh_from_db(fields=["reviewer"])
    assert rocket.reviewer == (ada if change_row == "assign" else rob)


def test_auditor_cannot_rebalance(db: None, sign_in: SignIn) -> None:
    auditor = create_user("audit@program.example", "Ada Audit", is_auditor=True)
    assert sign_in(auditor).get("/queue/rebalance/").status_code == 404


@pytest.mark.parametrize(("who", "status"), [("rita", 302), ("rob", 404), ("sam", 302), ("manager", 302)])
def test_reviewers_managers_and_staff_set_an_absence(
    rita: User, rob: User, sam: User, sign_in: SignIn, who: str, status: int
) -> None:
    manager = create_user("mona@program.example", "Mona Manager", program_roles=["manager:nomad"])
    users = {"rita": rita, "rob": rob, "sam": sam, "manager": manager}
    fields = {"away_from": "2026-05-01", "away_until": "2026-05-08"}
    assert sign_in(users[who]).post(f"/queue/reviewers/{rita.pk}/absence/", fields).status_code == status
    expected = date(2026, 5, 8) if status == 302 else None
    assert ReviewerProfile.objects.get(user=rita).away_until == expected


def test_service_refuses_absences_of_others(rita: User, rob: User) -> None:
    with pytest.raises(ActionRefused, match="Only the reviewer, program managers, and staff"):
        claims.change_absence(rita, {"away_from": None}, actor=rob)


def test_review_moves_from_one_reviewer_to_another(
    three_reviews: None, rita: User, rob: User, sam: User, sign_in: SignIn, frozen_now: datetime
) -> None:
    scan = Integration.objects.get(name="Scan")
    claims.assign_reviewer(scan, rita, actor=sam, now=frozen_now)
    client = sign_in(sam)

    def read_board() -> dict[str, list[str]]:
        page = BeautifulSoup(client.get("/queue/rebalance/").content, "html.parser")
        cards = page.select(".cards > div")
        return {card.h3.text: [li.a.text for li in card.select("[data-review]")] for card in cards}  # type: ignore[union-attr]

    assert read_board() == {"Unassigned": ["Rocket", "Vaulted"], "Rita Reyes": ["Scan"], "Rob Roth": []}
    move = {"assignment": f"{scan.uuid}:{rob.pk}:{rita.pk}", "is_move": "1"}
    assert client.post("/queue/rebalance/", move)["Location"] == "/queue/rebalance/"
    assert read_board() == {"Unassigned": ["Rocket", "Vaulted"], "Rita Reyes": [], "Rob Roth": ["Scan"]}
    again = client.post("/queue/rebalance/", move | {"assignment": f"{scan.uuid}:{rita.pk}:"}, follow=True).text
    assert ("This review changed after you opened the page." in again, "Assigned 0" in again) == (True, False)


@pytest.mark.parametrize("query", ["", "?rule=round_robin&scope=all"])
def test_limit_of_shown_reviews_is_explained(
    three_reviews: None, rita: User, sam: User, sign_in: SignIn, query: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = sign_in(sam)
    text = "Only the 2 reviews with the earliest due dates are shown."
    complete = client.get(f"/queue/rebalance/{query}").text
    for module in (rebalancing, rebalancing_views):
        monkeypatch.setattr(module, "MAX_ASSIGNMENTS", 2)
    assert (text in complete, text in client.get(f"/queue/rebalance/{query}").text) == (False, True)


def test_reviewer_out_of_office_is_shown_only_with_reviews(
    three_reviews: None, rita: User, rob: User, sam: User, frozen_now: datetime
) -> None:
    for user in (rita, rob):
        update_profile(user, away_from=frozen_now.date(), away_until=frozen_now.date())
    claims.assign_reviewer(Integration.objects.get(name="Scan"), rita, actor=sam, now=frozen_now)
    assert [reviewer for reviewer, _rows in rebalancing.list_reviews_by_reviewer(sam, frozen_now)] == [None, rita]
