import pytest

from tests.verification.checks.rules.test_publication import PLATFORMS_OF_2021
from tests.verification.releases import terraform
from verification.releases import install_layout
from verification.releases.install_layout import Source
from verification.sources.published_versions import find_newest_version

ROCKET = Source("acme", "rocket")
PLATFORMS = (*PLATFORMS_OF_2021, *install_layout.RECOMMENDED_PLATFORMS)


def paths(version, os, arch):
    return {place.what: place.path for place in install_layout.list_places(ROCKET, version, os, arch)}


def test_places_on_linux():
    address, binary = "registry.terraform.io/acme/rocket", "terraform-provider-rocket_v1.2.3"
    assert paths("1.2.3", "linux", "amd64") == {
        "User plugins, unpacked": f"~/.terraform.d/plugins/{address}/1.2.3/linux_amd64/{binary}",
        "User plugins, packed": f"~/.terraform.d/plugins/{address}/terraform-provider-rocket_1.2.3_linux_amd64.zip",
        "User plugins, before 0.13": f"~/.terraform.d/plugins/{binary}",
        "User plugins, before 0.13, several systems": f"~/.terraform.d/plugins/linux_amd64/{binary}",
        "Mirror in a folder, unpacked": f"MIRROR/{address}/1.2.3/linux_amd64/{binary}",
        "Mirror in a folder, packed": f"MIRROR/{address}/terraform-provider-rocket_1.2.3_linux_amd64.zip",
        "Mirror on the web": f"https://MIRROR/{address}/terraform-provider-rocket_1.2.3_linux_amd64.zip",
        "Plugin cache": f"$HOME/.terraform.d/plugin-cache/{address}/1.2.3/linux_amd64/{binary}",
        "Working folder": f".terraform/providers/{address}/1.2.3/linux_amd64/{binary}",
        "Working folder, own plugins": f"terraform.d/plugins/{address}/1.2.3/linux_amd64/{binary}",
    }


def test_places_on_windows():
    paths_by_place = paths("1.2.3", "windows", "amd64")
    assert (
        paths_by_place["User plugins, before 0.13"]
        == r"%APPDATA%\terraform.d\plugins\terraform-provider-rocket_v1.2.3.exe"
    )
    assert paths_by_place["Plugin cache"].startswith("$HOME/.terraform.d/plugin-cache/registry.terraform.io/")


def test_cache_setting_has_forward_slashes():
    assert install_layout.format_cache_setting(r"C:\cache") == 'plugin_cache_dir = "C:/cache"\n'


@pytest.mark.parametrize(
    ("source", "version", "expected"),
    [
        (ROCKET, "1.2.3", '      source  = "acme/rocket"\n      version = "~> 1.2"\n'),
        (Source("acme", "rocket", "acme.io"), "0.1.0", '"acme.io/acme/rocket"\n      version = "~> 0.1.0"\n'),
    ],
)
def test_required_providers(source, version, expected):
    assert expected in install_layout.format_required_providers(source, version)


def test_provider_block():
    assert install_layout.format_provider_block("rocket") == ""
    assert install_layout.format_provider_block("rocket", ["url", "token"], "west") == (
        'provider "rocket" {\n  alias = "west"\n  url   = …\n  token = …\n}\n'
    )


def test_platforms_have_names():
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
def test_newest(versions, expected):
    assert find_newest_version(tuple(versions)) == expected


@pytest.mark.skipif(not terraform.available(), reason="Terraform is not installed")
@pytest.mark.parametrize("what", ["User plugins, unpacked", "User plugins, packed"])
def test_terraform_finds_the_provider_in_its_place(tmp_path, what):
    source = Source("acme", "rocket", "registry.acme-tools.io")
    paths_by_place = {place.what: place.path for place in install_layout.list_places(source, "1.2.3", "linux", "amd64")}
    assert (
        terraform.finds(tmp_path, paths_by_place[what], install_layout.format_required_providers(source, "1.2.3")) == ""
    )


def test_child_module():
    assert install_layout.format_child_module(ROCKET, "west") == (
        'module "child" {\n  source    = "./child"\n  providers = { rocket.west = rocket.west }\n}\n\n'
        "# in ./child\nterraform {\n  required_providers {\n    rocket = {\n"
        '      source                = "acme/rocket"\n      configuration_aliases = [rocket.west]\n    }\n  }\n}\n'
    )
