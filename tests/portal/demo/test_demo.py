"""Tests that the demo shows every feature, in valid states only."""

import re
from datetime import datetime, timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.core.management.base import SystemCheckError
from django.db.models import F
from django.utils import timezone

from integrations.partners.models import Membership, Partner
from integrations.programs.registry import PROGRAMS
from integrations.sla import tasks
from integrations.sla.models import LabelPolicy, MonitoredRepository, SlaBreach, SlaClock, SupportIssue
from integrations.submissions.models import Agreement, Integration, Meeting, RequirementFulfillment
from integrations.submissions.workflow.states import Stage
from portal.accounts.models import User
from portal.audit.models import AuditEvent
from portal.audit.verification import find_chain_faults
from portal.demo.checks import run_nightly_checks
from portal.demo.consistency import check_next_action, check_results
from portal.demo.repositories import build_release_files, describe_repository
from portal.demo.sla import UNREADABLE_INTEGRATION, update_issues
from portal.directory.install_snippets import build_snippet
from portal.directory.observed_versions import get_observed_versions
from portal.directory.views.installation import build_version_context, get_published_versions
from portal.jobs.models import Job
from portal.notifications.models import EmailMessage
from portal.system_checks import check_demo_is_absent
from tests.codebase.project_files import ROOT
from tests.portal.demo.readme_states import README_STATES
from tests.verification.releases import terraform
from verification.checks.models import CheckResult
from verification.checks.nightly import plan_nightly_runs
from verification.checks.services.results import store_result
from verification.outcomes import Outcome, Result
from verification.releases.artifacts import file_names
from verification.releases.install_layout import Source
from verification.testruns.selectors import get_latest_test_runs

pytestmark = pytest.mark.any_database


@pytest.fixture
def demo(demo_world: None, db: None) -> None:
    """Load the demo world for a test."""


def test_demo_world_shows_every_program_stage_and_role(demo: None) -> None:
    rows = list(Integration.objects.select_related("partner"))
    assert {row.program_key for row in rows} == set(PROGRAMS)
    assert {row.stage for row in rows} == {str(stage) for stage in Stage}
    assert {row.responsible_party for row in rows if row.is_open} == {"partner", "program", "portal", "third_party"}
    assert set(Membership.objects.values_list("role", flat=True)) == {"owner", "editor", "viewer"}
    assert list(find_chain_faults(AuditEvent.objects.order_by("stream", "seq"))) == []
    for partner in Partner.objects.all():
        assert partner.events.filter(stream=f"partner:{partner.pk}", event_type="partner.created").count() == 1


def test_every_next_action_of_the_demo_world_is_the_derived_one(demo: None) -> None:
    now = timezone.now()
    for row in Integration.objects.all():
        assert list(check_next_action(row, now)) == []


def test_next_action_that_a_job_has_not_refreshed_yet_is_no_contradiction(demo: None) -> None:
    pending = Integration.objects.filter(next_action_code="decision_pending", next_refresh_at__isnull=False)
    assert [list(check_next_action(row, row.next_refresh_at + timedelta(hours=1))) for row in pending] == [[]]


def test_demo_world_shows_partly_completed_steps(demo: None) -> None:
    now = timezone.now()
    waiting = {
        (s.status, s.data.get("waits_for"))
        for s in RequirementFulfillment.objects.filter(status="awaiting_other_party")
    }
    assert waiting >= {("awaiting_other_party", "partner"), ("awaiting_other_party", "program")}
    meeting = Meeting.objects.get(state="proposed")
    assert meeting.by_program
    assert all(datetime.fromisoformat(moment) > now for moment in meeting.times)
    assert [a.partner.name for a in Agreement.objects.filter(completed_at=None)] == ["Marlow Metrics"]
    failed = RequirementFulfillment.objects.filter(status="fail", waiver_expires_at=None).select_related("integration")
    assert {state.integration.responsible_party for state in failed} == {"partner"}
    undoable = Integration.objects.get(undo_until__gt=now)
    assert undoable.stage == "release"
    assert EmailMessage.objects.filter(integration=undoable, name="integration_approved", sent_at=None).exists()


def test_integrations_in_the_readme_are_in_the_stated_state(demo: None) -> None:
    table = (ROOT / "README.md").read_text().partition("| Integration | State |")[2].partition("\n\n")[0]
    entries = []
    for names, states in re.findall(r"^\| (\w.*?) \| (.*?) \|$", table, re.MULTILINE):
        common, _, own_states = states.rpartition(": ")
        pairs = zip(names.split(", "), own_states.split("; "), strict=True)
        entries += [(name, {state, common} - {""}) for name, state in pairs]
    for name, states in entries:
        for state in states:
            assert Integration.objects.filter(README_STATES[state], name=name).exists(), f"{name}: {state}"
    assert {state for _name, states in entries for state in states} == set(README_STATES)


