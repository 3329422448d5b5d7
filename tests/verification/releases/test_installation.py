"""Tests that Terraform installs a provider as the installation page says."""

import os
import shutil
from pathlib import Path

import pytest

from tests.verification.releases import terraform
from tests.verification.releases.world import ELF, Release, World
from verification.releases import install_layout
from verification.releases.install_layout import Source

pytestmark = pytest.mark.skipif(not terraform.available(), reason="Terraform is not installed")
LOCK_FILE, CACHE_FOLDER = ".terraform.lock.hcl", ".terraform.d/plugin-cache"


def locate(folder: Path, what: str, name: str, version: str, platform: str = "linux_amd64") -> Path:
    """Return the path of a provider in one of the places that the page lists, with `folder` as the home folder."""
    os_name, _, arch = platform.partition("_")
    source = Source("acme", name, terraform.HOST)
    path = next(
        place.path for place in install_layout.list_places(source, version, os_name, arch) if place.what == what
    )
    home = r"%APPDATA%\terraform.d" if os_name == "windows" else "~/.terraform.d"
    return folder / path.replace(home, ".terraform.d").replace("$HOME/", "").replace("\\", "/")


def init(folder: Path, url: str, name: str, constraint: str, *options: str, settings: str = "", **more: str) -> str:
    """Run Terraform in the folder. Return its errors, blank if it installs the provider."""
    folder.mkdir(exist_ok=True)
    version = f'{{ source = "{terraform.HOST}/acme/{name}", version = "{constraint}" }}'
    (folder / "main.tf").write_text(f"terraform {{\n  required_providers {{\n    {name} = {version}\n  }}\n}}\n")
    config = terraform.write_cli_config(folder, url)
    config.write_text(config.read_text() + settings)
    process = terraform.run(folder, *options, TF_CLI_CONFIG_FILE=str(config), **more)
    return "" if process.returncode == 0 else process.stdout + process.stderr


def list_installed(folder: Path, name: str) -> list[str]:
    """Return the versions in the working folder."""
    place = locate(folder, "Working folder", name, "VERSION").parents[1]
    return sorted(path.name for path in place.parent.iterdir())


@pytest.mark.parametrize(("platform", "is_found"), [("linux_amd64", True), ("windows_amd64", False)])
def test_terraform_reads_the_folder_of_its_own_platform_alone(tmp_path: Path, platform: str, is_found: bool) -> None:
    source = Source("acme", "rocket", terraform.HOST)
    for version in ("1.2.3", "1.10.0", "2.0.0"):
        program = locate(tmp_path, "User plugins, unpacked", "rocket", version, platform)
        program.parent.mkdir(parents=True)
        program.write_bytes(ELF)
        program.chmod(0o755)
    (tmp_path / "main.tf").write_text(install_layout.format_required_providers(source, "1.2.3"))
    (tmp_path / "terraform.rc").write_text("")
    process = terraform.run(tmp_path, TF_CLI_CONFIG_FILE=str(tmp_path / "terraform.rc"))
    assert (process.returncode == 0) is is_found, process.stdout
    if is_found:
        assert list_installed(tmp_path, "rocket") == ["1.10.0"]


def test_terraform_keeps_the_installed_version_until_the_upgrade(tmp_path: Path, world: World) -> None:
    world.publish(Release("kept"))
    assert init(tmp_path / "one", world.url, "kept", "~> 1.0") == ""
    world.publish(Release("kept", version="1.1.0"))
    assert init(tmp_path / "one", world.url, "kept", "~> 1.0") == ""
    assert init(tmp_path / "two", world.url, "kept", "~> 1.0") == ""
    assert [list_installed(tmp_path / name, "kept") for name in ("one", "two")] == [["1.0.0"], ["1.1.0"]]
    assert init(tmp_path / "one", world.url, "kept", "~> 1.0", "-upgrade") == ""
    assert list_installed(tmp_path / "one", "kept") == ["1.0.0", "1.1.0"]


def test_terraform_downloads_into_the_cache_once_and_links_to_it(tmp_path: Path, world: World) -> None:
    cache, cached = tmp_path / CACHE_FOLDER, locate(tmp_path, "Plugin cache", "cached", "1.0.0")
    one, two = tmp_path / "one", tmp_path / "two"
    setting = install_layout.format_cache_setting(str(cache))
    world.publish(Release("cached"))
    cache.mkdir(parents=True)
    world.requested_paths.clear()
    assert init(one, world.url, "cached", "1.0.0", settings=setting) == ""
    two.mkdir()
    shutil.copy(one / LOCK_FILE, two)  # Terraform takes no provider from the cache whose checksums it can't compare
    assert init(two, world.url, "cached", "1.0.0", TF_PLUGIN_CACHE_DIR=str(cache)) == ""
    names = [path.rpartition("/")[2] for path in world.requested_paths]
    assert (names.count("versions"), names.count("terraform-provider-cached_1.0.0_linux_amd64.zip")) == (2, 1)
    for folder in (one, two):
        assert os.path.samefile(locate(folder, "Working folder", "cached", "1.0.0"), cached)


def test_terraform_deletes_nothing_from_the_cache(tmp_path: Path, world: World) -> None:
    cache = tmp_path / CACHE_FOLDER
    cache.mkdir(parents=True)
    for version in ("1.0.0", "1.1.0"):
        world.publish(Release("older", version=version))
        assert init(tmp_path, world.url, "older", f"= {version}", "-upgrade", TF_PLUGIN_CACHE_DIR=str(cache)) == ""
    assert all(locate(tmp_path, "Plugin cache", "older", version).is_file() for version in ("1.0.0", "1.1.0"))


def test_terraform_complains_about_a_cache_that_does_not_exist(tmp_path: Path) -> None:
    (tmp_path / "terraform.rc").write_text(install_layout.format_cache_setting(str(tmp_path / "none")))
    process = terraform.run(tmp_path, TF_CLI_CONFIG_FILE=str(tmp_path / "terraform.rc"))
    assert f"The specified plugin cache dir {tmp_path}/none cannot be opened" in process.stderr
