"""Tests of conflicts of interest between reviewers and companies."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress

from integrations.partners.conflicts import list_conflicted_reviewers
from integrations.partners.models import ConflictKind, ConflictOfInterest, Partner, VerificationMethod
from integrations.partners.permissions import can_decide, can_manage_conflicts, can_merge_partners
from integrations.reviews.assignment import suggest_reviewers
from integrations.reviews.selectors.queue import find_next_review
from integrations.reviews.services import bulk, claims, conflicts
from integrations.submissions.models import Integration
from integrations.submissions.services.partner_merges import merge_partners
from integrations.submissions.services.transitions import perform_transition
from portal.accounts.models import User
from tests.integrations.database_rows import reload_row
from tests.integrations.page_text import get_text, parse
from tests.integrations.partners.memberships import get_refusal, join
from tests.integrations.reviews.conftest import create_integration_in_review

pytestmark = pytest.mark.any_database
SignIn = Any


def reload_user(user: User) -> User:
    """Return a user without cached conflicts, as in the next request."""
    return User.objects.get(pk=user.pk)


def share_domain(partner: Partner, user: User, now: datetime) -> None:
    User.objects.filter(pk=user.pk).update(email="rob@acme.example")
    partner.verifications.create(method=VerificationMethod.DNS, subject="acme.example", verified_at=now)


def confirm_address_at_domain(partner: Partner, user: User, now: datetime) -> None:
    EmailAddress.objects.create(user=user, email="Rob@Acme.example", verified=True)
    partner.verifications.create(method=VerificationMethod.EMAIL, subject="acme.example", verified_at=now)


def mark_conflict(partner: Partner, user: User, now: datetime) -> None:
    conflicts.record_conflict(partner, user, "I worked there.", actor=user, now=now)


def add_former_membership(partner: Partner, user: User, now: datetime) -> None:
    join(partner, user, "editor", now - timedelta(days=9), ended_at=now - timedelta(days=8))


def set_creator(partner: Partner, user: User, now: datetime) -> None:
    partner.integrations.update(created_by=user)


@pytest.mark.parametrize(
    ("cause", "message"),
    [
        (share_domain, "an email address of Rob Roth is at the domain of Acme."),
        (confirm_address_at_domain, "an email address of Rob Roth is at the domain of Acme."),
        (add_former_membership, "Rob Roth was a member of Acme."),
        (mark_conflict, "Rob Roth has a recorded conflict with Acme."),
        (set_creator, "Rob Roth created this integration."),
    ],
)
def test_conflict_blocks_claims_decisions_and_assignments(
    ready_integration: Integration,
    acme: Partner,
    rita: User,
    rob: User,
    sign_in: SignIn,
    frozen_now: datetime,
    cause: Any,
    message: str,
) -> None:
    cause(acme, rob, frozen_now)
    rob = reload_user(rob)
    row = reload_row(ready_integration)
    expected = f"Conflict of interest: {message}"
    assert can_decide(row, rob) is False
    assert get_refusal(claims.claim_review, row, actor=rob, now=frozen_now) == expected
    assert get_refusal(perform_transition, row, "approve", actor=rob, now=frozen_now) == expected
    assert get_refusal(claims.assign_reviewer, row, reload_user(rob), actor=rita, now=frozen_now) == expected
    inputs = bulk.BulkInputs(reviewer=reload_user(rob))
    assert bulk.perform_bulk_action([row], "assign", inputs, actor=rita, now=frozen_now) == (0, [f"Rocket: {expected}"])
    assert [each.reviewer for each in suggest_reviewers(row, frozen_now)] == [rita]
    client = sign_in(rob)
    assert expected in get_text(client.get(f"/integrations/{row.uuid}/review/"))
    assert "Conflict of interest" in get_text(client.get("/queue/"))
    assert can_decide(row, rita) is True


def test_unconfirmed_address_is_not_a_conflict(
    ready_integration: Integration, acme: Partner, rob: User, frozen_now: datetime
) -> None:
    confirm_address_at_domain(acme, rob, frozen_now)
    EmailAddress.objects.filter(user=rob).update(verified=False)
    assert can_decide(reload_row(ready_integration), reload_user(rob)) is True
    assert list_conflicted_reviewers(acme) == {}


def test_marked_conflict_releases_reviews_and_is_recorded(
    ready_integration: Integration, acme: Partner, rita: User, rob: User, sign_in: SignIn, frozen_now: datetime
) -> None:
    claims.claim_review(ready_integration, actor=rob, now=frozen_now)
    fields = {"action": "record", "reviewer": rob.pk, "reason": "Employed until 2024."}
    page = sign_in(rob).post(f"/integrations/{ready_integration.uuid}/conflicts/", fields, follow=True)
    assert "Recorded the conflict of interest." in get_text(page)
    assert "Conflict of interest: Rob Roth has a recorded conflict with Acme." in get_text(page)
    assert "Rob Roth Employed until 2024." not in get_text(page)
    assert reload_row(ready_integration).reviewer is None
    event = acme.events.get(event_type="partner.conflict_recorded")
    assert (event.actor, event.note, event.data["kind"], event.internal) == (
        "Rob Roth",
        "Employed until 2024.",
        "marked",
        True,
    )


def test_staff_record_the_conflict_of_a_reviewer_on_the_review_page(
    ready_integration: Integration, rita: User, rob: User, sam: User, sign_in: SignIn, frozen_now: datetime
) -> None:
    address = f"/integrations/{ready_integration.uuid}/review/"
    client = sign_in(sam)
    options = parse(client.get(address)).select("#conflict-reviewer option")
    assert [(option["value"], option.text) for option in options] == [
        (str(rita.pk), "Rita Reyes"),
        (str(rob.pk), "Rob Roth"),
    ]
    fields = {"action": "record", "reviewer": rob.pk, "reason": "Employed until 2024."}
    page = client.post(f"/integrations/{ready_integration.uuid}/conflicts/", fields, follow=True)
    assert [option.text for option in parse(page).select("#conflict-reviewer option")] == ["Rita Reyes"]
    assert "Rob Roth Employed until 2024." in get_text(page)
    assert parse(sign_in(rita).get(address)).select("#conflict-reviewer") == []


@pytest.mark.parametrize(("action", "label"), [("record", "Record conflict"), ("remove", "Remove conflict")])
def test_refused_reason_stays_in_its_field(
    ready_integration: Integration, rob: User, sign_in: SignIn, action: str, label: str
) -> None:
    fields = {"reviewer": rob.pk, "reason": "x" * 301, "action": action}
    page = parse(sign_in(rob).post(f"/integrations/{ready_integration.uuid}/conflicts/", fields))
    assert page.select("#id_reason")[0]["value"] == fields["reason"]
    assert "at most 300 characters" in page.select("#id_reason_error")[0].text
    assert page.select("[name=action]")[0]["value"] == action
    assert [option.text for option in page.select("#id_reviewer [selected]")] == ["Rob Roth"]
    assert page.select("main form button")[0].text.strip() == label


@pytest.mark.parametrize("action", ["record", "remove"])
def test_reason_for_a_conflict_survives_a_lost_session(
    ready_integration: Integration, acme: Partner, rob: User, sam: User, client: Any, action: str
) -> None:
    address = f"/integrations/{ready_integration.uuid}/conflicts/"
    fields = {"action": action, "reviewer": str(rob.pk), "reason": "Employed until 2024."}
    client.post(address, fields)
    client.force_login(sam, backend="django.contrib.auth.backends.ModelBackend")
    page = parse(client.get(address))
    inputs = {field["name"]: field.get("value") for field in page.select("main form input")}
    options = [(option["value"], option.text) for option in page.select("#id_reviewer [selected]")]
    assert (inputs["action"], inputs["reason"], options) == (action, fields["reason"], [(str(rob.pk), "Rob Roth")])
    assert acme.conflicts.count() == 0
    assert client.get(address).headers["Location"] == f"/integrations/{ready_integration.uuid}/review/"


def test_only_managers_and_staff_mark_and_remove_conflicts_of_others(
    ready_integration: Integration, acme: Partner, rita: User, rob: User, sam: User, frozen_now: datetime
) -> None:
    message = "Only the reviewer, program managers, and staff can do this."
    assert get_refusal(conflicts.record_conflict, acme, rob, "No.", actor=rita, now=frozen_now) == message
    conflicts.record_conflict(acme, rob, "Told me.", actor=sam, now=frozen_now)
    message = "Only program managers and staff can remove a conflict of interest, and never their own."
    for actor in (rita, rob):
        assert get_refusal(conflicts.remove_conflict, acme, rob, "No.", actor=actor, now=frozen_now) == message
    assert get_refusal(conflicts.remove_conflict, acme, rob, " ", actor=sam, now=frozen_now) == "Enter a reason."
    rob.program_roles = ["manager:nomad"]
    assert get_refusal(conflicts.remove_conflict, acme, rob, "No.", actor=rob, now=frozen_now) != ""
    manager = User.objects.create(email="mia@program.example", name="Mia", program_roles=["manager:nomad"])
    conflicts.remove_conflict(acme, rob, "A mix-up.", actor=manager, now=frozen_now)
    assert acme.events.get(event_type="partner.conflict_removed").note == "A mix-up."
    again = get_refusal(conflicts.remove_conflict, acme, rob, "A mix-up.", actor=sam, now=frozen_now)
    assert again == "The conflict was already removed."


@pytest.mark.parametrize("fields", [{"is_active": False}, {"is_reviewer": False}])
def test_conflict_of_a_former_reviewer_can_be_removed_but_not_recorded(
    ready_integration: Integration,
    acme: Partner,
    rob: User,
    sam: User,
    frozen_now: datetime,
    sign_in: SignIn,
    fields: dict[str, bool],
) -> None:
    mark_conflict(acme, rob, frozen_now)
    User.objects.filter(pk=rob.pk).update(**fields)
    client = sign_in(sam)
    address = f"/integrations/{ready_integration.uuid}/conflicts/"
    for action in ("remove", "record"):
        client.post(address, {"reviewer": rob.pk, "reason": "A mix-up.", "action": action})
    assert acme.conflicts.filter(removed_at=None).count() == 0
    assert acme.events.filter(event_type="partner.conflict_recorded").count() == 1


def test_removal_also_covers_known_conflicts(
    ready_integration: Integration, acme: Partner, rob: User, sam: User, frozen_now: datetime
) -> None:
    add_former_membership(acme, rob, frozen_now)
    conflicts.remove_conflict(acme, rob, "An internship.", actor=sam, now=frozen_now)
    assert can_decide(reload_row(ready_integration), reload_user(rob)) is True
    mark_conflict(acme, rob, frozen_now)
    assert can_decide(reload_row(ready_integration), reload_user(rob)) is False


@pytest.mark.parametrize("cause", [add_former_membership, share_domain])
def test_conflict_that_begins_after_a_removal_counts(
    ready_integration: Integration, acme: Partner, rita: User, rob: User, sam: User, frozen_now: datetime, cause: Any
) -> None:
    mark_conflict(acme, rob, frozen_now - timedelta(days=30))
    conflicts.remove_conflict(acme, rob, "A mix-up.", actor=sam, now=frozen_now - timedelta(days=20))
    cause(acme, rob, frozen_now)
    assert can_decide(reload_row(ready_integration), reload_user(rob)) is False
    assert [each.reviewer for each in suggest_reviewers(reload_row(ready_integration), frozen_now)] == [rita]
    assert (conflicts.record_known_conflicts(frozen_now), conflicts.record_known_conflicts(frozen_now)) == (1, 0)


def test_former_member_among_staff_cannot_remove_conflicts_or_merge(
    acme: Partner, globex: Partner, rob: User, sam: User, frozen_now: datetime
) -> None:
    mark_conflict(acme, rob, frozen_now)
    assert can_merge_partners(globex, acme, sam) is True
    add_former_membership(acme, sam, frozen_now)
    sam = reload_user(sam)
    message = "Only program managers and staff can remove a conflict of interest, and never their own."
    assert get_refusal(conflicts.remove_conflict, acme, rob, "No.", actor=sam, now=frozen_now) == message
    assert [can_merge_partners(*pair, sam) for pair in ((acme, globex), (globex, acme))] == [False, False]


def test_manager_removes_conflicts_only_of_companies_in_a_managed_program(
    ready_integration: Integration, acme: Partner, globex: Partner, rob: User, frozen_now: datetime
) -> None:
    users = [
        User.objects.create(email=f"{program}@program.example", name="Mia", program_roles=[f"manager:{program}"])
        for program in ("nomad", "vault")
    ]
    assert [can_manage_conflicts(acme, user, rob) for user in users] == [True, False]
    assert [can_manage_conflicts(globex, user, rob) for user in users] == [False, False]


def test_current_member_cannot_decide_after_a_removal(
    ready_integration: Integration, acme: Partner, rob: User, sam: User, frozen_now: datetime
) -> None:
    mark_conflict(acme, rob, frozen_now)
    conflicts.remove_conflict(acme, rob, "A mix-up.", actor=sam, now=frozen_now)
    join(acme, rob, "viewer", frozen_now)
    assert can_decide(reload_row(ready_integration), reload_user(rob)) is False


def test_known_conflicts_are_recorded_once(acme: Partner, rita: User, rob: User, frozen_now: datetime) -> None:
    add_former_membership(acme, rob, frozen_now)
    mark_conflict(acme, rita, frozen_now)
    assert (conflicts.record_known_conflicts(frozen_now), conflicts.record_known_conflicts(frozen_now)) == (1, 0)
    rows = ConflictOfInterest.objects.order_by("user__name").values_list("user__name", "kind", "reason")
    assert list(rows) == [
        ("Rita Reyes", ConflictKind.MARKED, "I worked there."),
        ("Rob Roth", ConflictKind.FORMER_MEMBER, "Former member of this company"),
    ]
    events = acme.events.filter(event_type="partner.conflict_recorded")
    assert [event.actor for event in events] == ["Rita Reyes", ""]


def test_merge_releases_the_review_of_someone_with_a_conflict_with_the_target(
    ready_integration: Integration, acme: Partner, globex: Partner, rob: User, sam: User, frozen_now: datetime
) -> None:
    mark_conflict(globex, rob, frozen_now)
    claims.claim_review(ready_integration, actor=rob, now=frozen_now)
    merge_partners(acme, globex, "One company since May.", actor=sam, now=frozen_now)
    row = reload_row(ready_integration)
    assert (row.partner, row.reviewer, row.claim_expires_at) == (globex, None, None)
    assert row.events.get(event_type="review.claim_released").actor == ""


def test_next_review_skips_companies_with_a_conflict(
    acme: Partner, globex: Partner, alice: User, charlie: User, rita: User, rob: User, frozen_now: datetime
) -> None:
    decided = create_integration_in_review(globex, charlie, rita, frozen_now, name="Decided")
    create_integration_in_review(acme, alice, rita, frozen_now - timedelta(days=3), name="Rocket")
    scan = create_integration_in_review(globex, charlie, rita, frozen_now, name="Scan")
    mark_conflict(acme, rob, frozen_now)
    assert find_next_review(decided, reload_user(rob), frozen_now) == scan.uuid