def test_demo_refuses_production(db: None, settings: Any) -> None:
    settings.PRODUCTION = True
    for words in ((), ("--keep", "1")):
        with pytest.raises(CommandError, match="has published passwords"):
            call_command("load_demo", *words)


def test_production_refuses_a_database_with_the_demo(demo: None, settings: Any) -> None:
    assert check_demo_is_absent(None, databases=["default"]) == []
    settings.PRODUCTION = True
    (error,) = check_demo_is_absent(None, databases=["default"])
    assert error.msg == "The database contains the demo data, whose passwords are published."
    User.objects.update(is_active=False)
    assert check_demo_is_absent(None, databases=["default"]) == []
    User.objects.update(is_active=True)
    with pytest.raises(SystemCheckError, match="The database contains the demo data"):
        call_command("check", databases=["default"])


def test_demo_world_is_refused_in_a_portal_with_users(demo: None) -> None:
    with pytest.raises(CommandError, match="Load the demo world into an empty portal"):
        call_command("load_demo", stdout=StringIO())


def test_demo_world_shows_a_notice_a_dispute_a_retracted_breach_and_a_proposal(demo: None) -> None:
    assert Integration.objects.filter(listing_status="on_notice").count() == 1
    assert [issue.integration.name for issue in SupportIssue.objects.exclude(disputed="")] == ["Globex Firewall"]
    back = SlaBreach.objects.get(retracted_at__isnull=False)
    assert back.issue.title == "Second disk is not detected"
    assert LabelPolicy.objects.filter(state="proposed").count() == 1
    assert not SlaBreach.objects.filter(due_at__gt=F("issue__monitored_repository__data_up_to")).exists()


def test_demo_world_stays_consistent_for_months(demo: None) -> None:
    now = timezone.now()
    for days in (1, 30, 120):
        then = now + timedelta(days=days)
        assert update_issues(then) == MonitoredRepository.objects.filter(ended_at=None).count()
        tasks.advance_due_clocks(then)
        open_clocks = SlaClock.objects.filter(is_committed=True, monitored_repository__ended_at=None)
        data_incomplete = open_clocks.filter(state="data_incomplete").exclude(
            integration__name=UNREADABLE_INTEGRATION if days == 1 else ""
        )
        assert (data_incomplete.count(), open_clocks.filter(state__in=("running", "paused")).exists()) == (0, True)
        late = open_clocks.filter(state="overdue", due_at__lt=then - timedelta(days=20))
        assert not late.exists()
    numbers = SupportIssue.objects.values_list("monitored_repository_id", "number")
    assert len(set(numbers)) == len(numbers)


def test_demo_world_shows_a_test_run_of_each_kind(demo: None) -> None:
    outcomes_by_name = {
        row.name: [each["outcome"] for each in get_latest_test_runs(row)] for row in Integration.objects.all()
    }
    assert {name: outcomes for name, outcomes in outcomes_by_name.items() if outcomes} == {
        "Rocket": ["fail", "warn"],
        "Rocket preflight": ["warn"],
        "Booster driver": ["warn"],
    }


def test_demo_world_shows_a_severity_lowered_by_agreement(demo: None) -> None:
    issue = SupportIssue.objects.get(title__startswith="Graphs on the dashboard")
    clock = issue.clocks.get(is_committed=True)
    assert (issue.severity, issue.disputed, clock.state, clock.severity) == ("other", "", "running", "other")
    events = AuditEvent.objects.filter(integration=issue.integration, data__issue=str(issue.uuid))
    assert list(events.order_by("seq").values_list("event_type", flat=True)) == [
        "issue.severity_reduction_requested",
        "issue.severity_reduced",
    ]


def test_demo_world_satisfies_every_rule(demo: None) -> None:
    out = StringIO()
    call_command("load_demo", verify=True, stdout=out)
    counts = f"{Integration.objects.count()} integrations, {CheckResult.objects.conclusive().count()} check results"
    assert out.getvalue() == f"{counts}, 0 contradictions\n"
    assert CheckResult.objects.conclusive().count() > 900


def test_check_result_without_a_source_is_a_contradiction(demo: None) -> None:
    dns = Integration.objects.get(name="Nordlicht DNS")
    store_result(dns, "repository.license", Result(Outcome.PASS, "Fine."), timezone.now(), previous=None)
    (result, status) = check_results(dns, timezone.now())
    assert re.sub(r"commit \w+", "commit …", result) == (
        "repository.license is stored as “pass: Fine.”, but returns “fail: The commit … has no license file.”."
    )
    assert status == "TP-LIC has the status fail, but the outcome of its checks is pass."


