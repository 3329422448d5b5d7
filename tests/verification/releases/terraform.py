"""Runs of `terraform init` on test releases. They download providers but start none."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.fakes.signed_releases import build_zip
from tests.verification.releases.release_registry import ELF

TERRAFORM = shutil.which("terraform")
HOST = "registry.acme-tools.io"
needs_terraform = pytest.mark.skipif(TERRAFORM is None, reason="Terraform is not installed")


def is_available() -> bool:
    return TERRAFORM is not None


def find_refusals(folder: Path, url: str, constraints: dict[str, str]) -> dict[str, str]:
    """Return Terraform's error for each provider that it refuses.

    Args:
        folder: Working directory.
        url: URL of the registry.
        constraints: Version constraints by provider.
    """
    folder.mkdir(parents=True, exist_ok=True)
    required_providers = {
        name: {"source": f"{HOST}/acme/{name}", "version": version} for name, version in constraints.items()
    }
    (folder / "main.tf.json").write_text(json.dumps({"terraform": {"required_providers": required_providers}}))
    process = run_init(folder, TF_CLI_CONFIG_FILE=str(write_cli_config(folder, url)))
    if "panic: " in process.stderr + process.stdout:
        panic = next(line for line in (process.stderr + process.stdout).splitlines() if line.startswith("panic: "))
        return dict.fromkeys(constraints, panic)
    return _parse_refusals(process.stdout, constraints)


def write_cli_config(folder: Path, url: str) -> Path:
    """Write a CLI configuration that sends Terraform to the registry at this URL, and return its path."""
    path = folder / "terraform.rc"
    path.write_text(
        f'host "{HOST}" {{\n  services = {{ "providers.v1" = "{url}/v1/providers/" }}\n}}\n'
        "provider_installation {\n  direct {}\n}\n"
    )
    return path


def init_with_provider_at(folder: Path, path: str, configuration: str) -> str:
    """Return Terraform's errors if the provider is only at this path, blank if Terraform finds it."""
    program = folder / path.replace("~/", "")
    program.parent.mkdir(parents=True)
    content = {"terraform-provider-rocket_v1.2.3": ELF}
    program.write_bytes(build_zip(content) if path.endswith(".zip") else ELF)
    program.chmod(0o755)
    (folder / "main.tf").write_text(configuration)
    (folder / "terraform.rc").write_text("")
    process = run_init(folder, TF_CLI_CONFIG_FILE=str(folder / "terraform.rc"))
    return "" if process.returncode == 0 else process.stdout + process.stderr


def run_init(folder: Path, *options: str, **variables: str) -> subprocess.CompletedProcess[str]:
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "CHECKPOINT_DISABLE": "1",
        "TF_REGISTRY_CLIENT_TIMEOUT": "1",
        **variables,
    }
    command = [str(TERRAFORM), "init", "-json", "-input=false", "-backend=false", *options]
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=120)


def _parse_refusals(output: str, constraints: dict[str, str]) -> dict[str, str]:
    errors_by_name = {}
    for line in output.splitlines():
        diagnostic = json.loads(line).get("diagnostic", {}) if line.startswith("{") else {}
        if diagnostic.get("severity") != "error":
            continue
        text = " ".join(f"{diagnostic['summary']}: {diagnostic['detail']}".split())
        provider = re.search(r'/acme/([a-z0-9-]+)[\s:."]', text)
        if provider and provider[1] in constraints:
            errors_by_name[provider[1]] = text
    return errors_by_name
