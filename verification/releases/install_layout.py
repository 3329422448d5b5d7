"""Installation paths and configuration of a provider. Pure functions."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter

from portal.core.content_files import Content, load_content
from portal.core.translation import gettext_noop
from verification.releases.artifacts import file_names
from verification.terraform.versions import parse_version, suggest_constraint

PUBLIC_HOST = "registry.terraform.io"


@dataclass(frozen=True, slots=True)
class PlatformNames(Content):
    """Content of platforms.yaml: names in words, and the platforms that the registry recommends today."""

    operating_systems: dict[str, str]
    architectures: dict[str, str]
    recommended: tuple[str, ...]


PLATFORM_NAMES = load_content(Path(__file__).parent / "data" / "platforms.yaml", TypeAdapter(PlatformNames))
RECOMMENDED_PLATFORMS = PLATFORM_NAMES.recommended
REQUIRED_PLATFORM = "linux_amd64"  # HCP Terraform runs on it


@dataclass(frozen=True, slots=True)
class Place:
    """Path of a file or folder, with a note for the reader."""

    what: str
    path: str
    note: str = ""


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


def get_user_plugins_folder(os: str) -> str:
    """Return the folder for a user's own plugins."""
    return r"%APPDATA%\terraform.d\plugins" if os == "windows" else "~/.terraform.d/plugins"


def _join_path(os: str, *parts: str) -> str:
    return ("\\" if os == "windows" else "/").join(parts)


def list_places(source: Source, version: str, os: str, arch: str) -> tuple[Place, ...]:
    """Return the paths of a platform's files: installed by hand, in a mirror, in a cache, and in a working folder."""
    platform, binary = f"{os}_{arch}", file_names.binary(source.name, version, os)
    archive = (source.host, source.namespace, source.name, file_names.archive(source.name, version, os, arch))
    unpacked_path = (*archive[:3], version, platform, binary)
    working_path = _join_path(os, ".terraform", "providers", *unpacked_path)
    return (
        *_list_user_plugin_places(os, platform, binary, archive, unpacked_path),
        Place(gettext_noop("Mirror in a folder, unpacked"), _join_path(os, "MIRROR", *unpacked_path)),
        Place(gettext_noop("Mirror in a folder, packed"), _join_path(os, "MIRROR", *archive)),
        Place(gettext_noop("Mirror on the web"), "/".join(("https://MIRROR", *archive)), MIRROR_NOTE),
        Place(gettext_noop("Plugin cache"), "/".join(("$HOME/.terraform.d/plugin-cache", *unpacked_path)), CACHE_NOTE),
        Place(gettext_noop("Working folder"), working_path, gettext_noop("Written by terraform init.")),
        Place(
            gettext_noop("Working folder, own plugins"),
            _join_path(os, "terraform.d", "plugins", *unpacked_path),
            gettext_noop("Terraform searches it first. Before 0.13, it also searches the working folder itself."),
        ),
    )


MIRROR_NOTE = gettext_noop("Beside index.json and VERSION.json.")
CACHE_NOTE = gettext_noop(
    "Set with plugin_cache_dir or TF_PLUGIN_CACHE_DIR, with forward slashes also on Windows. "
    "The folder must exist, must not be a folder for plugins or a mirror, and is never cleaned by Terraform. "
    "Terraform links cached files into working folders where the system can, and copies them on Windows. "
    "It still asks the registry for versions. The setting is permanent; the variable overrides it in one shell."
)


def _list_user_plugin_places(
    os: str, platform: str, binary: str, archive: tuple[str, ...], unpacked_path: tuple[str, ...]
) -> tuple[Place, ...]:
    rows = (
        (gettext_noop("User plugins, unpacked"), unpacked_path, gettext_noop("Terraform 0.13 and newer.")),
        (gettext_noop("User plugins, packed"), archive, gettext_noop("The archive as it was published.")),
        (gettext_noop("User plugins, before 0.13"), (binary,), gettext_noop("For the system that it was built for.")),
        (
            gettext_noop("User plugins, before 0.13, several systems"),
            (platform, binary),
            gettext_noop("Terraform reads the folder and the subfolder of its own system, and no other."),
        ),
    )
    return tuple(Place(what, _join_path(os, get_user_plugins_folder(os), *parts), note) for what, parts, note in rows)


def format_cache_setting(folder: str) -> str:
    """Return the CLI setting of the plugin cache. Backslashes become slashes because they would start an escape."""
    return f'plugin_cache_dir = "{folder.replace(chr(92), "/")}"\n'


def format_required_providers(source: Source, version: str) -> str:
    """Return the block that requires this version or a later one of its series. Raises InvalidVersionError."""
    return (
        "terraform {\n  required_providers {\n"
        f"    {source.name} = {{\n"
        f'      source  = "{source}"\n      version = "{suggest_constraint(parse_version(version))}"\n'
        "    }\n  }\n}\n"
    )


def format_provider_block(name: str, required_arguments: Sequence[str] = (), alias: str = "") -> str:
    """Return the provider block with the required arguments, blank without arguments and alias."""
    width = max(map(len, (*required_arguments, "alias" if alias else "")), default=0)
    lines = [f'  {"alias".ljust(width)} = "{alias}"'] if alias else []
    lines += [f"  {argument.ljust(width)} = …" for argument in required_arguments]
    return f'provider "{name}" {{\n' + "\n".join(lines) + "\n}\n" if lines else ""


def format_child_module(source: Source, alias: str) -> str:
    """Return a module call that passes a configuration with an alias, and what the child module declares."""
    name = source.name
    return (
        f'module "child" {{\n  source    = "./child"\n  providers = {{ {name}.{alias} = {name}.{alias} }}\n}}\n\n'
        "# in ./child\nterraform {\n  required_providers {\n"
        f"    {name} = {{\n"
        f'      source                = "{source}"\n      configuration_aliases = [{name}.{alias}]\n'
        "    }\n  }\n}\n"
    )
