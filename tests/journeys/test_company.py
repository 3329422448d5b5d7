"""Members of a company: invitations, requests to join, removal, and the last owner."""

from collections.abc import Callable
from typing import Any

from django.utils import timezone

from integrations.partners.models import Membership, Partner
from portal.notifications.models import EmailMessage
from tests.conftest import create_integration, create_user
from tests.journeys.conftest import find_link
from tests.journeys.person import Person
from tests.journeys.test_sign_up import sign_up

FindEmail = Callable[..., EmailMessage]
Visit = Callable[..., Person]


def test_colleague_is_invited_signs_up_and_joins(visit: Visit, find_email: FindEmail, alice: Any) -> None:
    owner = visit(alice)
    dora = visit()
    owner.go("/company/").write("Email address", "dora@acme.example")
    owner.page.locator("#invite").get_by_label("Role").select_option("viewer")
    owner.press("Send invitation").sees("Invitation sent to dora@acme.example.")
    dora.go(find_link(find_email("dora@acme.example", "invitation"), "/invitations/"))
    dora.sees("Alice Archer invited you to join Acme").shot("invitation").press("Create account")
    sign_up(dora, find_email, "Dora Dean", "dora@acme.example")
    dora.sees("Alice Archer invited you to join Acme").press("Join company").sees("You joined Acme.")
    dora.does_not_see("Invite a member")
    owner.go("/company/").sees("Dora Dean").does_not_see("Open invitations")


def test_invitation_is_resent_revoked_and_closed_to_others(
    visit: Visit, find_email: FindEmail, alice: Any, charlie: Any
) -> None:
    owner = visit(alice)
    other = visit(charlie)
    owner.go("/company/").write("Email address", "dora@acme.example").press("Send invitation")
    old_link = find_link(find_email("dora@acme.example", "invitation"), "/invitations/")
    owner.press("Resend invitation").sees("The earlier link no longer works.")
    other.go(old_link).does_not_see("Acme")
    link = find_link(find_email("dora@acme.example", "invitation"), "/invitations/")
    other.go(link).sees("This invitation is for dora@acme.example.", "You are signed in as charlie@globex.example.")
    owner.open_dialog("Revoke invitation").sees("Revoke invitation: dora@acme.example").press("Revoke invitation")
    owner.sees("Invitation to dora@acme.example revoked.")
    other.press("Use another account").sees("This invitation is no longer open.")


def test_colleague_finds_the_company_asks_to_join_and_is_accepted(
    visit: Visit, find_email: FindEmail, alice: Any
) -> None:
    dora = visit(create_user("dora@acme.example", "Dora Dean"))
    dora.go("/").sees("Companies with your email domain already exist.").shot("company-here")
    dora.write("Company name", "АСМЕ").press("Create company")
    dora.sees("A company with this or a similar name already exists. Ask to join it, or enter another name.")
    dora.press("Ask to join Acme").write("Message to the owners", "I build the provider.").press("Send request")
    dora.sees("Waiting for an owner")
    owner = visit(alice)
    owner.go(find_link(find_email(alice.email, "join_requested"), "/company/")).sees("I build the provider.")
    owner.shot("join-request").press("Accept request").sees("Dora Dean joined the company.")
    dora.go(find_link(find_email("dora@acme.example", "join_accepted"), "/company/")).sees("Acme", "Alice Archer")


def test_requester_sees_that_the_request_was_declined(visit: Visit, find_email: FindEmail, alice: Any) -> None:
    dora = visit(create_user("dora@gmail.com", "Dora Dean"))
    owner = visit(alice)
    dora.go("/company/new/").write("Company name", "Acme Inc.").press("Create company")
    dora.press("Ask to join Acme").press("Send request")
    owner.go("/company/").press("Decline request").sees("Request declined. We notify Dora Dean by email.")
    dora.go(find_link(find_email("dora@gmail.com", "join_declined"), "/company/join/")).sees("Declined")


def test_removed_member_loses_access_at_once_and_rejoins(
    visit: Visit, find_email: FindEmail, alice: Any, bob: Any
) -> None:
    owner = visit(alice)
    colleague = visit(bob)
    colleague.go("/company/acme/").sees("Alice Archer")
    owner.go("/company/").open_dialog("Remove member").sees("Remove member: Bob Baker").shot("remove").press(
        "Remove member"
    )
    owner.sees("Enter the name “Bob Baker” to confirm.").write("Enter “Bob Baker” to confirm", "Bob Baker")
    owner.press("Remove member").sees("Bob Baker is no longer a member of the company.")
    colleague.go("/company/acme/").does_not_see("Alice Archer")
    assert find_email(bob.email).subject == "Membership ended: Acme"
    colleague.go("/company/new/").press("Ask to join Acme").press("Send request")
    owner.go("/company/").page.locator("#requests").get_by_label("Role").select_option("editor")
    owner.press("Accept request")
    colleague.go("/company/acme/").sees("Alice Archer")


def test_last_owner_cannot_leave_before_another_is_named(visit: Visit, alice: Any, bob: Any) -> None:
    owner = visit(alice)
    owner.go("/company/").open_dialog("Leave company").press("Leave company")
    owner.sees("A company needs an owner. Make someone else an owner first.")
    owner.open_dialog("Change role", nth=1).page.get_by_role("dialog").locator("select").select_option("owner")
    owner.press("Save role").sees("Role of Bob Baker changed.")
    owner.open_dialog("Leave company").press("Leave company").sees("Create a company")


def test_members_are_removed_and_invited_without_scripts(
    visit: Visit, find_email: FindEmail, alice: Any, bob: Any
) -> None:
    owner = visit(alice, phone=True, javascript=False)
    owner.go("/company/").open_dialog("Remove member").write("Enter “Bob Baker” to confirm", "Bob Baker")
    owner.press("Remove member").sees("Bob Baker is no longer a member of the company.")
    owner.write("Email address", bob.email).press("Send invitation").sees("Invitation sent to").shot("company-phone")


def test_former_editor_sees_who_can_submit_an_open_form(visit: Visit, acme: Partner, alice: Any) -> None:
    row = create_integration(acme, alice, now=timezone.now())
    partner = visit(alice).go(f"/integrations/{row.uuid}/")
    Membership.objects.filter(user=alice).update(role="viewer")
    for label, text in (
        ("Contact name", "Alice"),
        ("Contact email", alice.email),
        ("Use case", "x"),
        ("Expected users", "x"),
    ):
        partner.write(label, text)
    partner.page.get_by_role("button", name="Submit answers").click()
    partner.sees("Ask an owner of your company to change your role.").shot("form-refused")
    partner.errors.clear()  # htmx reports the refusal on the console
