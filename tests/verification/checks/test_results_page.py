"""Tests of the page with the results of an integration's checks."""

from datetime import timedelta

import pytest
from bs4 import BeautifulSoup
from django.urls import reverse
from django.utils import timezone

from integrations.programs.registry import PROGRAMS
from integrations.submissions.services import waivers
from integrations.submissions.services.transitions import perform_transition
from portal.jobs.execution import run_job
from portal.jobs.models import Job
from tests.conftest import create_integration
from tests.integrations.page_text import get_text
from tests.verification.checks.fake_sources import FakeSources, build_registry_listing, build_release_answers
from tests.verification.checks.stubs import remove_checks
from verification.checks import nightly
from verification.checks.execution import list_required_check_keys
from verification.checks.models import CheckResult, CheckRun
from verification.checks.services import runs
from verification.checks.services.runner import list_checked_requirements, run_integration_checks
from verification.sources.errors import SourceUnavailableError

pytestmark = pytest.mark.any_database

HTMX = {"HX-Request": "true"}


@pytest.fixture
def provider(acme, alice):
    return create_integration(acme, alice, "terraform-provider", now=timezone.now())


@pytest.fixture
def address(provider):
    return reverse("checks:results", args=[provider.uuid])


def run_checks(provider, **fields):
    run_integration_checks(provider, now=timezone.now(), sources=FakeSources(**{**build_release_answers(), **fields}))


def get_summaries(response):
    page = BeautifulSoup(response.content, "html.parser")
    return {
        a.select_one("h2, h3").text: " ".join(a.select_one(".check-summary").text.split())
        for a in page.select("article.check")
    }


def finish_runs(provider):
    CheckRun.objects.filter(integration=provider).update(finished_at=timezone.now())


def get_pending_checks(response):
    """Return whether the list of checks without a result is open, its summary, and its length. None without a list."""
    page = BeautifulSoup(response.content, "html.parser")
    details = next((each for each in page.select("details") if "run yet" in each.summary.text), None)
    if details is None:
        return None
    return details.has_attr("open"), " ".join(details.summary.text.split()), len(details.select("li[id^=check-] a"))


def test_page_before_the_first_run_lists_the_checks(sign_in, alice, provider, address):
    count = len(list_required_check_keys(list_checked_requirements(provider)))
    finish_runs(provider)
    response = sign_in(alice).get(address)
    assert get_summaries(response) == {}
    assert get_pending_checks(response) == (True, f"{count} checks haven't run yet", count)


def test_page_folds_the_checks_without_a_result(sign_in, alice, provider, address):
    count = len(list_required_check_keys(list_checked_requirements(provider)))
    run_checks(provider)
    finish_runs(provider)
    client = sign_in(alice)
    assert get_pending_checks(client.get(address)) is None
    CheckResult.objects.exclude(key="repository.license").delete()
    response = client.get(address)
    assert list(get_summaries(response)) == ["License"]
    assert get_pending_checks(response) == (False, f"{count - 1} checks haven't run yet", count - 1)


def test_page_shows_results_with_evidence(sign_in, alice, provider, address):
    run_checks(provider, listing_answer=build_registry_listing(repository_id=9))
    response = sign_in(alice).get(address)
    expected = {
        "Public repository": "acme/terraform-provider-rocket is public.",
        "Repository name": "terraform-provider-rocket has the required name.",
        "License": "MPL-2.0 is on the program's list.",
        "Published release": "v1.0.0 is published.",
        "Registry listing": "The registry lists acme/rocket from a different repository.",
        "Signature": "Signed by a registered key.",
    }
    assert get_summaries(response).items() >= expected.items()
    assert "publish the repository there" in response.text
    assert "License according to GitHub" in response.text


def test_page_after_an_outage_shows_the_time_of_the_next_attempt(sign_in, alice, provider, address):
    run_checks(provider, listing_answer=SourceUnavailableError("The registry did not answer."))
    Job.objects.update(run_after=timezone.now() + timedelta(minutes=10))
    summary = get_summaries(sign_in(alice).get(address))["Registry listing"]
    assert summary.startswith("We couldn't complete this check: The registry did not answer. We'll try again at ")


