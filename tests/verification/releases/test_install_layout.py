"""Tests of the folders and configuration blocks that install a provider."""

import pytest

from tests.verification.checks.fake_sources import PLATFORMS_OF_2021
from tests.verification.releases import terraform
from verification.releases import install_layout
from verification.releases.install_layout import Source
from verification.sources.published_versions import find_newest_version

ROCKET = Source("acme", "rocket")
PLATFORMS = (*PLATFORMS_OF_2021, *install_layout.RECOMMENDED_PLATFORMS)


def get_paths_by_place(os="linux", source=ROCKET):
    return {each.title: each.path for each in install_layout.list_install_paths(source, "1.2.3", os, "amd64")}


def test_every_place_on_linux_has_its_path():
    address = "registry.terraform.io/acme/rocket"
    binary = "terraform-provider-rocket_v1.2.3"
    assert get_paths_by_place() == {
        "User plugins, unpacked": f"~/.terraform.d/plugins/{address}/1.2.3/linux_amd64/{binary}",
        "User plugins, packed": f"~/.terraform.d/plugins/{address}/terraform-provider-rocket_1.2.3_linux_amd64.zip",
        "User plugins, before 0.13": f"~/.terraform.d/plugins/{binary}",
        "User plugins, before 0.13, several platforms": f"~/.terraform.d/plugins/linux_amd64/{binary}",
        "Filesystem mirror, unpacked": f"MIRROR/{address}/1.2.3/linux_amd64/{binary}",
        "Filesystem mirror, packed": f"MIRROR/{address}/terraform-provider-rocket_1.2.3_linux_amd64.zip",
        "Network mirror": f"https://MIRROR/{address}/terraform-provider-rocket_1.2.3_linux_amd64.zip",
        "Plugin cache": f"$HOME/.terraform.d/plugin-cache/{address}/1.2.3/linux_amd64/{binary}",
        "Working directory": f".terraform/providers/{address}/1.2.3/linux_amd64/{binary}",
        "Working directory, own plugins": f"terraform.d/plugins/{address}/1.2.3/linux_amd64/{binary}",
    }


def test_paths_on_windows_are_below_appdata_and_home():
    paths = get_paths_by_place("windows")
    assert paths["User plugins, before 0.13"] == r"%APPDATA%\terraform.d\plugins\terraform-provider-rocket_v1.2.3.exe"
    assert paths["Plugin cache"].startswith("$HOME/.terraform.d/plugin-cache/registry.terraform.io/")


def test_cache_setting_has_forward_slashes():
    assert install_layout.format_cache_setting(r"C:\cache") == 'plugin_cache_dir = "C:/cache"\n'


@pytest.mark.parametrize(
    ("source", "version", "expected"),
    [
        (ROCKET, "1.2.3", '      source  = "acme/rocket"\n      version = "~> 1.2"\n'),
        (Source("acme", "rocket", "acme.io"), "0.1.0", '"acme.io/acme/rocket"\n      version = "~> 0.1.0"\n'),
    ],
)
def test_required_providers_have_the_source_and_a_constraint(source, version, expected):
    assert expected in install_layout.format_required_providers(source, version)


def test_provider_block_has_the_alias_and_the_arguments():
    assert install_layout.format_provider_block("rocket") == ""
    assert install_layout.format_provider_block("rocket", ["url", "token"], "west") == (
        'provider "rocket" {\n  alias = "west"\n  url   = …\n  token = …\n}\n'
    )


def test_every_platform_has_a_display_name():
    assert [p for p in PLATFORMS if install_layout.describe_platform(p).islower()] == []
    assert install_layout.describe_platform("darwin_arm64") == "macOS, 64-bit ARM"


@pytest.mark.parametrize(
    ("versions", "expected"),
    [
        (["1.0.0", "1.10.0", "1.9.0"], "1.10.0"),
        (["1.0.0", "2.0.0-rc1"], "1.0.0"),
        (["1.0.0-a", "1.0.0-b"], "1.0.0-b"),
        ([], ""),
    ],
)
def test_newest_version_is_a_stable_one_if_any(versions, expected):
    assert find_newest_version(tuple(versions)) == expected


@terraform.needs_terraform
@pytest.mark.parametrize("place", ["User plugins, unpacked", "User plugins, packed"])
def test_terraform_finds_a_provider_in_the_user_plugins(tmp_path, place):
    source = Source("acme", "rocket", "registry.acme-tools.io")
    path = get_paths_by_place(source=source)[place]
    configuration = install_layout.format_required_providers(source, "1.2.3")
    assert terraform.init_with_provider_at(tmp_path, path, configuration) == ""


def test_child_module_gets_the_alias_of_the_provider():
    assert install_layout.format_child_module(ROCKET, "west") == (
        'module "child" {\n  source    = "./child"\n  providers = { rocket.west = rocket.west }\n}\n\n'
        "# in ./child\nterraform {\n  required_providers {\n    rocket = {\n"
        '      source                = "acme/rocket"\n      configuration_aliases = [rocket.west]\n    }\n  }\n}\n'
    )
