"""Tests of the import of several providers of a registry namespace."""

from typing import Any

import pytest

from integrations.submissions.models import Integration
from tests.conftest import NOW, create_integration, create_partner
from tests.fakes.registry import Provider, Registry, build_provider_list
from tests.verification.discovery.conftest import Read
from verification.discovery import services
from verification.discovery.imports import import_providers, load_rows
from verification.discovery.models import Discovery
from verification.sources.errors import SourceUnavailableError
from verification.sources.registry.client import ProviderSummary, RegistryClient

pytestmark = pytest.mark.any_database


@pytest.fixture
def acme_registry(registry: Registry, settings: Any) -> Registry:
    settings.REGISTRY_URL = registry.url
    settings.ALLOW_LOOPBACK_HTTP = True
    for number, name in enumerate(("rocket", "lander", "booster"), 1):
        registry.publish(Provider(f"acme/{name}", tier="partner", downloads=number, repository_id=number))
    registry.publish(Provider("acme/elsewhere", source="https://gitlab.com/acme/terraform-provider-elsewhere"))
    registry.publish(Provider("acme/hidden", unlisted=True))
    return registry


@pytest.fixture
def namespace(acme_registry: Registry, read: Read) -> Discovery:
    return read(f"{acme_registry.url}/namespaces/acme")


def test_fake_response_has_the_recorded_format(registry: Registry) -> None:
    registry.publish(Provider("acme/rocket"))
    page = build_provider_list(registry.list_namespace("acme"), {"page[size]": ["100"], "page[number]": ["1"]})
    assert set(page["data"][0]) == {"type", "id", "attributes", "links"}
    assert page["meta"]["pagination"] == {
        "page-size": 100,
        "current-page": 1,
        "next-page": None,
        "prev-page": None,
        "total-pages": 1,
        "total-count": 1,
    }


def test_all_pages_of_a_namespace_are_read(registry: Registry) -> None:
    for number in range(205):
        registry.publish(Provider(f"acme/p{number:03}"))
    providers = RegistryClient(registry.url, web=None).list_providers("acme")
    assert [provider.full_name for provider in providers] == [f"acme/p{number:03}" for number in range(205)]
    assert registry.requests == ["/v2/providers"] * 3


def test_listed_providers_are_summarized(acme_registry: Registry) -> None:
    providers = RegistryClient(acme_registry.url).list_providers("ACME")
    assert [provider.full_name for provider in providers] == [
        "acme/booster",
        "acme/elsewhere",
        "acme/lander",
        "acme/rocket",
    ]
    source = "https://github.com/acme/terraform-provider-rocket"
    assert providers[-1] == ProviderSummary("acme/rocket", source, "partner", "", 1, 1)


def test_unexpected_format_is_an_outage(acme_registry: Registry) -> None:
    acme_registry.fail(200, b'{"data": []}')
    with pytest.raises(SourceUnavailableError):
        RegistryClient(acme_registry.url).list_providers("acme")


def test_namespace_without_providers_is_not_found(acme_registry: Registry, read: Read) -> None:
    discovery = read(f"{acme_registry.url}/namespaces/nobody")
    message = "The registry lists no providers in the namespace nobody."
    assert (discovery.problem, discovery.detail) == ("not_found", message)


@pytest.mark.every_database
def test_outage_of_the_registry_is_retried(acme_registry: Registry, read: Read) -> None:
    acme_registry.fail(503)
    discovery = read(f"{acme_registry.url}/namespaces/acme")
    assert (discovery.problem, discovery.finished_at) == ("outage", None)


@pytest.mark.every_database
def test_page_says_which_providers_the_portal_has(
    namespace: Discovery, sign_in: Any, alice: Any, acme: Any, charlie: Any
) -> None:
    create_integration(acme, alice, "terraform-provider", repository="acme/terraform-provider-rocket", repository_id=1)
    create_integration(
        charlie.memberships.get().partner, charlie, "terraform-provider", name="X", repository="a/b", repository_id=2
    )
    page = sign_in(alice).get(f"/new/{namespace.uuid}/")
    rows = [(row.provider.full_name, row.note, row.is_available) for row in page.context["providers"]]
    assert rows == [
        ("acme/booster", "", True),
        ("acme/lander", "Someone is working on this.", True),
        ("acme/elsewhere", "The registry lists no repository on github.com.", False),
        ("acme/rocket", "Already in the portal", False),
    ]