def test_page_after_an_outage_names_the_service_once(sign_in, alice, provider, address):
    run_checks(provider, listing_answer=SourceUnavailableError("The registry did not answer."))
    finish_runs(provider)
    head = get_text(sign_in(alice).get(address), "#check-head .banner")
    assert head.startswith("Some checks are waiting for a service Not reachable: ")
    assert head.endswith("No action needed.")


def test_check_that_inspected_nothing_names_no_version(sign_in, alice, provider, address):
    run_checks(provider, repository_answer=SourceUnavailableError("GitHub did not answer."))
    finish_runs(provider)
    assert "Checked check version" not in get_text(sign_in(alice).get(address))


def test_fragment_polls_while_a_run_is_under_way(sign_in, alice, address):
    response = sign_in(alice).get(address, headers=HTMX)
    assert (response.status_code, "hx-trigger" in response.text, "<html" in response.text) == (200, True, False)


def test_fragment_stops_polling_after_the_run(sign_in, alice, provider, address):
    finish_runs(provider)
    response = sign_in(alice).get(address, headers=HTMX)
    assert (response.status_code, "hx-trigger" in response.text) == (286, False)


def test_page_shows_who_started_the_last_run_or_its_reason(sign_in, alice, provider, address):
    finish_runs(provider)
    head = "#check-head"
    assert f"Reason: {alice} created the integration." in get_text(sign_in(alice).get(address), head)
    runs.request_check_run_as_user(provider, alice, timezone.now())
    assert f"complete. Refresh page Started by {alice}." in get_text(sign_in(alice).get(address), head)
    finish_runs(provider)
    nightly.plan_nightly_runs(timezone.now())
    Job.objects.update(run_after=timezone.now() + timedelta(hours=6))  # planned, so the page shows the last run
    text = get_text(sign_in(alice).get(address), head)
    assert f"Started by {alice}. Run checks again Next automatic run" in text
    finish_runs(provider)
    assert "Reason: Nightly run." in get_text(sign_in(alice).get(address), head)


def test_page_shows_who_started_a_run_that_waits_for_an_outage(sign_in, alice, provider, address, settings):
    settings.GITHUB_API_URL = settings.REGISTRY_URL = "http://127.0.0.1:1"
    finish_runs(provider)
    runs.request_check_run_as_user(provider, alice, timezone.now())
    run_job(Job.objects.get(kind="checks.run").pk)
    assert CheckRun.objects.open().get().job.run_after > timezone.now()
    assert f"No action needed. Started by {alice}." in get_text(sign_in(alice).get(address), "#check-head")


def test_button_requests_a_check_run(sign_in, alice, provider, address):
    finish_runs(provider)
    response = sign_in(alice).post(reverse("checks:run", args=[provider.uuid]))
    assert (response.status_code, response.url) == (302, address)
    assert CheckRun.objects.open().get().requested_by == alice


def test_second_request_creates_no_second_run(sign_in, alice, provider):
    client = sign_in(alice)
    for _ in range(2):
        assert client.post(reverse("checks:run", args=[provider.uuid]), headers=HTMX).status_code == 200
    assert CheckRun.objects.count() == 1


def test_get_request_of_the_button_redirects_to_the_page(sign_in, alice, provider, address):
    response = sign_in(alice).get(reverse("checks:run", args=[provider.uuid]))
    assert (response.status_code, response.url) == (302, address)


def test_button_after_a_withdrawal_shows_why_no_run_starts(sign_in, alice, provider, address):
    perform_transition(provider, "withdraw", actor=alice, note="No longer.", now=timezone.now())
    response = sign_in(alice).post(reverse("checks:run", args=[provider.uuid]), follow=True)
    assert "The integration has ended" in response.text
    assert "Run checks again" not in response.text


