"""Tests that Terraform installs providers as the installation page says."""

import os
import shutil
from pathlib import Path

import pytest

from tests.verification.releases import terraform
from tests.verification.releases.release_registry import ELF, Release, ReleaseRegistry
from verification.releases import install_layout
from verification.releases.install_layout import Source

pytestmark = terraform.needs_terraform
LOCK_FILE = ".terraform.lock.hcl"
CACHE_FOLDER = ".terraform.d/plugin-cache"


def get_provider_path(folder: Path, place: str, name: str, version: str, platform: str = "linux_amd64") -> Path:
    """Return the path of a provider in a place of the installation page, with `folder` as the home folder."""
    os_name, _, arch = platform.partition("_")
    source = Source("acme", name, terraform.HOST)
    install_paths = install_layout.list_install_paths(source, version, os_name, arch)
    path = next(each.path for each in install_paths if each.title == place)
    home = r"%APPDATA%\terraform.d" if os_name == "windows" else "~/.terraform.d"
    return folder / path.replace(home, ".terraform.d").replace("$HOME/", "").replace("\\", "/")


def install(
    folder: Path, url: str, name: str, constraint: str, *options: str, settings: str = "", **variables: str
) -> str:
    """Run Terraform in the folder. Return its errors, blank if it installs the provider."""
    folder.mkdir(exist_ok=True)
    version = f'{{ source = "{terraform.HOST}/acme/{name}", version = "{constraint}" }}'
    (folder / "main.tf").write_text(f"terraform {{\n  required_providers {{\n    {name} = {version}\n  }}\n}}\n")
    config = terraform.write_cli_config(folder, url)
    config.write_text(config.read_text() + settings)
    process = terraform.run_init(folder, *options, TF_CLI_CONFIG_FILE=str(config), **variables)
    return "" if process.returncode == 0 else process.stdout + process.stderr


def list_installed_versions(folder: Path, name: str) -> list[str]:
    """Return the versions in the working folder."""
    versions = get_provider_path(folder, "Working directory", name, "VERSION").parents[2]
    return sorted(path.name for path in versions.iterdir())


@pytest.mark.parametrize(("platform", "is_found"), [("linux_amd64", True), ("windows_amd64", False)])
def test_terraform_reads_only_the_folder_of_its_platform(tmp_path: Path, platform: str, is_found: bool) -> None:
    source = Source("acme", "rocket", terraform.HOST)
    for version in ("1.2.3", "1.10.0", "2.0.0"):
        program = get_provider_path(tmp_path, "User plugins, unpacked", "rocket", version, platform)
        program.parent.mkdir(parents=True)
        program.write_bytes(ELF)
        program.chmod(0o755)
    (tmp_path / "main.tf").write_text(install_layout.format_required_providers(source, "1.2.3"))
    (tmp_path / "terraform.rc").write_text("")
    process = terraform.run_init(tmp_path, TF_CLI_CONFIG_FILE=str(tmp_path / "terraform.rc"))
    assert (process.returncode == 0) is is_found, process.stdout
    if is_found:
        assert list_installed_versions(tmp_path, "rocket") == ["1.10.0"]


def test_terraform_keeps_the_installed_version_until_an_upgrade(tmp_path: Path, registry: ReleaseRegistry) -> None:
    registry.publish(Release("locked"))
    assert install(tmp_path / "one", registry.url, "locked", "~> 1.0") == ""
    registry.publish(Release("locked", version="1.1.0"))
    assert install(tmp_path / "one", registry.url, "locked", "~> 1.0") == ""
    assert install(tmp_path / "two", registry.url, "locked", "~> 1.0") == ""
    assert [list_installed_versions(tmp_path / name, "locked") for name in ("one", "two")] == [["1.0.0"], ["1.1.0"]]
    assert install(tmp_path / "one", registry.url, "locked", "~> 1.0", "-upgrade") == ""
    assert list_installed_versions(tmp_path / "one", "locked") == ["1.0.0", "1.1.0"]


def test_terraform_downloads_into_the_cache_once_and_links_to_it(tmp_path: Path, registry: ReleaseRegistry) -> None:
    cache = tmp_path / CACHE_FOLDER
    cached = get_provider_path(tmp_path, "Plugin cache", "cached", "1.0.0")
    one = tmp_path / "one"
    two = tmp_path / "two"
    setting = install_layout.format_cache_setting(str(cache))
    registry.publish(Release("cached"))
    cache.mkdir(parents=True)
    registry.requested_paths.clear()
    assert install(one, registry.url, "cached", "1.0.0", settings=setting) == ""
    two.mkdir()
    shutil.copy(one / LOCK_FILE, two)  # Terraform uses a cached provider only if the lock file has its checksums
    assert install(two, registry.url, "cached", "1.0.0", TF_PLUGIN_CACHE_DIR=str(cache)) == ""
    names = [path.rpartition("/")[2] for path in registry.requested_paths]
    assert (names.count("versions"), names.count("terraform-provider-cached_1.0.0_linux_amd64.zip")) == (2, 1)
    for folder in (one, two):
        assert os.path.samefile(get_provider_path(folder, "Working directory", "cached", "1.0.0"), cached)


def test_terraform_deletes_nothing_from_the_cache(tmp_path: Path, registry: ReleaseRegistry) -> None:
    cache = tmp_path / CACHE_FOLDER
    cache.mkdir(parents=True)
    for version in ("1.0.0", "1.1.0"):
        registry.publish(Release("older", version=version))
        assert (
            install(tmp_path, registry.url, "older", f"= {version}", "-upgrade", TF_PLUGIN_CACHE_DIR=str(cache)) == ""
        )
    assert all(
        get_provider_path(tmp_path, "Plugin cache", "older", version).is_file() for version in ("1.0.0", "1.1.0")
    )


def test_terraform_reports_a_missing_cache_folder(tmp_path: Path) -> None:
    (tmp_path / "terraform.rc").write_text(install_layout.format_cache_setting(str(tmp_path / "missing")))
    process = terraform.run_init(tmp_path, TF_CLI_CONFIG_FILE=str(tmp_path / "terraform.rc"))
    assert f"The specified plugin cache dir {tmp_path}/missing cannot be opened" in process.stderr
