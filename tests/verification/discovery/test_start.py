"""Tests of the pages that start an integration from an address: who may do what, and that nothing happens twice."""

from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone

from integrations.partners.models import Membership, Partner
from integrations.submissions.models import Integration, IntegrationDraft
from portal.core.errors import ActionRefused
from portal.jobs.definitions import JobContext, ProgressValue
from portal.jobs.models import Job
from tests.conftest import NOW, create_integration, create_partner, create_user
from tests.verification.discovery.conftest import Read
from verification.checks.services.facts import load_facts
from verification.discovery import presenters, services, tasks
from verification.discovery.models import Discovery

pytestmark = [pytest.mark.any_database, pytest.mark.github]
ADDRESS = "https://github.com/acme/terraform-provider-rocket"
CHOICES = {"category": "networking", "offerings": ["Open Source"]}


@pytest.fixture
def discovery(rocket: None, read: Read) -> Discovery:
    return read(ADDRESS)


def build_fields(discovery: Discovery, **fields: Any) -> dict[str, Any]:
    texts = {key: discovery.values[key] for key in ("name", "description", "homepage", "repository_address")}
    return texts | CHOICES | fields


@pytest.mark.every_database
def test_provider_starts_from_its_repository(discovery: Discovery, sign_in: Any, alice: Any) -> None:
    response = sign_in(alice).post(f"/new/{discovery.uuid}/", build_fields(discovery))
    row = Integration.objects.get()
    assert (response.status_code, response.url) == (302, f"/integrations/{row.uuid}/")
    assert (row.name, row.category, row.homepage) == ("Rocket", "networking", "https://acme.example/rocket")
    drafts = {draft.requirement_id: draft.data for draft in IntegrationDraft.objects.filter(integration=row)}
    contacts = [data["contact_email"] for data in drafts.values() if "contact_email" in data]
    assert set(contacts) == {"alice@acme.example"}


def test_double_post_creates_one_integration(discovery: Discovery, sign_in: Any, alice: Any) -> None:
    client = sign_in(alice)
    url = f"/new/{discovery.uuid}/"
    answers = [client.post(url, build_fields(discovery)).url for _ in range(2)]
    assert answers == [f"/integrations/{Integration.objects.get().uuid}/"] * 2


@pytest.mark.every_database
def test_second_service_call_returns_the_same_integration(discovery: Discovery, alice: Any, acme: Partner) -> None:
    values = {"name": "Rocket", "category": "networking", "offerings": ["Open Source"]}
    first, second = (
        services.start_integration(discovery, lambda: acme, values, actor=alice, now=NOW) for _ in range(2)
    )
    assert (first.pk, Integration.objects.count()) == (second.pk, 1)


@pytest.mark.parametrize("method", ["get", "post"])
def test_only_the_person_who_entered_the_address_sees_it(
    discovery: Discovery, sign_in: Any, bob: Any, sam: Any, method: str
) -> None:
    paths = [f"/new/{discovery.uuid}/", f"/new/{discovery.uuid}/program/"]
    expected = [404, 302 if method == "get" else 404]
    for user in (bob, sam):
        client = sign_in(user)
        assert [getattr(client, method)(path).status_code for path in paths] == expected


def test_too_many_addresses_are_refused(client: Any, sign_in: Any, alice: Any) -> None:
    for _ in range(services.MAX_PER_HOUR):
        services.start_discovery("acme/rocket", actor=alice, now=timezone.now())
    page = sign_in(alice).post("/new/", {"address": "acme/rocket"})
    assert page.status_code == 422
    assert page.context["form"].errors == {"__all__": ["You entered many addresses in the last hour. Try again later."]}


@pytest.mark.django_db
def test_another_address_can_be_read_after_an_hour(alice: Any, now: datetime) -> None:
    for minutes in range(services.MAX_PER_HOUR):
        services.start_discovery("acme/rocket", actor=alice, now=now + timedelta(minutes=minutes))
    with pytest.raises(ActionRefused) as refusal:
        services.start_discovery("acme/rocket", actor=alice, now=now + timedelta(minutes=45))
    assert (refusal.value.kind, refusal.value.retry_after) == ("rate-limited", timedelta(minutes=15))
    services.start_discovery("acme/rocket", actor=alice, now=now + timedelta(minutes=60))


