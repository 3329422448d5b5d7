"""Tests of provider acceptance tests in the portal."""

import html
import json
import logging
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.apps import apps
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from integrations.submissions.models import Integration, TestCredential
from portal.core import crypto
from portal.core.errors import ActionRefused
from portal.jobs.definitions import DEFAULT_LEASE
from portal.jobs.execution import claim, run_due_jobs
from portal.jobs.models import Job
from tests.conftest import create_integration
from tests.verification.markers import needs_sandbox, needs_terraform_or_opentofu
from tests.verification.testruns.provider_lifecycle.world import (
    BASE,
    CANARY,
    CHANGED_CONFIG,
    READABLE,
    build_target,
    write_executable,
)
from verification.sources import build_outbound_client
from verification.sources.http.client import OutboundClient
from verification.testruns import services
from verification.testruns.kinds import sandbox_kind
from verification.testruns.kinds.provider_lifecycle.driver import ProviderLifecycleTestRunner
from verification.testruns.models import TestRun
from verification.testruns.sandbox_jobs import build_job_input

# stops the plan after the provider is configured, which takes less time
CONDITION = """
  lifecycle {
    precondition {
      condition     = var.ready
      error_message = "Not yet."
    }
  }
}
variable "ready" {
  default = false
}
"""
STOPPED_CONFIG = BASE.removesuffix("}\n") + CONDITION
FORM_DATA: dict[str, Any] = {
    "version": "1.0.0",
    "base": BASE,
    "changed": CHANGED_CONFIG,
    "failing_change": "",
    "refused": "",
    "partial": "",
    "hosts": "",
    "secret": f"EXAMPLE_TOKEN={CANARY}",
    "account": "",
}
STORED_CANARY = "kept-canary-8831"


@pytest.fixture
def rocket(acme: Any, alice: Any) -> Integration:
    return create_integration(
        acme, alice, program="terraform-provider", repository="acme/terraform-provider-example", name="Rocket"
    )


def fetch_leaking_provider(row: TestRun, folder: Path) -> Path:
    return write_executable("leaks")


def save_account(integration: Integration, user: Any) -> TestCredential:
    account = TestCredential(
        uuid=uuid4(),
        integration=integration,
        requirement_id="X",
        label="Test",
        created_at=timezone.now(),
        created_by=user,
    )
    account.encrypted_value = crypto.encrypt(
        crypto.Secret(f"OTHER_TOKEN={STORED_CANARY}"), account.build_encryption_context("encrypted_value")
    )
    account.save()
    return account


def dump_database() -> str:
    """Return the whole database as text."""
    models = [model for model in apps.get_models() if model._meta.managed]
    return " ".join(str(list(model._default_manager.values())) for model in models)