def list_outcomes(discovery: Discovery) -> dict[str, str]:
    discovery.refresh_from_db()
    return {row.full_name: str(row.outcome) for row in load_rows(discovery)}


@pytest.mark.every_database
def test_import_creates_each_integration_once(namespace: Discovery, alice: Any, acme: Any) -> None:
    create_integration(acme, alice, "terraform-provider", repository="acme/terraform-provider-rocket", repository_id=1)
    categories = dict.fromkeys(["acme/rocket", "acme/lander", "acme/elsewhere"], "networking")
    for _ in range(2):
        import_providers(namespace, lambda: acme, categories, ["Open Source"], actor=alice, now=NOW)
    assert list_outcomes(namespace) == {
        "acme/booster": "",
        "acme/elsewhere": "no_repository",
        "acme/lander": "created",
        "acme/rocket": "exists",
    }
    created = Integration.objects.exclude(name="Rocket").get()
    assert (created.name, created.category, created.offerings, created.repository, created.repository_id) == (
        "Lander",
        "networking",
        ["Open Source"],
        "acme/terraform-provider-lander",
        2,
    )


@pytest.mark.every_database
def test_second_import_of_a_namespace_creates_nothing(
    namespace: Discovery, read: Read, acme_registry: Registry, alice: Any, acme: Any
) -> None:
    other = read(f"{acme_registry.url}/providers/acme")
    for discovery in (namespace, other):
        import_providers(discovery, lambda: acme, {"acme/lander": "vcs"}, ["Open Source"], actor=alice, now=NOW)
    assert (list_outcomes(other)["acme/lander"], Integration.objects.count()) == ("exists", 1)


def test_import_from_the_page_shows_a_summary(namespace: Discovery, sign_in: Any, alice: Any) -> None:
    client = sign_in(alice)
    url = f"/new/{namespace.uuid}/"
    fields = {
        "providers": ["acme/lander", "acme/elsewhere"],
        "category-acme/lander": "networking",
        "category-acme/elsewhere": "networking",
        "offerings": ["Open Source"],
    }
    response = client.post(url, fields)
    assert (response.status_code, response.url) == (302, url)
    page = client.get(url)
    assert [(row.full_name, reason) for row, reason in page.context["imported"]] == [
        ("acme/lander", ""),
        ("acme/elsewhere", "The registry lists no repository on github.com."),
    ]
    assert "1 integration started." in page.text
    # A double click: nothing is created again, so no success is reported.
    client.post(url, fields)
    assert "0 integrations started." in client.get(url).text


def test_provider_can_be_imported_again_after_its_integration_has_ended(
    namespace: Discovery, alice: Any, acme: Any
) -> None:
    for _ in range(2):
        import_providers(namespace, lambda: acme, {"acme/lander": "vcs"}, ["Open Source"], actor=alice, now=NOW)
        Integration.objects.update(stage="withdrawn", responsible_party="")
    assert Integration.objects.count() == 2


@pytest.mark.parametrize(
    ("fields", "errors"),
    [
        ({"offerings": ["Open Source"]}, {"providers": ["Select at least one provider."]}),
        (
            {"providers": ["acme/lander"], "offerings": ["Open Source"]},
            {"category-acme/lander": ["Select a category."]},
        ),
        (
            {"providers": ["x/y"]},
            {"providers": ["Unknown provider. Select from the list."], "offerings": ["Select at least one option."]},
        ),
    ],
)
def test_incomplete_selection_reports_missing_fields(
    namespace: Discovery, sign_in: Any, alice: Any, fields: Any, errors: Any
) -> None:
    page = sign_in(alice).post(f"/new/{namespace.uuid}/", fields)
    assert (page.status_code, page.context["form"].errors, Integration.objects.count()) == (422, errors, 0)


def test_import_for_another_company_is_refused(namespace: Discovery, alice: Any) -> None:
    other = create_partner("Initech", "initech.example")
    with pytest.raises(services.ActionRefused):
        import_providers(namespace, lambda: other, {"acme/lander": "vcs"}, ["Open Source"], actor=alice, now=NOW)
    assert Integration.objects.count() == 0