def test_check_results_of_the_demo_world_stay_current(demo: None) -> None:
    later = timezone.now() + timedelta(days=3)
    stale = RequirementFulfillment.objects.filter(integration__in=Integration.objects.open(), valid_until__lte=later)
    assert stale.exists()
    run_nightly_checks(later)
    assert not stale.exists()


def test_checks_of_a_renamed_integration_return_the_same_results(demo: None) -> None:
    rocket = Integration.objects.get(name="Rocket")
    Integration.objects.filter(pk=rocket.pk).update(name="Rocket 2")
    rocket.refresh_from_db()
    assert list(check_results(rocket, timezone.now())) == []


def test_contradictions_are_found(demo: None) -> None:
    rocket = Integration.objects.get(name="Nordlicht")
    Integration.objects.filter(pk=rocket.pk).update(repository="nordlicht/cloud", next_action_code="sign")
    RequirementFulfillment.objects.filter(integration=rocket, requirement_id="TP-LIST").update(data={})
    RequirementFulfillment.objects.filter(integration=rocket, requirement_id="TP-APPLY").delete()
    out = StringIO()
    with pytest.raises(CommandError, match="contradictions"):
        call_command("load_demo", verify=True, stdout=out)
    assert out.getvalue().splitlines() == [
        "Nordlicht: The program requires a repository named terraform-provider-NAME, in lowercase. "
        "This repository is named cloud.",
        "Nordlicht: TP-LIST: text",
        "Nordlicht: TP-APPLY is missing in the stage support.",
        "Nordlicht: The next action is ('portal', 'sign', {}, ''), but should be "
        "('partner', 'complete_form', {'title': 'Technology Partner Program application'}, "
        "'requirement:TP-APPLY').",
        "Nordlicht: The counts of requirements are outdated.",
        "Nordlicht: The listing is outdated: blurb.",
        "Nordlicht: The listing is outdated: search_text.",
    ]


def test_demo_world_has_integrations_in_both_editions(demo: None) -> None:
    moved = AuditEvent.objects.filter(event_type="integration.edition_moved").values_list(
        "integration__name", flat=True
    )
    providers = Integration.objects.filter(program_key="terraform-provider")
    assert set(moved) == {"Globex Firewall", "Kestrel warehouse", "Umbra scan"}
    assert set(providers.values_list("edition_date", flat=True)) == {"2021-10", "2026-06"}


def test_running_portal_does_not_check_the_fictional_repositories(demo: None) -> None:
    now = timezone.now()
    assert (plan_nightly_runs(now), Job.objects.filter(kind="checks.run", run_after__lte=now).count()) == (0, 0)


def test_companies_of_the_demo_world_are_verified_by_their_owners_addresses(demo: None) -> None:
    for partner in Partner.objects.prefetch_related("verifications"):
        proofs = [(each.method, each.subject) for each in partner.verifications.all()]
        assert (partner.verification_state, proofs) == ("verified", [("email", partner.domain)])


@terraform.needs_terraform
def test_terraform_installs_the_providers_of_the_snippets(demo: None, tmp_path: Path) -> None:
    providers = Integration.objects.filter_released().filter(program_key="terraform-provider", listing_status="listed")
    observed_versions = get_observed_versions(providers.values_list("pk", flat=True))
    for row in providers:
        repository = describe_repository(row, timezone.now())
        published = get_published_versions(row)
        assert published is not None
        name = file_names.build_archive_name(repository.product, published.newest, "linux", "amd64")
        archive = tmp_path / "mirror" / "registry.terraform.io" / repository.owner / repository.product / name
        archive.parent.mkdir(parents=True)
        archive.write_bytes(build_release_files(repository)[name])
        snippet = build_snippet(row, observed_versions[row.pk])
        assert snippet is not None
        installation = build_version_context(Source(repository.owner, repository.product), published, "", "linux_amd64")
        for number, text in enumerate((snippet.text, str(installation["required"]))):
            module = tmp_path / f"{repository.owner}-{repository.product}-{number}"
            module.mkdir()
            (module / "main.tf").write_text(text)
    modules = sorted(path.name for path in tmp_path.iterdir() if path.name != "mirror")
    (tmp_path / "main.tf").write_text("".join(f'module "{name}" {{\n  source = "./{name}"\n}}\n' for name in modules))
    settings = tmp_path / "terraform.rc"
    settings.write_text(f'provider_installation {{\n  filesystem_mirror {{\n    path = "{tmp_path}/mirror"\n  }}\n}}\n')
    process = terraform.run_init(tmp_path, TF_CLI_CONFIG_FILE=str(settings))
    assert (process.returncode, process.stdout.count("Installed provider version: ")) == (0, len(providers)), (
        process.stdout
    )
    assert len(providers) > 5