@needs_terraform_or_opentofu
@needs_sandbox
@pytest.mark.django_db(transaction=True)
def test_credentials_reach_the_sandbox_and_nothing_else(
    rocket: Integration, alice: Any, monkeypatch: Any, caplog: Any
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setattr(sandbox_kind, "READABLE_FOLDERS", READABLE)
    account = save_account(rocket, alice)
    form_data = FORM_DATA | {
        "base": STOPPED_CONFIG,
        "changed": STOPPED_CONFIG.replace("1.2.3.4", "5.6.7.8"),
        "account": str(account.uuid),
    }
    row = services.start_test_run("provider_lifecycle", rocket, form_data, actor=alice, now=timezone.now())
    assert CANARY not in dump_database()
    services.execute_test_run(row.pk, program_fetcher=fetch_leaking_provider)
    row.refresh_from_db()
    outcome_by_rule = {each["rule"]: each["outcome"] for each in row.results}
    assert (
        row.outcome,
        bytes(row.encrypted_secrets),
        outcome_by_rule["secrets.output"],
        outcome_by_rule["plan"],
    ) == (
        "fail",
        b"",
        "fail",
        "fail",
    )
    assert [step["key"] for step in row.records["steps"]] == ["direct", "init", "validate", "refused", "plan"]
    assert (row.inputs["variables"], account.accesses.get().kind) == (["EXAMPLE_TOKEN"], "sandbox")
    text = dump_database() + caplog.text
    for canary in (CANARY, STORED_CANARY, *CANARY.split()):
        assert canary not in text


def test_address_rules_of_the_settings_reach_the_sandbox(settings: Any, monkeypatch: Any) -> None:
    settings.BLOCKED_NETWORKS = ["198.41.0.0/24"]
    clients = []
    monkeypatch.setattr(ProviderLifecycleTestRunner, "run_steps", lambda runner: clients.append(runner.outbound))
    job_input = json.dumps(build_job_input(build_target(), (), build_outbound_client()))
    ProviderLifecycleTestRunner.run_job(json.loads(job_input), Path(), lambda _records: None)
    assert clients == [build_outbound_client()] == [OutboundClient(blocked_networks=["198.41.0.0/24"])]


@pytest.mark.django_db
def test_interrupted_test_run_is_an_error_and_not_repeated(rocket: Integration, alice: Any) -> None:
    now = timezone.now()
    row = services.start_test_run("provider_lifecycle", rocket, FORM_DATA, actor=alice, now=now)
    now = timezone.now()
    assert claim(Job.objects.filter(queue="sandbox"), now)
    assert run_due_jobs("sandbox", now + DEFAULT_LEASE) == {}
    row.refresh_from_db()
    assert (row.outcome, bytes(row.encrypted_secrets)) == ("error", b"")
    assert row.results[0]["summary"] == "We couldn't run this rule: Our worker stopped before the test run ended."


@pytest.mark.django_db(transaction=True)
def test_without_a_sandbox_every_rule_is_not_run(
    rocket: Integration, alice: Any, settings: Any, tmp_path: Path
) -> None:
    settings.SANDBOX_SOCKET = str(tmp_path / "missing.sock")
    row = services.start_test_run("provider_lifecycle", rocket, FORM_DATA, actor=alice, now=timezone.now())
    services.execute_test_run(row.pk, program_fetcher=fetch_leaking_provider)
    row.refresh_from_db()
    assert {each["outcome"] for each in row.results} == {row.outcome} == {"not_run"}
    assert row.results[0]["summary"].startswith("Not run: No sandbox on this worker")


@pytest.mark.django_db
def test_unpublished_release_is_not_started(rocket: Integration, alice: Any, registry: Any) -> None:
    row = services.start_test_run("provider_lifecycle", rocket, FORM_DATA, actor=alice, now=timezone.now())
    assert run_due_jobs("sandbox", timezone.now()) == {"testruns.provider_lifecycle": 1}
    row.refresh_from_db()
    assert row.outcome == "not_run"
    assert row.records["unavailable"].startswith("Not run: The release ")


@pytest.mark.django_db
def test_only_members_start_a_test_run_and_only_one_is_open(rocket: Integration, alice: Any, charlie: Any) -> None:
    services.start_test_run("provider_lifecycle", rocket, FORM_DATA, actor=alice, now=timezone.now())
    with pytest.raises(ActionRefused) as refusal:
        services.start_test_run("provider_lifecycle", rocket, FORM_DATA, actor=alice, now=timezone.now())
    assert str(refusal.value) == "A test run is in progress. Wait until it ends."
    with pytest.raises(ActionRefused, match="Only owners, editors, and program staff"):
        services.start_test_run("provider_lifecycle", rocket, FORM_DATA, actor=charlie, now=timezone.now())


@pytest.mark.django_db
def test_only_editors_and_the_assigned_reviewer_use_a_saved_test_account(
    rocket: Integration, alice: Any, rita: Any
) -> None:
    form_data = FORM_DATA | {"account": str(save_account(rocket, alice).uuid)}
    with pytest.raises(ActionRefused) as refusal:
        services.start_test_run("provider_lifecycle", rocket, form_data, actor=rita, now=timezone.now())
    assert (refusal.value.kind, TestRun.objects.count()) == ("forbidden", 0)
    rocket.reviewer = rita
    row = services.start_test_run("provider_lifecycle", rocket, form_data, actor=rita, now=timezone.now())
    assert row.inputs["account"] == form_data["account"]


@pytest.mark.django_db
def test_form_keeps_the_input_except_for_credentials(rocket: Integration, alice: Any, client: Client) -> None:
    client.force_login(alice)
    posted_data = {**FORM_DATA, "changed": BASE, "hosts": "https://a.io"}
    page = client.post(reverse("testruns:provider_lifecycle", args=[rocket.uuid]), posted_data)
    text = html.unescape(page.content.decode())
    assert page.status_code == 422
    assert "https://a.io isn't a host name. Enter it as api.acme.io or api.acme.io:8443." in text
    assert "tftest-volume" in text
    assert CANARY not in text


@pytest.mark.django_db
def test_page_and_json_show_the_same_verdicts(rocket: Integration, alice: Any, client: Client) -> None:
    client.force_login(alice)
    assert client.get(reverse("testruns:provider_lifecycle_json", args=[rocket.uuid])).status_code == 404
    client.post(reverse("testruns:provider_lifecycle", args=[rocket.uuid]), {**FORM_DATA, "hosts": "api.acme.io"})
    row = TestRun.objects.get()
    assert (row.inputs["hosts"], row.inputs["variables"], row.records["inputs"]) == (
        ["api.acme.io"],
        ["EXAMPLE_TOKEN"],
        ["refused", "secrets"],
    )
    claim(Job.objects.filter(queue="sandbox"), timezone.now())
    run_due_jobs("sandbox", timezone.now() + DEFAULT_LEASE)
    data = client.get(reverse("testruns:provider_lifecycle_json", args=[rocket.uuid])).json()
    assert (data["version"], data["outcome"], len(data["results"])) == ("1.0.0", "error", 19)
    page = client.get(reverse("testruns:provider_lifecycle", args=[rocket.uuid])).content.decode()
    assert "The error is on our side. Check your test account for leftover resources." in " ".join(page.split())
