"""Test accounts: only the assigned reviewer can view them, each access is recorded, and withdrawal deletes them."""

from collections.abc import Callable
from typing import Any

from django.utils import timezone

from integrations.partners.models import Partner
from integrations.reviews.services import claims
from integrations.submissions.models import Integration
from portal.notifications.models import EmailMessage
from tests.conftest import PASSWORD, create_integration
from tests.journeys.person import Person

Visit = Callable[..., Person]
SECRET = "f0a7-rocket"


def test_account_is_viewed_with_a_reason_and_withdrawn(
    visit: Visit, find_email: Callable[..., EmailMessage], acme: Partner, alice: Any, bob: Any, rita: Any, rob: Any
) -> None:
    row = create_integration(acme, alice, now=timezone.now())
    claims.assign_reviewer(row, rita, actor=rita, now=timezone.now())
    address = f"/integrations/{row.uuid}/requirements/NO-6/"
    owner = visit(alice)
    reviewer = visit(rita)
    other = visit(rob)
    owner.go(address).write("Credentials", SECRET).press("Add test account").never_receives(SECRET)
    owner.write("Account name", "The test tenant").write("Credentials", SECRET).tick("Permanent")
    owner.press("Add test account").sees("The test tenant", "Permanent").never_receives(SECRET)
    visit(bob).go(address).sees("The test tenant").never_receives(SECRET)
    other.go(address).sees("Only the assigned reviewer, Rita Reyes, can view the test account.").never_receives(SECRET)
    reviewer.go(address).press("View test account").sees(
        "Enter a reason. We record it and send it to the partner."
    ).never_receives(SECRET)
    reviewer.write("Reason for access", "To run the acceptance tests.").press("View test account")
    reviewer.sees("Confirm access").never_receives(SECRET)
    reviewer.write("Password", PASSWORD).press("Continue").sees(SECRET)
    reviewer.go(address).never_receives(SECRET)
    owner.go(address).sees("Rita Reyes: ", "To run the acceptance tests.").shot("credentials")
    email = find_email(alice.email, "credential_revealed")
    assert "To run the acceptance tests." in email.text
    owner.go(f"/integrations/{row.uuid}/history/").sees("Rita Reyes").never_receives(SECRET)
    owner.go(address).page.locator("summary", has_text="Withdraw").click()
    owner.press("Withdraw test account").sees("Test account withdrawn. We deleted the credentials.")
    reviewer.go(address).sees("No test accounts yet.").does_not_see("Reason for access")
    owner.sees("To run the acceptance tests.")
    assert [(use.kind, use.accessed_by) for use in Integration.objects.get().credentials.get().accesses.all()] == [
        ("reveal", rita)
    ]
