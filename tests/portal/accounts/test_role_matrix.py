"""Tests of every role change: notifications, permissions, and limits to programs."""

from typing import Any

import pytest
from django.db import transaction
from django.test import RequestFactory

from integrations.partners import permission_conditions, permissions
from portal.accounts import roles
from portal.accounts.models import RoleRequest, SecurityEvent, User
from portal.accounts.role_names import ROLES, list_manageable_roles, list_roles
from portal.audit.models import AuditEvent
from portal.core.errors import ActionRefused
from portal.notifications.models import EmailMessage
from tests.conftest import NOW, create_user

REASON = "Changes teams"


@pytest.fixture
def tess(db: None) -> User:
    """A second administrator."""
    return create_user("tess@program.example", "Tess Tan", is_staff=True, is_superuser=True)


def list_notices(event_type: str) -> tuple[list[str], list[str]]:
    """Return the summaries of events of a type, and the emails with their recipients."""
    events = AuditEvent.objects.filter(event_type=event_type).order_by("pk")
    emails = EmailMessage.objects.order_by("pk")
    return [event.summary for event in events], [f"{email.to}: {email.subject}" for email in emails]


# actors and their roles
ACTORS: dict[str, dict[str, Any]] = {
    "an administrator": {"is_staff": True, "is_superuser": True},
    "staff": {"is_staff": True},
    "a manager of the program": {},
    "a manager of another program": {},
    "a reviewer": {"is_reviewer": True},
    "an auditor": {"is_auditor": True},
    "the command line": {},
    "single sign-on": {},
}


def get_actor(name: str, role: str) -> User | None:
    """Return who changes the role; None for the command line and single sign-on."""
    if name in ("the command line", "single sign-on"):
        return None
    program = role.partition(":")[2]
    managed = {
        "a manager of the program": [f"manager:{program}"] if program else [],
        "a manager of another program": ["manager:vault" if program == "nomad" else "manager:nomad"],
    }
    return create_user("actor@program.example", "Ada Actor", program_roles=managed.get(name, []), **ACTORS[name])


def is_permitted(name: str, role: str) -> bool:
    is_unlimited = name in ("an administrator", "the command line", "single sign-on")
    return is_unlimited or (name == "a manager of the program" and ":" in role)


ChangeResult = tuple[list[str], list[str], list[str], list[str]]


def change_role(alice: User, who: str, change: str, role: str) -> ChangeResult:
    """Grant or revoke a role. Return the roles of Alice, the new events, the emails, and the actors in the log."""
    before = [role] if change == "revoke" else []
    roles.change_roles(alice, grant=before, actor=None, now=NOW, reason=REASON)
    EmailMessage.objects.all().delete()
    actor = get_actor(who, role)
    request = RequestFactory().get("/") if who == "single sign-on" else None
    decision: dict[str, Any] = {change: [role], "actor": actor, "now": NOW, "reason": REASON, "request": request}
    if is_permitted(who, role):
        roles.change_roles(alice, **decision)
    else:
        with pytest.raises(ActionRefused, match=r"Only administrators|in the programs that you manage"):
            roles.change_roles(alice, **decision)
    summaries, emails = list_notices("account.roles_changed")
    log = SecurityEvent.objects.filter(user=alice, kind="roles_changed").order_by("pk").values_list("actor", flat=True)
    return list_roles(User.objects.get(pk=alice.pk)), summaries[len(before) :], emails, list(log)[len(before) :]


@pytest.mark.any_database
@pytest.mark.parametrize("change", ["grant", "revoke"])
@pytest.mark.parametrize("who", ACTORS)
def test_each_change_is_recorded_and_emailed_or_refused(alice: User, tess: User, who: str, change: str) -> None:
    actor = "The portal" if who in ("the command line", "single sign-on") else "Ada Actor"
    sign = "+" if change == "grant" else "-"
    expected: dict[str, ChangeResult] = {}
    results: dict[str, ChangeResult] = {}
    for role in ROLES:
        with transaction.atomic():
            results[role] = change_role(User.objects.get(pk=alice.pk), who, change, role)
            transaction.set_rollback(True)
        expected[role] = (
            [role] if change == "grant" else [],
            [f"{actor} changed the roles of Alice Archer: {sign}{role}"],
            ["alice@acme.example: Your roles were changed", "tess@program.example: Roles changed: Alice Archer"],
            [who if actor == "The portal" else actor],
        )
        if not is_permitted(who, role):
            expected[role] = ([] if change == "grant" else [role], [], [], [])
    assert results == expected


@pytest.mark.parametrize(
    ("action", "event_type", "subjects"),
    [
        (roles.deactivate, "account.deactivated", ("Your account was deactivated", "Account deactivated")),
        (
            roles.end_sessions,
            "account.signed_out_everywhere",
            ("You were signed out everywhere", "Signed out everywhere"),
        ),
    ],
)
def test_each_account_action_is_recorded_and_emailed(
    alice: User, sam: User, tess: User, action: Any, event_type: str, subjects: tuple[str, str]
) -> None:
    action(alice, actor=sam, now=NOW, reason=REASON)
    summaries, emails = list_notices(event_type)
    assert (len(summaries), emails) == (
        1,
        [f"alice@acme.example: {subjects[0]}", f"tess@program.example: {subjects[1]}: Alice Archer"],
    )


