"""People of a company: one invites, one asks, one leaves and comes back."""

from collections.abc import Callable
from typing import Any

from portal.notifications.models import EmailMessage
from tests.conftest import person
from tests.journeys.conftest import link_in
from tests.journeys.person import Person
from tests.journeys.test_sign_up import sign_up

MailTo = Callable[..., EmailMessage]
Visit = Callable[..., Person]


def unfold(browser: Person, words: str, nth: int = 0) -> Person:
    """Open what stands behind "Remove…"."""
    browser.page.locator("summary", has_text=words).nth(nth).click()
    return browser.arrived()


def test_colleague_is_invited_signs_up_and_joins(visit: Visit, mail_to: MailTo, alice: Any) -> None:
    owner, dora = visit(alice), visit()
    owner.go("/company/").write("Email address", "dora@acme.example")
    owner.page.locator("#invite").get_by_label("Role").select_option("viewer")
    owner.press("Send the invitation").sees("The invitation to dora@acme.example is on its way.")
    dora.go(link_in(mail_to("dora@acme.example", "invitation"), "/invitations/"))
    dora.sees("Alice Archer invited you to join Acme").shot("invitation").press("Create an account")
    sign_up(dora, mail_to, "Dora Dean", "dora@acme.example")
    dora.sees("Alice Archer invited you to join Acme").press("Join company").sees("You belong to Acme now.")
    dora.sees_not("Invite a colleague")
    owner.go("/company/").sees("Dora Dean").sees_not("Open invitations")


def test_invitation_is_sent_again_reverted_and_closed_to_others(
    visit: Visit, mail_to: MailTo, alice: Any, charlie: Any
) -> None:
    owner, other = visit(alice), visit(charlie)
    owner.go("/company/").write("Email address", "dora@acme.example").press("Send the invitation")
    before = link_in(mail_to("dora@acme.example", "invitation"), "/invitations/")
    owner.press("Send again").sees("The one before no longer works.")
    other.go(before).sees_not("Acme")
    link = link_in(mail_to("dora@acme.example", "invitation"), "/invitations/")
    other.go(link).sees("This invitation is for dora@acme.example.", "You are signed in as charlie@globex.example.")
    owner.press("Take back").sees("is taken back.")
    other.press("Use another account").sees("This invitation was taken back.")


def test_colleague_finds_the_partner_here_asks_and_is_let_in(visit: Visit, mail_to: MailTo, alice: Any) -> None:
    dora = visit(person("dora@acme.example", "Dora Dean"))
    dora.go("/").sees("Colleagues with your mail domain are here already.").shot("company-here")
    dora.write("Company name", "АСМЕ").press("Create the company")
    dora.sees("A company with this name, or one that looks just like it, is already here.")
    dora.press("Ask to join Acme").write("Message to the owners", "I build the provider.").press("Ask to join")
    dora.sees("Waiting for its owners")
    owner = visit(alice)
    owner.go(link_in(mail_to(alice.email, "join_requested"), "/company/")).sees("I build the provider.")
    owner.shot("join-request").press("Accept").sees("Dora Dean belongs to the company now.")
    dora.go(link_in(mail_to("dora@acme.example", "join_accepted"), "/company/")).sees("Acme", "Alice Archer")


def test_request_is_declined_and_the_asker_sees_it(visit: Visit, mail_to: MailTo, alice: Any) -> None:
    dora, owner = visit(person("dora@gmail.com", "Dora Dean")), visit(alice)
    dora.go("/company/new/").write("Company name", "Acme Inc.").press("Create the company")
    dora.press("Ask to join Acme").press("Ask to join")
    owner.go("/company/").press("Decline").sees("Dora Dean is told that you declined.")
    dora.go(link_in(mail_to("dora@gmail.com", "join_declined"), "/company/join/")).sees("Declined")


def test_colleague_is_removed_loses_access_at_once_and_comes_back(
    visit: Visit, mail_to: MailTo, alice: Any, bob: Any
) -> None:
    owner, colleague = visit(alice), visit(bob)
    colleague.go("/company/acme/").sees("Alice Archer")
    unfold(owner.go("/company/"), "Remove").sees("Remove from the company?").shot("remove").press("Remove now")
    owner.sees("Bob Baker no longer belongs to the company.")
    colleague.go("/company/acme/").sees_not("Alice Archer")
    assert mail_to(bob.email).subject == "You no longer belong to Acme"
    colleague.go("/company/new/").press("Ask to join Acme").press("Ask to join")
    owner.go("/company/").page.locator("#requests").get_by_label("Role").select_option("editor")
    owner.press("Accept")
    colleague.go("/company/acme/").sees("Alice Archer")


def test_last_owner_stays_until_there_is_another(visit: Visit, alice: Any, bob: Any) -> None:
    owner = visit(alice)
    unfold(owner.go("/company/"), "Leave").press("Leave now")
    owner.sees("A company needs an owner. Make somebody else an owner first.")
    unfold(owner, "Change role", nth=1).page.get_by_role("dialog").locator("select").select_option("owner")
    owner.press("Give this role").sees("Bob Baker has another role now.")
    unfold(owner, "Leave").press("Leave now").sees("Create a company")


def test_everything_about_people_works_without_scripts(visit: Visit, mail_to: MailTo, alice: Any, bob: Any) -> None:
    owner = visit(alice, phone=True, javascript=False)
    unfold(owner.go("/company/"), "Remove").press("Remove now").sees("Bob Baker no longer belongs to the company.")
    owner.write("Email address", bob.email).press("Send the invitation").sees("is on its way.").shot("company-phone")