@pytest.mark.parametrize("name", ["checks:results", "checks:run"])
def test_integration_of_another_partner_is_not_found(sign_in, charlie, provider, name):
    client = sign_in(charlie)
    assert client.post(reverse(name, args=[provider.uuid])).status_code == 404


def test_page_of_a_program_without_checks_says_that_there_are_none(sign_in, alice, rocket, monkeypatch):
    monkeypatch.setitem(PROGRAMS, "nomad", remove_checks(PROGRAMS["nomad"]))
    response = sign_in(alice).get(reverse("checks:results", args=[rocket.uuid]))
    assert "No automated checks" in response.text


def get_rows(response):
    return {a["id"]: a for a in BeautifulSoup(response.content, "html.parser").select("article.check")}


def test_poll_returns_each_finished_row_once(sign_in, alice, provider, address):
    run_checks(provider)
    Job.objects.update(state=Job.State.RUNNING, progress={"finished_checks": ["repository.public"]})
    client = sign_in(alice)
    first = client.get(address, {"shown": 0}, headers=HTMX)
    assert list(get_rows(first)) == ["check-repository-public"]
    assert get_rows(first)["check-repository-public"]["hx-swap-oob"] == "true"
    assert "1 of " in first.text
    bar = BeautifulSoup(first.content, "html.parser").progress
    assert bar
    check_count = len(list_required_check_keys(list_checked_requirements(provider)))
    assert (bar["value"], bar["max"]) == ("1", str(check_count))
    assert "shown=1" in first.text
    assert get_rows(client.get(address, {"shown": 1}, headers=HTMX)) == {}
    page = client.get(address)
    running = {id for id, row in get_rows(page).items() if "Running…" in row.text}
    assert running == set(get_rows(page)) - {"check-repository-public"}


def test_last_poll_returns_every_row_and_the_button(sign_in, alice, provider, address):
    run_checks(provider)
    finish_runs(provider)
    response = sign_in(alice).get(address, {"shown": "many"}, headers=HTMX)
    assert response.status_code == 286
    assert set(get_rows(response)) == set(get_rows(sign_in(alice).get(address)))
    assert "Run checks again" in response.text


def test_old_result_is_stale(sign_in, alice, provider, address):
    run_integration_checks(
        provider, now=timezone.now() - timedelta(days=3), sources=FakeSources(**build_release_answers())
    )
    rows = get_rows(sign_in(alice).get(address))
    assert "Stale" in rows["check-repository-public"].text


def test_outage_keeps_the_last_result_visible(sign_in, alice, provider, address):
    run_checks(provider)
    run_checks(provider, repository_answer=SourceUnavailableError("GitHub did not answer."))
    Job.objects.update(run_after=timezone.now() + timedelta(minutes=10))
    text = " ".join(get_rows(sign_in(alice).get(address))["check-repository-public"].text.split())
    assert "Pass" in text
    assert "is public. We couldn't complete this check: GitHub did not answer. We'll try again at" in text


def test_waived_failure_is_shown_as_waived(sign_in, alice, rita, provider, address):
    run_checks(provider, repository_answer=None)
    requirement = next(each for each in list_checked_requirements(provider) if "repository.public" in each.checks)
    now = timezone.now()
    waivers.waive_requirement(
        provider, requirement.id, reason="Migration.", expires_at=now + timedelta(days=9), actor=rita, now=now
    )
    assert "Waived" in get_rows(sign_in(alice).get(address))["check-repository-public"].text


def test_waived_result_that_is_too_old_is_shown_as_waived(sign_in, alice, rita, provider, address, time_machine):
    run_checks(provider)
    requirement = next(each for each in list_checked_requirements(provider) if "repository.public" in each.checks)
    now = timezone.now()
    waivers.waive_requirement(
        provider, requirement.id, reason="Migration.", expires_at=now + timedelta(days=9), actor=rita, now=now
    )
    time_machine.move_to(now + timedelta(days=3), tick=False)
    assert "Waived" in get_rows(sign_in(alice).get(address))["check-repository-public"].text