def test_visitor_signs_up_and_keeps_the_address(client: Any, db: None) -> None:
    response = client.post("/new/", {"address": "acme/rocket", "program": "vault"})
    assert response.status_code == 302
    assert response.url.startswith("/accounts/signup/?next=/new/%3Faddress%3Dacme%252Frocket%26program%3Dvault")


def test_preselected_program_is_kept(rocket: None, read: Read) -> None:
    assert read(ADDRESS, program="vault").program_key == "vault"


def test_selected_program_replaces_the_recognized_one(discovery: Discovery, sign_in: Any, alice: Any) -> None:
    sign_in(alice).post(f"/new/{discovery.uuid}/program/", {"program": "vault"})
    discovery.refresh_from_db()
    assert (discovery.program_key, discovery.results, discovery.read_at) == ("vault", [], None)


def test_address_is_not_read_again_without_limit(discovery: Discovery, sign_in: Any, alice: Any) -> None:
    client = sign_in(alice)
    page = f"/new/{discovery.uuid}/program/"
    for _ in range(services.MAX_PER_HOUR):
        client.post(page, {"program": "vault"})
    response = client.post(page, {"program": "nomad"}, follow=True)
    discovery.refresh_from_db()
    assert discovery.program_key == "vault"
    assert "Too many attempts in the last hour. Try again later." in response.content.decode()


def test_program_of_a_started_integration_is_not_replaced(discovery: Discovery, alice: Any, acme: Partner) -> None:
    values = {"name": "Rocket", "category": "networking", "offerings": ["Open Source"]}
    services.start_integration(discovery, lambda: acme, values, actor=alice, now=NOW)
    services.select_program(discovery, "vault")
    started = Discovery.objects.get(pk=discovery.pk)
    assert (started.program_key, started.read_at) == (discovery.program_key, discovery.read_at)
    assert Job.objects.find_unfinished(services.READ_JOB, str(discovery.pk)) is None


def test_values_for_a_replaced_program_are_refused(discovery: Discovery, alice: Any, acme: Partner) -> None:
    loaded = Discovery.objects.get(pk=discovery.pk)
    services.select_program(discovery, "vault")
    values = {"name": "Rocket", "category": "networking", "offerings": ["Open Source"]}
    with pytest.raises(ActionRefused, match="Another program was selected"):
        services.start_integration(loaded, lambda: acme, values, actor=alice, now=NOW)
    assert Integration.objects.count() == 0


@pytest.mark.every_database
def test_page_waits_until_the_discovery_shows_the_end_of_its_job(sign_in: Any, alice: Any) -> None:
    discovery = services.start_discovery(ADDRESS, actor=alice, now=timezone.now())
    Job.objects.all().delete()
    assert sign_in(alice).get(f"/new/{discovery.uuid}/").context["running"] is True


def test_program_selected_during_a_run_stays_selected(discovery: Discovery, rocket: None) -> None:
    class ProgramSelectingContext(JobContext):
        """Progress of a run, at which the person selects another program."""

        def report_progress(self, **progress: ProgressValue) -> None:
            if progress["done"] == 1:
                services.select_program(discovery, "vault")

    context = ProgramSelectingContext(job_id=0, attempt=1, lease_token=uuid4(), lease=timedelta(minutes=1))
    services.read_discovery.function(context, discovery_id=discovery.pk)
    discovery.refresh_from_db()
    assert discovery.program_key == "vault"


@pytest.mark.parametrize("program", ["terraform-provider", "nomad"])
def test_requirements_are_counted_as_on_the_integration_page(
    rocket: None, read: Read, alice: Any, acme: Partner, program: str
) -> None:
    discovery = read(ADDRESS, program=program)
    preview = presenters.build_requirements_preview(discovery, [acme])
    row = services.start_integration(discovery, lambda: acme, {"name": "Rocket"}, actor=alice, now=NOW)
    assert preview.total == row.requirement_counts["of"]


