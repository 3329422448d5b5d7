"""Tests of the verification of companies by DNS, by email address, by GitHub, and by a decision."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from integrations.partners.domains import list_claimable_domains
from integrations.partners.models import Partner, PartnerVerification
from integrations.partners.services import profiles, verification
from portal.audit.models import AuditEvent
from portal.core.errors import ActionRefused
from portal.notifications.models import EmailMessage
from tests.conftest import create_user
from tests.fakes.dns_server import DnsServer
from tests.fakes.github.server import GitHub, Repo
from tests.integrations.page_text import find_text, get_field_error
from tests.integrations.partners.memberships import join

pytestmark = pytest.mark.any_database

SignIn = Callable[[Any], Any]
RECORD = "_partner-portal.initech.example"
PAGE = "/company/initech/verification/"


@pytest.fixture
def erin(db: None) -> Any:
    """Owner of Initech, with an address of a public provider."""
    return create_user("erin@gmail.com", "Erin Eads")


@pytest.fixture
def initech(erin: Any, now: datetime) -> Partner:
    """An unverified company."""
    return profiles.create_partner("Initech", website="https://www.initech.example/", actor=erin, now=now)


def get_state(partner: Partner) -> tuple[str, list[tuple[str, str, str]]]:
    rows = PartnerVerification.objects.filter(partner=partner).select_related("verified_by")
    proofs = [(row.method, row.subject, str(row.verified_by)) for row in rows]
    return Partner.objects.get(pk=partner.pk).verification_state, proofs


@pytest.mark.parametrize(
    ("domain", "website", "domains"),
    [
        ("", "", []),
        ("acme.example", "https://www.acme.example/about", ["acme.example"]),
        ("acme.example", "http://docs.acme.example:8080", ["acme.example", "docs.acme.example"]),
        ("", "https://Bücher.example", ["bücher.example"]),
        ("gmail.com", "https://www.gmail.com", []),
        ("", "https://192.0.2.7/", []),
        ("", "https://localhost/", []),
        ("", "https://[::1]/", []),
        ("", "https://[::1/", []),
    ],
)
def test_domains_of_email_and_website_can_be_proven(domain: str, website: str, domains: list[str]) -> None:
    assert list_claimable_domains(Partner(name="Acme", domain=domain, website=website)) == domains


def test_txt_record_verifies_the_company(dns_server: DnsServer, initech: Partner, erin: Any, now: datetime) -> None:
    dns_server.records = {RECORD: ["v=spf1 -all", verification.get_record_value(initech)]}
    verification.verify_by_dns(initech, "initech.example", actor=erin, now=now)
    assert get_state(initech) == ("verified", [("dns", "initech.example", "Erin Eads")])
    event = AuditEvent.objects.get(event_type="partner.verified")
    assert (event.actor, event.data) == (
        "Erin Eads",
        {
            "person": erin.pk,
            "name": "Erin Eads",
            "method": "dns",
            "subject": "initech.example",
            "proof": "DNS record: initech.example",
        },
    )


@pytest.mark.parametrize(
    ("records", "failing", "message"),
    [
        ({}, set(), "No TXT record found at _partner-portal.initech.example. "),
        ({RECORD: []}, set(), "No TXT record found at _partner-portal.initech.example. "),
        ({RECORD: ["hello"]}, set(), "The TXT record at _partner-portal.initech.example doesn't match: it is hello. "),
        ({}, {RECORD}, "DNS didn't respond for _partner-portal.initech.example. Your record isn't the cause. "),
    ],
)
def test_missing_wrong_and_unreadable_records_are_distinguished(
    dns_server: DnsServer,
    sign_in: SignIn,
    initech: Partner,
    erin: Any,
    records: dict[str, list[str]],
    failing: set[str],
    message: str,
) -> None:
    dns_server.records = records
    dns_server.failing = failing
    page = sign_in(erin).post(PAGE, {"action": "dns", "domain": "initech.example"}, follow=True)
    assert message in find_text(page)
    assert get_state(initech) == ("unverified", [])


def test_server_that_does_not_answer_is_an_outage(settings: Any, initech: Partner, erin: Any, now: datetime) -> None:
    settings.DNS_SERVERS = ["127.0.0.1#9"]  # nothing listens there
    with pytest.raises(ActionRefused, match="Your record isn't the cause"):
        verification.verify_by_dns(initech, "initech.example", actor=erin, now=now)


def test_token_of_another_company_proves_nothing(
    dns_server: DnsServer, initech: Partner, acme: Partner, erin: Any, now: datetime
) -> None:
    assert initech.verification_token != acme.verification_token
    dns_server.records = {RECORD: [verification.get_record_value(acme)]}
    with pytest.raises(ActionRefused, match="doesn't match"):
        verification.verify_by_dns(initech, "initech.example", actor=erin, now=now)


def test_domain_of_another_company_is_not_queried(
    dns_server: DnsServer, initech: Partner, erin: Any, now: datetime
) -> None:
    dns_server.records = {"_partner-portal.globex.example": [verification.get_record_value(initech)]}
    with pytest.raises(ActionRefused, match="Select the domain"):
        verification.verify_by_dns(initech, "globex.example", actor=erin, now=now)


@pytest.mark.every_database
def test_second_proof_is_recorded_and_the_same_one_is_not(
    dns_server: DnsServer, initech: Partner, erin: Any, now: datetime
) -> None:
    dns_server.records = {RECORD: [verification.get_record_value(initech)]}
    for _ in range(2):
        verification.verify_by_dns(initech, "initech.example", actor=erin, now=now)
    erin.emailaddress_set.create(email="erin@initech.example", verified=True)
    verification.verify_by_email(initech, actor=erin, now=now)
    assert [proof[0] for proof in get_state(initech)[1]] == ["dns", "email"]
    assert AuditEvent.objects.filter(event_type="partner.verified").count() == 2


def test_confirmed_address_of_a_colleague_verifies_the_company(initech: Partner, erin: Any, now: datetime) -> None:
    join(initech, create_user("dora@Initech.example", "Dora Dean"), "viewer", now)
    verification.verify_by_email(initech, actor=erin, now=now)
    assert get_state(initech) == ("verified", [("email", "initech.example", "Dora Dean")])


def test_address_that_is_unconfirmed_public_unrelated_or_former_proves_nothing(
    initech: Partner, erin: Any, now: datetime
) -> None:
    erin.emailaddress_set.create(email="erin@initech.example", verified=False)
    erin.emailaddress_set.create(email="erin@mail.initech.example", verified=True)
    join(initech, create_user("dora@globex.example", "Dora Dean"), "editor", now)
    join(initech, create_user("fred@initech.example", "Fred Fox"), "editor", now, ended_at=now)
    Partner.objects.filter(pk=initech.pk).update(domain="gmail.com")
    with pytest.raises(ActionRefused, match=r"No member has confirmed an email address at initech\.example\."):
        verification.verify_by_email(Partner.objects.get(pk=initech.pk), actor=erin, now=now)
    assert get_state(initech) == ("unverified", [])


@pytest.mark.every_database
def test_new_company_of_a_person_with_its_address_is_verified_at_once(db: None, now: datetime) -> None:
    fred = create_user("fred@initech.example", "Fred Fox")
    partner = profiles.create_partner("Initech", domain="initech.example", actor=fred, now=now)
    assert get_state(partner) == ("verified", [("email", "initech.example", "Fred Fox")])


@pytest.mark.parametrize(
    ("files", "organization", "message"),
    [
        ((), "initech", "The file portal-verification.txt was not found in the repository initech/.github."),
        ((("portal-verification.txt", "hello"),), "initech", "doesn't match."),
        ((), "globex", "The public repository globex/.github was not found."),
        ((), "a/b", "Enter the name of your GitHub organization"),
    ],
)
def test_missing_or_wrong_github_file_is_explained(
    github: GitHub,
    initech: Partner,
    erin: Any,
    now: datetime,
    files: tuple[tuple[str, str], ...],
    organization: str,
    message: str,
) -> None:
    github.seed(Repo("initech/.github", releases=(), files=files))
    with pytest.raises(ActionRefused) as refusal:
        verification.verify_by_github(initech, organization, actor=erin, now=now)
    assert message in str(refusal.value)
    assert get_state(initech) == ("unverified", [])


def test_github_file_verifies_the_company(
    github: GitHub, sign_in: SignIn, initech: Partner, erin: Any, now: datetime
) -> None:
    text = verification.get_record_value(initech) + "\n"
    github.seed(Repo("initech/.github", releases=(), files=((verification.GITHUB_FILE, text),)))
    page = sign_in(erin).post(PAGE, {"action": "github", "organization": "initech"}, follow=True)
    assert "Initech is verified." in find_text(page)
    assert get_state(initech) == ("verified", [("github", "initech", "Erin Eads")])


@pytest.mark.parametrize(
    ("organization", "message"),
    [("globex", "The public repository globex/.github was not found."), ("", "Enter a value.")],
)
def test_refused_organization_is_kept_with_its_error(
    github: GitHub, sign_in: SignIn, initech: Partner, erin: Any, organization: str, message: str
) -> None:
    github.seed(Repo("initech/.github", releases=()))
    page = sign_in(erin).post(PAGE, {"action": "github", "organization": organization})
    assert (page.status_code, page.context["form"]["organization"].value()) == (422, organization)
    assert get_field_error(page, "organization") == message


def test_file_of_a_personal_account_verifies_nothing(
    github: GitHub, initech: Partner, erin: Any, now: datetime
) -> None:
    files = ((verification.GITHUB_FILE, verification.get_record_value(initech)),)
    owner = {"id": 7, "login": "erin", "type": "User"}
    github.seed(Repo("erin/.github", releases=(), files=files, extra=(("owner", owner),)))
    with pytest.raises(ActionRefused, match="erin is not a GitHub organization"):
        verification.verify_by_github(initech, "erin", actor=erin, now=now)
    assert get_state(initech) == ("unverified", [])


def test_github_outage_is_not_blamed_on_the_company(github: GitHub, initech: Partner, erin: Any, now: datetime) -> None:
    github.seed(Repo("initech/.github", releases=()))
    github.fail("/repos/initech/.github", 502)
    with pytest.raises(ActionRefused, match="Your file isn't the cause"):
        verification.verify_by_github(initech, "initech", actor=erin, now=now)


def test_reviewer_verifies_by_decision_and_owners_are_notified(
    initech: Partner, erin: Any, rita: Any, now: datetime
) -> None:
    verification.verify_by_decision(initech, " Met them at the summit. ", actor=rita, now=now)
    assert get_state(initech) == ("verified", [("decision", "", "Rita Reyes")])
    event = AuditEvent.objects.get(event_type="partner.verified")
    assert (event.note, event.data["proof"]) == ("Met them at the summit.", "Decision of the program")
    email = EmailMessage.objects.get()
    assert (email.name, email.to, email.subject) == ("company_verified", "erin@gmail.com", "Initech is verified")
    assert "Met them at the summit." in email.text


def test_second_decision_on_a_verified_company_is_refused(initech: Partner, rita: Any, now: datetime) -> None:
    verification.verify_by_decision(initech, "Met them.", actor=rita, now=now)
    with pytest.raises(ActionRefused, match="can't be verified now") as refusal:
        verification.verify_by_decision(initech, "Met them again.", actor=rita, now=now)
    assert refusal.value.kind == "conflict"


def test_decision_needs_a_reason(initech: Partner, rita: Any, now: datetime) -> None:
    with pytest.raises(ActionRefused, match="Enter a reason"):
        verification.verify_by_decision(initech, " ", actor=rita, now=now)


@pytest.mark.parametrize("who", ["erin", "sam", "charlie"])
def test_only_reviewers_decide(initech: Partner, now: datetime, who: str, request: Any) -> None:
    with pytest.raises(ActionRefused, match="Only reviewers"):
        verification.verify_by_decision(initech, "Me.", actor=request.getfixturevalue(who), now=now)


def test_reviewer_does_not_decide_on_their_own_company(initech: Partner, rita: Any, now: datetime) -> None:
    join(initech, rita, "viewer", now)
    with pytest.raises(ActionRefused, match="own company"):
        verification.verify_by_decision(initech, "Mine.", actor=rita, now=now)


def test_editor_cannot_verify_and_sees_no_token(
    dns_server: DnsServer, sign_in: SignIn, initech: Partner, now: datetime
) -> None:
    dora = create_user("dora@initech.example", "Dora Dean")
    join(initech, dora, "editor", now)
    dns_server.records = {RECORD: [verification.get_record_value(initech)]}
    fields = (
        {"action": "dns", "domain": "initech.example"},
        {"action": "email"},
        {"action": "github", "organization": "x"},
    )
    for values in (*fields, {"action": "github_role", "organization": "x"}):
        assert sign_in(dora).post(PAGE, values).status_code == 403
    page = sign_in(dora).get(PAGE)
    assert "Only owners of the company can verify it. Ask an owner to add a proof." in find_text(page)
    assert initech.verification_token not in page.text
    assert get_state(initech) == ("unverified", [])


def test_page_shows_the_exact_record(sign_in: SignIn, initech: Partner, erin: Any) -> None:
    words = find_text(sign_in(erin).get(PAGE), "#dns")
    assert "_partner-portal.initech.example" in words
    assert f"partner-portal-verification={initech.verification_token}" in words


def test_page_of_an_unverified_company_says_that_it_is_unverified(
    sign_in: SignIn, initech: Partner, erin: Any, acme: Partner, alice: Any
) -> None:
    assert "Unverified company" in find_text(sign_in(erin).get("/company/initech/"))
    assert "Unverified" not in find_text(sign_in(alice).get("/company/acme/"))
