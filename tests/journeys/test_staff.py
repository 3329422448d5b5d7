"""Staff: admin pages, alliances managers, the email log, roles, and invitations."""

from collections.abc import Callable
from typing import Any

from django.utils import timezone
from playwright.sync_api import expect

from integrations.partners.models import Partner
from portal.accounts.models import User
from portal.accounts.role_names import list_roles
from portal.notifications.models import EmailMessage
from tests.conftest import PASSWORD, create_integration
from tests.journeys.person import Person
from tests.portal.accounts.sign_in import get_link

Visit = Callable[..., Person]
# the selected options that are wider than their select box without its arrow
LIST_CUT_OPTIONS = """() => [...document.querySelectorAll("form.filters select")].map(select => {
    const style = getComputedStyle(select), context = document.createElement("canvas").getContext("2d")
    context.font = style.font
    const padding = parseFloat(style.paddingLeft) + parseFloat(style.paddingRight)
    const label = select.selectedOptions[0].label
    return context.measureText(label).width + padding + 16 > select.clientWidth ? label : ""
}).filter(label => label)"""


def test_staff_edit_companies_and_cannot_change_the_state_of_integrations(
    visit: Visit, acme: Partner, alice: Any, sam: Any
) -> None:
    row = create_integration(acme, alice, now=timezone.now())
    staff = visit()
    staff.audits = False  # these pages are Django's own
    staff.go("/admin/").write("Email address", sam.email).write("Password", PASSWORD).press("Sign in")
    staff.go("/admin/submissions/integration/").press("Rocket").sees(
        "Stage", "engage", "acme/terraform-provider-rocket"
    )
    expect(staff.page.locator("#content-main").get_by_role("textbox")).to_have_count(0)
    expect(staff.page.get_by_role("button", name="Save")).to_have_count(0)
    staff.go("/admin/submissions/integration/").press("Open review page").sees("Only reviewers can decide")
    staff.go("/admin/partners/partner/").press("Acme").write("Website:", "https://acme.example/new").press("Save")
    staff.go(f"/admin/accounts/user/{alice.pk}/change/").sees("Alice Archer")
    expect(staff.page.get_by_role("button", name="Save")).to_have_count(0)
    acme.refresh_from_db()
    row.refresh_from_db()
    assert (acme.website, row.stage) == ("https://acme.example/new", "engage")


def test_named_manager_is_shown_to_the_partner(visit: Visit, acme: Partner, alice: Any, rita: Any, sam: Any) -> None:
    row = create_integration(acme, alice, now=timezone.now())
    partner = (
        visit(alice).go(f"/integrations/{row.uuid}/").sees(row.edition.mailbox).does_not_see("sam@program.example")
    )
    staff = visit(sam).go("/companies/").press("Acme").choose("Alliances manager", "Sam Stone").shot("company-program")
    staff.press("Save alliances manager").sees("Sam Stone is now the alliances manager of Acme.")
    partner.go(f"/integrations/{row.uuid}/").sees("Sam Stone", "sam@program.example").shot("manager")
    partner.go("/companies/acme/").does_not_see("Save alliances manager")


def test_staff_read_every_email_and_cannot_decide(
    visit: Visit, settings: Any, acme: Partner, alice: Any, sam: Any
) -> None:
    settings.EMAIL_LOG_PUBLIC = False
    row = create_integration(acme, alice, now=timezone.now())
    staff = visit(sam).go("/emails/").sees(row.edition.mailbox)
    staff.write("Subject or address", "nobody@").press("Apply filters").sees("No matching emails")
    staff.go("/emails/").page.locator("td.main a").first.click()
    staff.wait_for_page().sees(row.edition.mailbox, "Rocket").shot("email")
    staff.go(f"/integrations/{row.uuid}/review/").sees("You have read-only access. Only reviewers can decide.")
    visit(alice).go("/emails/").does_not_see("Subject or address")


def test_administrator_grants_a_role_and_invites_a_person_who_accepts(
    visit: Visit, alice: Any, rita: Any, sam: Any
) -> None:
    staff = visit()
    staff.go("/accounts/login/").write("Email address", sam.email).write("Password", PASSWORD).press("Sign in")
    staff.page.set_viewport_size({"width": 1024, "height": 900})
    for role in ("manager", "all"):
        staff.go(f"/people/?role={role}").sees("Sam Stone" if role == "all" else "No matching people")
        filters = [each.bounding_box() for each in staff.page.locator("form.filters > *").all() if each.is_visible()]
        assert len({round(box["y"] + box["height"]) for box in filters if box}) == 1
        assert staff.page.evaluate(LIST_CUT_OPTIONS) == []
    staff.sees("Rita Reyes", "Alice Archer").shot("people")
    staff.press("Alice Archer").tick("Program manager of Nomad").write("Reason", "Leads the program")
    staff.shot("person").press("Save roles").sees("Roles of Alice Archer saved.")
    staff.write("Reason", "Laptop lost", within=staff.page.locator("#access")).press("Sign out everywhere")
    staff.sees("Alice Archer is signed out everywhere.")
    staff.go("/people/").press("Invite person").write("Email address", "nora@program.example")
    staff.tick("Reviewer of Vault").press("Send invitation").sees("Invitation sent to nora@program.example.")
    staff.shot("invitations")
    newcomer = visit().go(get_link(EmailMessage.objects.get(name="staff_invitation")))
    newcomer.sees("Sam Stone invited you", "Reviewer of Vault").press("Create account")
    newcomer.sees_value("Email address", "nora@program.example").write("Your name", "Nora Nash")
    newcomer.write("Password", PASSWORD).press("Create account").press("Accept invitation")
    newcomer.sees("You accepted the invitation.")
    assert list_roles(User.objects.get(email="nora@program.example")) == ["reviewer:vault"]
    assert list_roles(User.objects.get(pk=alice.pk)) == ["manager:nomad"]
