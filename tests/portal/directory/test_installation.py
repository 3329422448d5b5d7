"""Tests of the page that shows how to install a provider."""

import json

import pytest
from bs4 import BeautifulSoup
from django.urls import reverse

from tests.conftest import NOW, create_integration
from tests.verification.checks.fake_sources import build_registry_listing
from verification.checks.services import observations
from verification.releases import install_layout
from verification.releases.install_layout import Source
from verification.schemas import services
from verification.terraform.versions import parse_version

pytestmark = pytest.mark.any_database

VERSIONS = ("0.9.1", *(f"1.{minor}.0" for minor in range(12)), "2.0.0-rc1")


@pytest.fixture
def provider(acme, alice):
    return create_integration(acme, alice, "terraform-provider")


@pytest.fixture
def page(sign_in, alice, provider):
    """Return a function that opens the page as Alice with a query."""

    def read(**query):
        response = sign_in(alice).get(reverse("directory:installation", args=[provider.uuid]), query)
        assert response.status_code == 200
        return BeautifulSoup(response.content, "html.parser")

    return read


@pytest.fixture
def known_provider(provider):
    picture = build_registry_listing(versions=VERSIONS, newest="1.11.0", platforms=("linux_amd64", "windows_amd64"))
    observations.store_observation(provider, "registry.listed", {"registry": picture.as_dict()}, NOW)


def list_blocks(soup):
    return {block["aria-label"]: block.code.text for block in soup.select(".code-block")}


def test_page_before_the_first_check_explains_what_is_missing(page):
    assert "No versions yet" in page().text


def test_newest_version_is_shown_with_its_constraint(page, known_provider):
    code_blocks = list_blocks(page())
    assert code_blocks["Required provider"] == (
        'terraform {\n  required_providers {\n    rocket = {\n      source  = "acme/rocket"\n'
        '      version = "~> 1.11"\n    }\n  }\n}\n'
    )
    assert 'alias = "second"' in code_blocks["Provider block with an alias"]
    assert 'plugin_cache_dir = "$HOME/.terraform.d/plugin-cache"' in code_blocks["Plugin cache"]


def test_provider_block_has_the_required_arguments_of_the_schema(page, known_provider, provider, alice):
    assert "# see the documentation for the arguments" in list_blocks(page())["Provider block"]
    attributes = {
        "endpoint": {"type": "string", "required": True},
        "pad": {"type": "string", "required": True},
        "region": {"type": "string", "optional": True},
    }
    address = "registry.terraform.io/acme/rocket"
    schema_head = {"format_version": "1.0"}
    for version, provider_attributes in (("1.10.0", {}), ("1.11.0", attributes)):
        schema = {"provider": {"version": 0, "block": {"attributes": provider_attributes}}}
        body = json.dumps(schema_head | {"provider_schemas": {address: schema}}).encode()
        services.store_schema(provider, parse_version(version), body, actor=alice, now=NOW)
    rendered_page = page()
    assert list_blocks(rendered_page)["Provider block"] == 'provider "rocket" {\n  endpoint = …\n  pad      = …\n}\n'
    assert list_blocks(rendered_page)["Provider block with an alias"].startswith(
        'provider "rocket" {\n  alias    = "second"\n  endpoint = …\n'
    )
    assert "The arguments come from the schema of version 1.11.0." in rendered_page.text
    assert "# the schema requires no arguments" in list_blocks(page(version="1.10.0"))["Provider block"]
    assert "endpoint" in list_blocks(page(version="1.3.0"))["Provider block"]


def test_resource_selects_the_second_configuration_by_its_alias(page, known_provider):
    code_blocks = list_blocks(page())
    assert code_blocks["Provider block"] == 'provider "rocket" {\n  # see the documentation for the arguments\n}\n'
    assert code_blocks["Provider block with an alias"] == (
        'provider "rocket" {\n  alias = "second"\n}\n\n'
        'resource "rocket_example" "one" {\n  provider = rocket.second\n}\n'
    )


def test_page_explains_blocks_and_paths(page, known_provider):
    text = " ".join(page().text.split())
    for message in (
        "The version constraint also allows later versions of the same series.",
        "The provider block is optional if the provider needs no arguments.",
        "Give a second configuration an alias and reference it in resources.",
        "Use these locations for systems without registry access.",
        "To share a cache between working directories, add this setting to the CLI configuration:",
    ):
        assert message in text


@pytest.mark.parametrize(
    ("version", "constraint"),
    [
        ("0.9.1", "~> 0.9.1"),
        ("1.3.0", "~> 1.3"),
        ("2.0.0-rc1", "= 2.0.0-rc1"),
        ("7.7.7", "~> 1.11"),
        ("<b>", "~> 1.11"),
    ],
)
def test_chosen_version_is_shown(page, known_provider, version, constraint):
    assert f'version = "{constraint}"' in list_blocks(page(version=version))["Required provider"]