@pytest.mark.parametrize(("status", "is_met"), [("submitted", True), ("awaiting_other_party", False)])
def test_agreement_counts_only_with_both_signatures(
    discovery: Discovery, acme: Partner, alice: Any, status: str, is_met: bool
) -> None:
    other = create_integration(acme, alice, "terraform-provider", repository="acme/other")
    other.fulfillments.create(requirement_id="TP-AGREE", status=status, submitted_at=NOW)
    preview = presenters.build_requirements_preview(discovery, [acme])
    assert {row.requirement.id: row.is_met for row in preview.rows}["TP-AGREE"] == is_met


def test_several_companies_need_a_choice(discovery: Discovery, sign_in: Any, alice: Any, globex: Partner) -> None:
    Membership.objects.create(partner=globex, user=alice, role="editor", joined_at=NOW)
    client = sign_in(alice)
    url = f"/new/{discovery.uuid}/"
    refused = client.post(url, build_fields(discovery, company="initech"))
    assert (refused.status_code, list(refused.context["company"].form.errors)) == (422, ["company"])
    client.post(url, build_fields(discovery, company="globex"))
    assert Integration.objects.get().partner == globex


def test_viewer_cannot_start(rocket: None, sign_in: Any, acme: Partner, read: Read, alice: Any) -> None:
    discovery = read(ADDRESS)
    Membership.objects.filter(user=alice).update(role="viewer")
    page = sign_in(alice).post(f"/new/{discovery.uuid}/", build_fields(discovery))
    assert (page.status_code, page.context["company"].can_start, Integration.objects.count()) == (422, False, 0)
    assert "Only owners and editors of a company can start integrations." in page.text


@pytest.fixture
def newcomer_discovery(discovery: Discovery) -> Discovery:
    """The same for a person without a company."""
    discovery.requested_by = create_user("dora@initech.example", "Dora Dean")
    discovery.save()
    return discovery


@pytest.mark.every_database
def test_new_company_is_created_with_the_integration(newcomer_discovery: Discovery, sign_in: Any) -> None:
    dora = newcomer_discovery.requested_by
    fields = {"company-name": "Initech", "company-website": "https://initech.example"}
    sign_in(dora).post(f"/new/{newcomer_discovery.uuid}/", build_fields(newcomer_discovery, **fields))
    row = Integration.objects.select_related("partner").get()
    assert (row.partner.name, row.partner.memberships.get().user) == ("Initech", dora)


@pytest.mark.every_database
def test_taken_company_name_creates_nothing(newcomer_discovery: Discovery, sign_in: Any) -> None:
    create_partner("Hooli", "hooli.example")
    page = sign_in(newcomer_discovery.requested_by).post(
        f"/new/{newcomer_discovery.uuid}/", build_fields(newcomer_discovery, **{"company-name": "Hooli"})
    )
    assert (page.status_code, list(page.context["company"].form.errors)) == (422, ["name"])
    assert (Integration.objects.count(), Partner.objects.filter(name="Hooli").count()) == (0, 1)


def test_missing_category_creates_no_company(newcomer_discovery: Discovery, sign_in: Any) -> None:
    fields = build_fields(newcomer_discovery, **{"company-name": "Initech"}) | {"category": ""}
    page = sign_in(newcomer_discovery.requested_by).post(f"/new/{newcomer_discovery.uuid}/", fields)
    assert (page.status_code, list(page.context["form"].errors)) == (422, ["category"])
    assert Partner.objects.filter(name="Initech").count() == 0


@pytest.mark.every_database
def test_abandoned_discoveries_are_deleted_after_thirty_days(discovery: Discovery, alice: Any, acme: Partner) -> None:
    started = services.start_discovery(ADDRESS, actor=alice, now=NOW)
    integration = create_integration(acme, alice)
    Discovery.objects.filter(pk=started.pk).update(integration=integration)
    just_before = discovery.created_at + timedelta(days=30)
    assert tasks.delete_abandoned(just_before) == 0
    assert tasks.delete_abandoned(just_before + timedelta(seconds=1)) == 1
    assert list(Discovery.objects.values_list("pk", flat=True)) == [started.pk]


def test_facts_are_kept_after_the_start(discovery: Discovery, sign_in: Any, alice: Any) -> None:
    sign_in(alice).post(f"/new/{discovery.uuid}/", build_fields(discovery))
    stored, read_at = load_facts(Integration.objects.get())
    assert [asdict(fact) for fact in stored] == discovery.facts
    assert set(read_at.values()) == {discovery.read_at}
