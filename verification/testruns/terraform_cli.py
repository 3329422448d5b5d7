"""Terraform on this machine: its path, and the project files with which it installs a provider. No Django here."""

import os
import re
import shutil
from pathlib import Path

REGISTRY_HOST = "registry.terraform.io"
SETTINGS_FILE = "terraform.rc"
REQUIREMENT_FILE = "providers.tf"
# A mirror alone: Terraform must install the executable as it would the release, and nothing from elsewhere.
SETTINGS = b'provider_installation {\n  filesystem_mirror {\n    path = "mirror"\n  }\n}\n'
ENVIRONMENT = {
    # Terraform would ask HashiCorp's Checkpoint service for new versions, and an inspection ends at such an attempt.
    "CHECKPOINT_DISABLE": "1",
    "TF_IN_AUTOMATION": "1",
    "TF_INPUT": "0",
    "TF_CLI_CONFIG_FILE": SETTINGS_FILE,
}
PLATFORM_BY_MACHINE = {"x86_64": "linux_amd64", "aarch64": "linux_arm64"}
# Executables of older releases end with the protocol: terraform-provider-aws_v5.100.0_x5.
EXECUTABLE_PATTERN = re.compile(
    r"terraform-provider-([a-z0-9][a-z0-9-]*?)(?:_v(\d[0-9A-Za-z.+-]*?))?(?:_x\d)?(?:\.exe)?"
)


def find_terraform() -> Path | None:
    """Return the path of Terraform or OpenTofu on this machine, None without either."""
    path = shutil.which("terraform") or shutil.which("tofu")
    return Path(path).resolve() if path else None


def get_platform() -> str:
    """Return the platform of this machine in the registry's notation, blank if it is not supported."""
    return PLATFORM_BY_MACHINE.get(os.uname().machine, "")


def parse_executable_name(executable: Path) -> tuple[str, str]:
    """Return the provider's name and version in the name of an executable, each blank if it is missing."""
    match = EXECUTABLE_PATTERN.fullmatch(executable.name)
    return (match[1], match[2] or "") if match else ("", "")


def build_source_address(source: str) -> str:
    """Return the full address of a provider: registry.terraform.io/acme/anvil."""
    return source if source.count("/") == 2 else f"{REGISTRY_HOST}/{source}"


def get_provider_path(source: str, version: str) -> str:
    """Return the path of the provider's executable in the project folder."""
    name = source.rpartition("/")[2]
    folder = f"mirror/{build_source_address(source)}/{version}/{get_platform()}"
    return f"{folder}/terraform-provider-{name}_v{version}"


def build_project_files(
    executable: Path, terraform: Path, source: str, version: str, config: str = ""
) -> dict[str, bytes | Path]:
    """Return the files of a project whose only source of providers is a mirror with this provider.

    Terraform must run in the project folder, because its settings contain relative paths.
    """
    return {
        get_provider_path(source, version): executable,
        "terraform": terraform,
        SETTINGS_FILE: SETTINGS,
        "main.tf": config.encode(),
        REQUIREMENT_FILE: build_requirement(source, version, config),
    }


def build_requirement(source: str, version: str, config: str) -> bytes:
    """Return the file that requires the provider, empty if the configuration does so itself."""
    if "required_providers" in config:
        return b""
    provider = f'{source.rpartition("/")[2]} = {{ source = "{source}", version = "{version}" }}'
    return f"terraform {{\n  required_providers {{\n    {provider}\n  }}\n}}\n".encode()