def test_every_version_is_listed_newest_first(page, known_provider):
    rows = [row.td.a.text for row in page().select("#versions tbody tr")]
    assert rows == ["2.0.0-rc1", *(f"1.{minor}.0" for minor in range(11, -1, -1)), "0.9.1"]


def test_windows_has_its_own_paths(page, known_provider):
    paths = [code.text for code in page(platform="windows_amd64").select("code")]
    assert r"%APPDATA%\terraform.d\plugins\terraform-provider-rocket_v1.11.0.exe" in paths
    assert "terraform-provider-rocket_1.11.0_windows_amd64.zip" in paths


def test_every_path_is_shown_with_its_note(page, known_provider):
    items = page(platform="windows_amd64").select("li:has(> h3)")
    install_paths = install_layout.list_install_paths(Source("acme", "rocket"), "1.11.0", "windows", "amd64")
    assert [(item.h3.text, item.code.text, item.p.text if item.p else "") for item in items] == [
        (each.title, each.path, each.note) for each in install_paths
    ]
    assert items[3].p.text == "Terraform reads the folder and the subfolder of its own platform only."


def test_note_about_the_cache_has_the_rules_of_terraform(page, known_provider):
    note = page().find("h3", string="Plugin cache").parent.p.text
    assert note.startswith(
        "Set with plugin_cache_dir or TF_PLUGIN_CACHE_DIR, with forward slashes also on Windows. The folder must "
        "exist and must not be a plugin folder or a mirror. Terraform never deletes files in it."
    )


def test_each_platform_has_its_go_name_and_archive(page, known_provider):
    rows = page().find("caption", string="Platforms").parent.select("tbody tr")
    assert [(row.a.text, *(code.text for code in row.select("code"))) for row in rows] == [
        ("Linux, 64-bit x86", "linux_amd64", "terraform-provider-rocket_1.11.0_linux_amd64.zip"),
        ("Windows, 64-bit x86", "windows_amd64", "terraform-provider-rocket_1.11.0_windows_amd64.zip"),
    ]


@pytest.mark.parametrize(
    ("constraint", "expected"),
    [
        ("~> 1.2.0", "Terraform selects 1.2.0. 1 version matches: 1.2.0."),
        (">= 1.9, != 1.11.0", "Terraform selects 1.10.0. 2 versions match: 1.10.0, 1.9.0."),
        ("> 3", "No version matches."),
    ],
)
def test_constraint_selects_versions(page, known_provider, constraint, expected):
    assert page(constraint=constraint).select_one("#constraint-result").text.strip() == expected


@pytest.mark.parametrize(
    ("constraint", "explanation"),
    [("v1", "“v1” is not a constraint."), ("=> 1", "“=> 1” is not a constraint."), ("x" * 999, "200")],
)
def test_invalid_constraint_is_explained_at_the_field(page, known_provider, constraint, explanation):
    form = page(constraint=constraint).select_one("#versions form")
    assert explanation in form.text
    assert form.select_one("input[name=constraint]")["value"] == constraint


def test_other_kinds_of_integrations_have_no_installation_page(sign_in, alice, acme):
    other = create_integration(acme, alice, "nomad", repository="acme/nomad-driver-rocket")
    assert sign_in(alice).get(reverse("directory:installation", args=[other.uuid])).status_code == 404


def test_integration_of_another_partner_is_not_found(sign_in, charlie, provider):
    assert sign_in(charlie).get(reverse("directory:installation", args=[provider.uuid])).status_code == 404


def test_integration_page_links_to_the_installation_page(sign_in, alice, provider):
    response = sign_in(alice).get(reverse("submissions:detail", args=[provider.uuid]))
    assert reverse("directory:installation", args=[provider.uuid]) in response.text


def test_page_explains_initialization_aliases_child_modules_and_the_cache(page, known_provider):
    soup = page()
    code_blocks = list_blocks(soup)
    assert (code_blocks["Initialize"], code_blocks["Upgrade"]) == ("terraform init", "terraform init -upgrade")
    assert code_blocks["List constraints"] == "terraform providers"
    assert "configuration_aliases = [rocket.second]" in code_blocks["Child module"]
    text = " ".join(soup.text.split())
    assert "Terraform defines the arguments alias and version for every provider block." in text
    assert "Use only values that are known before the apply, such as variables." in text
    assert (
        "Terraform links cached files into working directories if the system supports it, and copies them on Windows."
        in text
    )
    assert "It still asks the registry for versions." in text
    assert "The setting is permanent. The variable overrides it in one shell." in text
