"""Verification of a company's domain with a DNS record."""

from collections.abc import Callable

from integrations.partners.models import Partner
from integrations.partners.services import verification
from tests.conftest import create_user
from tests.fakes.dns_server import DnsServer
from tests.journeys.person import Person

RECORD = "_partner-portal.initech.example"


def test_owner_verifies_the_company_by_dns(visit: Callable[..., Person], dns_server: DnsServer) -> None:
    owner = visit(create_user("erin@gmail.com", "Erin Eads"))
    owner.go("/company/new/").write("Company name", "Initech").write("Website", "initech.example")
    owner.press("Create company").sees("Unverified company").press("Verify company")
    value = verification.get_record_value(Partner.objects.get())
    owner.sees(RECORD, value).shot("verification")
    owner.press("Check DNS record").sees(f"No TXT record found at {RECORD}.")
    dns_server.records[RECORD] = ["partner-portal-verification=of-another-company"]
    owner.press("Check DNS record").sees(f"The TXT record at {RECORD} doesn't match")
    dns_server.failing.add(RECORD)
    owner.press("Check DNS record").sees(f"DNS didn't respond for {RECORD}. Your record isn't the cause.")
    dns_server.failing.clear()
    dns_server.records[RECORD] = [value]
    owner.press("Check DNS record").sees("Initech is verified.", "Your company can appear in the public directory.")
    owner.sees("DNS record: initech.example").shot("verified")
    owner.go("/company/").does_not_see("Unverified company")
