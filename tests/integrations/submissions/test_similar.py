"""Tests of overlaps with the work of other partners."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from integrations.programs.models import RegistryProvider
from integrations.submissions.models import Integration
from integrations.submissions.selectors.similar import (
    WorkDescription,
    describe_work,
    find_integration_overlaps,
    find_overlaps,
    is_similar,
    resolve_handle,
)
from integrations.submissions.services.transitions import perform_transition
from tests.conftest import NOW, advance_to_stage, create_integration

pytestmark = pytest.mark.any_database

OTHER = {"repository": "globex/terraform-provider-scan", "repository_id": 99, "name": "Scan"}


@pytest.fixture
def own_integration(acme, alice):
    return create_integration(
        acme, alice, name="Rocket", repository="acme/terraform-provider-rocket", repository_id=4711
    )


def publish(full_name, tier="community", downloads=0, number=None):
    namespace, name = full_name.split("/")
    return RegistryProvider.objects.create(
        registry_id=number or full_name,
        full_name=full_name,
        namespace=namespace,
        name=name,
        tier=tier,
        downloads=downloads,
        source=f"https://github.com/{namespace}/terraform-provider-{name}",
        imported_at=NOW,
    )


def list_kinds(overlaps_found):
    return [overlap.kind for overlap in overlaps_found]


@pytest.mark.parametrize(
    ("facts", "kind"),
    [
        ({"repository": "ACME/terraform-provider-rocket"}, "repository"),
        ({"repository": "acme/moved", "repository_id": 4711}, "repository"),
        ({"name": "ROCKET"}, "product"),
        ({"name": "Rocket Provider for Terraform"}, "name"),
        ({"name": "Rockets"}, "name"),
        ({"name": "Globex Cloud"}, None),
    ],
)
def test_work_of_others_is_found_by_kind(own_integration, globex, charlie, facts, kind):
    create_integration(globex, charlie, **(OTHER | facts))
    assert list_kinds(find_integration_overlaps(own_integration)) == ([kind] if kind else [])


def test_unlisted_work_is_reported_without_names(own_integration, globex, charlie):
    create_integration(globex, charlie, **(OTHER | {"name": "Rocket", "description": "Secret plan of Globex"}))
    (overlap,) = find_integration_overlaps(own_integration)
    assert overlap.summary == "Someone is working on this (the same product)."
    assert (overlap.is_listed, overlap.partner, overlap.title, overlap.provider, overlap.url) == (False, "", "", "", "")
    assert "globex" not in repr(overlap).lower()


def test_unlisted_work_is_never_counted(own_integration, globex, charlie):
    for number in range(3):
        create_integration(globex, charlie, **(OTHER | {"name": "Rocket", "repository_id": number}))
    assert list_kinds(find_integration_overlaps(own_integration)) == ["product"]


def test_listed_work_is_reported_by_name(own_integration, globex, charlie, rita):
    advance_to_stage(
        create_integration(globex, charlie, **(OTHER | {"name": "Rocket"})), "support", partner=charlie, reviewer=rita
    )
    (overlap,) = find_integration_overlaps(own_integration)
    assert (overlap.summary, overlap.is_listed) == ("Rocket by Globex is listed (the same product).", True)
    assert (overlap.partner, overlap.title) == ("Globex", "Rocket")


def test_own_work_is_not_an_overlap(own_integration, acme, bob):
    create_integration(acme, bob, name="Rocket")
    assert find_integration_overlaps(own_integration) == ()


def test_ended_work_is_not_an_overlap(own_integration, globex, charlie):
    other = create_integration(globex, charlie, **(OTHER | {"name": "Rocket"}))
    perform_transition(other, "withdraw", actor=charlie, note="No longer.", now=NOW)
    assert find_integration_overlaps(own_integration) == ()


def test_strongest_kind_is_reported_once(own_integration, globex, charlie):
    create_integration(globex, charlie, **(OTHER | {"name": "Rocket", "repository": own_integration.repository}))
    assert list_kinds(find_integration_overlaps(own_integration)) == ["repository"]


def test_published_providers_are_reported_most_used_first(acme):
    for number, (name, tier) in enumerate(
        [("a/rocket", "community"), ("b/rocket", "partner"), ("c/rocket", "official")]
    ):
        publish(name, tier, downloads=number)
    publish("d/rocket", downloads=50)
    publish("e/rocketry")
    overlaps = find_overlaps(WorkDescription(acme, "Rocket"))
    assert [(o.kind, o.provider) for o in overlaps] == [
        ("product", "c/rocket"),
        ("product", "b/rocket"),
        ("product", "d/rocket"),
        ("product", ""),
        ("name", "e/rocketry"),
    ]
    assert overlaps[0].summary == "c/rocket is already published in the registry (official, the same product)."
    assert overlaps[0].url == "https://registry.terraform.io/providers/c/rocket/latest"
    assert overlaps[3].summary == "1 more published provider (the same product)."


def test_own_repository_is_found_as_published(acme):
    publish("acme/rocket", "partner")
    publish("acme/rocketeer")
    overlaps = find_overlaps(WorkDescription(acme, "Something else", "Acme/terraform-provider-rocket"))
    assert [o.summary for o in overlaps] == [
        "This repository is already published as acme/rocket in the registry (partner)."
    ]


def test_partner_name_and_common_words_do_not_hide_the_product(acme):
    publish("globex/rocket")
    assert list_kinds(find_overlaps(WorkDescription(acme, "Acme Rocket for Terraform"))) == ["product"]


def test_empty_name_has_no_overlaps(acme):
    publish("globex/rocket")
    assert find_overlaps(WorkDescription(acme, "")) == ()


def test_handle_resolves_only_for_the_partner_that_saw_it(own_integration, globex, charlie):
    other = create_integration(globex, charlie, **(OTHER | {"name": "Rocket"}))
    (overlap,) = find_integration_overlaps(own_integration)
    assert resolve_handle(overlap.handle, describe_work(own_integration)) == other
    assert resolve_handle("0" * 32, describe_work(own_integration)) is None
    assert resolve_handle(overlap.handle, describe_work(Integration.objects.get(pk=other.pk))) is None


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("postgresql", "postgresq1", True),
        ("datadog", "datadoglogs", True),
        ("uptimerobot", "uptimerobots", True),
        ("rocket", "socket", False),
        ("aws", "awscc", False),
        ("datadog", "databricks", False),
    ],
)
def test_names_are_compared(one, other, expected):
    assert is_similar(one, other) == is_similar(other, one) == expected


@pytest.mark.every_database
def test_queries_do_not_grow_with_the_rows(own_integration, globex, charlie):
    def queries():
        with CaptureQueriesContext(connection) as captured_queries:
            find_integration_overlaps(own_integration)
        return len(captured_queries)

    assert own_integration.partner  # read before it is counted
    before = queries()
    for number in range(30):
        publish(f"n{number}/rocket{number}")
        create_integration(globex, charlie, **(OTHER | {"name": f"Rocket {number}", "repository_id": number}))
    assert queries() == before == 2