def test_administrator_role_waits_for_a_second_administrator(alice: User, sam: User, tess: User, settings: Any) -> None:
    settings.ADMINISTRATOR_APPROVAL = True
    roles.change_roles(alice, grant=["staff", "superuser"], actor=sam, now=NOW, reason=REASON)
    alice.refresh_from_db()
    request = RoleRequest.objects.get()
    assert (list_roles(alice), request.requested_by) == (["staff"], sam)
    with pytest.raises(ActionRefused, match="second administrator must approve"):
        roles.approve_request(request, actor=sam, now=NOW, reason="Confirmed by phone")
    roles.approve_request(request, actor=tess, now=NOW, reason="Confirmed by phone")
    alice.refresh_from_db()
    assert (list_roles(alice), RoleRequest.objects.count()) == (["staff", "superuser"], 0)
    event = AuditEvent.objects.filter(event_type="account.roles_changed").latest("pk")
    assert (event.actor, event.note) == ("Tess Tan", "Confirmed by phone (requested by Sam Stone: Changes teams)")
    with pytest.raises(ActionRefused, match="already decided"):
        roles.approve_request(request, actor=tess, now=NOW, reason="Confirmed by phone")


def test_declined_administrator_role_is_not_granted(alice: User, sam: User, tess: User, settings: Any) -> None:
    settings.ADMINISTRATOR_APPROVAL = True
    roles.change_roles(alice, grant=["superuser"], actor=sam, now=NOW, reason=REASON)
    roles.reject_request(RoleRequest.objects.get(), actor=tess, now=NOW, reason="Not needed")
    alice.refresh_from_db()
    assert (list_roles(alice), RoleRequest.objects.count()) == ([], 0)


def test_request_of_a_former_administrator_cannot_be_approved(
    alice: User, sam: User, tess: User, settings: Any
) -> None:
    settings.ADMINISTRATOR_APPROVAL = True
    roles.change_roles(alice, grant=["superuser"], actor=sam, now=NOW, reason=REASON)
    roles.change_roles(sam, revoke=["superuser"], actor=tess, now=NOW, reason="Left")
    with pytest.raises(ActionRefused, match="no longer an administrator"):
        roles.approve_request(RoleRequest.objects.get(), actor=tess, now=NOW, reason="Confirmed by phone")


def test_reviewer_of_a_program_decides_only_there(integration_at: Any, rita: User, sam: User) -> None:
    integration = integration_at("review", "nomad")
    answers = []
    for role in ("reviewer:terraform-provider", "reviewer:nomad", "reviewer"):
        if role not in ROLES:
            role = next(each for each in ROLES if each.startswith("reviewer:") and each != "reviewer:nomad")
        roles.change_roles(rita, grant=[role], revoke=rita.program_roles, actor=sam, now=NOW, reason=REASON)
        rita = User.objects.get(pk=rita.pk)
        answers.append(
            (
                permissions.can_decide(integration, rita),
                permissions.can_decide_on_partner(integration.partner, rita),
                permissions.can_view(integration, rita),
            )
        )
    assert answers == [(False, False, True), (True, True, True), (True, True, True)]


def test_auditor_reads_everything_and_changes_nothing(
    integration_at: Any, alice: User, charlie: User, sam: User
) -> None:
    integration = integration_at("review", "nomad")
    roles.change_roles(charlie, grant=["auditor"], actor=sam, now=NOW, reason=REASON)
    auditor = User.objects.get(pk=charlie.pk)
    reads = (permissions.can_view, permissions.can_view_notes)
    writes = (
        permissions.can_edit,
        permissions.can_decide,
        permissions.can_assign_reviewer,
        permissions.can_write_note,
        permissions.can_post_message,
        permissions.can_take_part,
        permissions.can_put_on_hold,
        permissions.can_reopen,
    )
    assert [rule(integration, auditor) for rule in reads] == [True] * len(reads)
    assert [rule.__name__ for rule in writes if rule(integration, auditor)] == []
    assert permissions.can_read_audit_log(auditor)
    with pytest.raises(ActionRefused, match="Auditors have read-only access"):
        roles.change_roles(auditor, grant=["reviewer"], actor=sam, now=NOW, reason=REASON)


def test_program_manager_manages_only_that_program(alice: User, sam: User) -> None:
    roles.change_roles(alice, grant=["manager:nomad"], actor=sam, now=NOW, reason=REASON)
    manager = User.objects.get(pk=alice.pk)
    assert (
        list_manageable_roles(manager),
        permissions.can_review_program("nomad", manager),
        permissions.is_program_staff(manager),
    ) == (["reviewer:nomad", "manager:nomad"], False, True)


@pytest.mark.parametrize("role", ROLES)
def test_conditions_and_predicates_select_the_same_people(alice: User, charlie: User, sam: User, role: str) -> None:
    roles.change_roles(charlie, grant=[role], actor=sam, now=NOW, reason=REASON)
    users = list(User.objects.order_by("pk"))
    for condition, predicate in (
        (permission_conditions.WRITES_FOR_PROGRAMS, permissions.can_write_for_programs),
        (permission_conditions.IS_PROGRAM_STAFF, permissions.is_program_staff),
    ):
        selected = list(User.objects.filter(condition).order_by("pk"))
        assert selected == [user for user in users if predicate(user)]
