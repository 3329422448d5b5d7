"""Tests of the test run summaries for reviewers."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from integrations.submissions.models import Integration
from tests.conftest import NOW, create_integration
from verification.testruns import selectors
from verification.testruns.kinds.provider_lifecycle.records import ProviderLifecycleRecords
from verification.testruns.models import TestRun

INPUTS = dict.fromkeys(("base", "changed", "failing_change", "refused", "partial", "account"), "") | {
    "hosts": [],
    "variables": [],
}
RECORDS = ProviderLifecycleRecords(is_complete=True).as_dict()
RESULTS = [
    {"rule": "plan", "outcome": "pass", "title": "The plan creates", "summary": "It does."},
    {"rule": "left", "outcome": "warn", "title": "Nothing is left", "summary": "Something may be."},
    {"rule": "again", "outcome": "fail", "title": "The second plan is empty", "summary": "It changes tags."},
]
ENDED_RUN_FIELDS = {"requested_at": NOW, "finished_at": NOW + timedelta(minutes=1)}


@pytest.fixture
def provider(acme: Any, alice: Any) -> Integration:
    return create_integration(acme, alice, "terraform-provider", repository="acme/terraform-provider-rocket")


def create_lifecycle_run(row: Integration, **more: Any) -> TestRun:
    run_fields = (
        {
            "kind": "provider_lifecycle",
            "version": "1.4.0",
            "inputs": INPUTS,
            "outcome": "fail",
            "records": RECORDS,
            "results": RESULTS,
        }
        | ENDED_RUN_FIELDS
        | more
    )
    return TestRun.objects.create(integration=row, **run_fields)


@pytest.mark.django_db
def test_review_page_shows_the_verdict_open_rules_and_a_link(provider: Integration, rita: Any, client: Client) -> None:
    row = create_lifecycle_run(provider)
    client.force_login(rita)
    for page in (
        reverse("reviews:review", args=[provider.uuid]),
        reverse("submissions:requirement", args=[provider.uuid, "TP-CODE"]),
    ):
        text = client.get(page).content.decode()
        assert "Provider acceptance test of version 1.4.0" in text
        assert "1 of 3 rules passed. Open rules: The second plan is empty; Nothing is left" in text
        assert text.index("The second plan is empty: It changes tags.") < text.index("Nothing is left: Something")
        assert f'href="/integrations/{provider.uuid}/tests/provider-lifecycle/?run={row.pk}"' in text
    assert client.get(f"/integrations/{provider.uuid}/tests/provider-lifecycle/?run={row.pk}").status_code == 200
    assert (
        "Provider acceptance test of"
        not in client.get(reverse("submissions:requirement", args=[provider.uuid, "TP-LIC"])).content.decode()
    )


@pytest.mark.django_db
def test_review_page_shows_findings_of_the_schema(provider: Integration, rita: Any, client: Client) -> None:
    results = [
        {"id": "schema.read", "outcome": "pass", "title": "Readable provider schema", "summary": "2 resources."},
        {"id": "schema.sensitive", "outcome": "warn", "title": "Secrets are marked", "summary": "1 of 3 is not."},
    ]
    TestRun.objects.create(
        integration=provider,
        kind="provider_schema",
        version="1.4.0",
        outcome="pass",
        results=results,
        **ENDED_RUN_FIELDS,
    )
    (one,) = selectors.get_latest_test_runs(provider)
    assert (one["outcome"], one["open_results"]) == ("warn", results[1:])
    client.force_login(rita)
    page = client.get(reverse("reviews:review", args=[provider.uuid])).content.decode()
    assert "Secrets are marked: 1 of 3 is not." in page
    assert f'href="/integrations/{provider.uuid}/schemas/"' in page


@pytest.mark.django_db
def test_latest_finished_test_run_counts(provider: Integration) -> None:
    create_lifecycle_run(provider, finished_at=None, outcome="", results=[])
    assert [(one["outcome"], one["finished_at"]) for one in selectors.get_latest_test_runs(provider)] == [
        ("open", None)
    ]
    TestRun.objects.update(finished_at=NOW, outcome="not_run")
    assert [(one["outcome"], one["summary"]) for one in selectors.get_latest_test_runs(provider)] == [
        ("not_run", "No result.")
    ]
    create_lifecycle_run(provider, version="1.5.0", finished_at=None)
    assert [(one["outcome"], one["title"]) for one in selectors.get_latest_test_runs(provider)] == [
        ("not_run", "Provider acceptance test of version 1.4.0")
    ]


@pytest.mark.django_db
def test_each_kind_links_to_its_own_page(rocket: Integration) -> None:
    TestRun.objects.create(integration=rocket, kind="nomad_plugin", version="1.0.0", outcome="pass", **ENDED_RUN_FIELDS)
    TestRun.objects.create(integration=rocket, kind="run_task", **ENDED_RUN_FIELDS)
    assert [one["href"].split("/")[4] for one in selectors.get_latest_test_runs(rocket)] == ["run-task", "nomad-plugin"]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("prefix_outcome", "summary"),
    [("pass", "2 of 2 rules passed."), ("not_run", "1 of 2 rules passed. Open rules: schema.prefix")],
)
def test_inspection_without_premier_features_is_decided(
    provider: Integration, prefix_outcome: str, summary: str
) -> None:
    outcomes = {"schema.read": "pass", "schema.features": "not_run", "schema.prefix": prefix_outcome}
    results = [{"id": key, "outcome": each, "title": key, "summary": ""} for key, each in outcomes.items()]
    TestRun.objects.create(
        integration=provider, kind="provider_schema", outcome="pass", results=results, **ENDED_RUN_FIELDS
    )
    runs = selectors.get_latest_test_runs(provider)
    assert [(run["outcome"], run["summary"]) for run in runs] == [(prefix_outcome, summary)]


@pytest.mark.django_db
def test_meeting_shows_test_runs_only_if_there_are_any(rocket: Integration, rita: Any, client: Client) -> None:
    client.force_login(rita)
    page = reverse("submissions:requirement", args=[rocket.uuid, "NO-7"])
    assert 'id="test-runs"' not in client.get(page).content.decode()
    TestRun.objects.create(integration=rocket, kind="nomad_plugin", version="1.0.0", outcome="pass", **ENDED_RUN_FIELDS)
    assert 'id="test-runs"' in client.get(page).content.decode()
