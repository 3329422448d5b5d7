"""Installation paths and configuration of a provider. Pure functions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from portal.core.content_files import Content, load_content, load_section
from verification.releases.artifacts import file_names
from verification.terraform.versions import parse_version, suggest_constraint

# Terraform's default, so source addresses leave it out.
PUBLIC_HOST = "registry.terraform.io"
DATA = Path(__file__).parent / "data"


class PlatformNames(Content):
    """Content of platforms.yaml: names in words, and the platforms that the registry recommends today."""

    operating_systems: dict[str, str]
    architectures: dict[str, str]
    recommended: tuple[str, ...]


PLATFORM_NAMES = load_content(DATA / "platforms.yaml", PlatformNames)
RECOMMENDED_PLATFORMS = PLATFORM_NAMES.recommended
REQUIRED_PLATFORM = "linux_amd64"  # HCP Terraform runs on it


class InstallPath(Content):
    """Path of a file or folder, with a note for the reader. In install_paths.yaml, the path has placeholders."""

    title: str
    path: str
    note: str = ""
    always_has_slashes: bool = False


INSTALL_PATHS = load_section(DATA / "install_paths.yaml", "paths", tuple[InstallPath, ...])


@dataclass(frozen=True, slots=True)
class Source:
    """A provider's address: HOST/NAMESPACE/NAME."""

    namespace: str
    name: str
    host: str = PUBLIC_HOST

    @property
    def path(self) -> str:
        return f"{self.host}/{self.namespace}/{self.name}"

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}" if self.host == PUBLIC_HOST else self.path


def describe_platform(platform: str) -> str:
    """Return the name of a platform: "Linux, 64-bit x86" for "linux_amd64"."""
    os, _, arch = platform.partition("_")
    return f"{PLATFORM_NAMES.operating_systems.get(os, os)}, {PLATFORM_NAMES.architectures.get(arch, arch)}"


def list_install_paths(source: Source, version: str, os: str, arch: str) -> tuple[InstallPath, ...]:
    """Return the paths of the files: installed manually, in a mirror, in a cache, and in a working directory."""
    platform = f"{os}_{arch}"
    binary = file_names.build_binary_name(source.name, version, os)
    values = {
        "user_plugins": "%APPDATA%/terraform.d/plugins" if os == "windows" else "~/.terraform.d/plugins",
        "unpacked": f"{source.path}/{version}/{platform}/{binary}",
        "packed": f"{source.path}/{file_names.build_archive_name(source.name, version, os, arch)}",
        "platform": platform,
        "binary": binary,
    }
    return tuple(replace(each, path=_format_path(each, os, values)) for each in INSTALL_PATHS)


def _format_path(install_path: InstallPath, os: str, values: dict[str, str]) -> str:
    path = install_path.path.format(**values)
    return path.replace("/", "\\") if os == "windows" and not install_path.always_has_slashes else path


def format_cache_setting(folder: str) -> str:
    """Return the CLI setting of the plugin cache. Backslashes become slashes because they would start an escape."""
    folder = folder.replace("\\", "/")
    return f'plugin_cache_dir = "{folder}"\n'


def format_required_providers(source: Source, version: str) -> str:
    """Return the block that requires this version or a later one of its series. Raises InvalidVersionError."""
    return _format_requirement(source, {"version": f'"{suggest_constraint(parse_version(version))}"'})


def _format_requirement(source: Source, arguments: Mapping[str, str]) -> str:
    lines = _format_arguments({"source": f'"{source}"', **arguments}, indent=6)
    return f"terraform {{\n  required_providers {{\n    {source.name} = {{\n{lines}    }}\n  }}\n}}\n"


def _format_arguments(arguments: Mapping[str, str], *, indent: int) -> str:
    """Return arguments in lines with aligned equals signs, as by terraform fmt."""
    width = max(map(len, arguments), default=0)
    return "".join(f"{' ' * indent}{name.ljust(width)} = {value}\n" for name, value in arguments.items())


def format_provider_block(name: str, required_arguments: Sequence[str] = (), alias: str = "") -> str:
    """Return the provider block with the required arguments, blank without arguments and alias."""
    arguments = ({"alias": f'"{alias}"'} if alias else {}) | dict.fromkeys(required_arguments, "…")
    return f'provider "{name}" {{\n{_format_arguments(arguments, indent=2)}}}\n' if arguments else ""


def format_child_module(source: Source, alias: str) -> str:
    """Return a module call that passes a configuration with an alias, and what the child module declares."""
    configuration = f"{source.name}.{alias}"
    arguments = {"source": '"./child"', "providers": f"{{ {configuration} = {configuration} }}"}
    requirement = _format_requirement(source, {"configuration_aliases": f"[{configuration}]"})
    return f'module "child" {{\n{_format_arguments(arguments, indent=2)}}}\n\n# in ./child\n{requirement}'
