"""Runner of the installed Terraform on test releases. It downloads providers and starts none."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

from tests.verification.releases.world import ELF, build_zip

TERRAFORM = shutil.which("terraform")
HOST = "registry.acme-tools.io"


def available() -> bool:
    return TERRAFORM is not None


def init(folder: Path, base: str, names: dict[str, str], namespace: str = "acme") -> dict[str, str]:
    """Return Terraform's error for each provider that it refuses. `names`: version constraints by provider."""
    folder.mkdir(parents=True, exist_ok=True)
    required_providers = {
        name: {"source": f"{HOST}/{namespace}/{name}", "version": version} for name, version in names.items()
    }
    (folder / "main.tf.json").write_text(json.dumps({"terraform": {"required_providers": required_providers}}))
    process = run(folder, TF_CLI_CONFIG_FILE=str(write_cli_config(folder, base)))
    (folder / "said.json").write_text(process.stdout + process.stderr)
    if "panic: " in process.stderr + process.stdout:
        error_line = next(line for line in (process.stderr + process.stdout).splitlines() if line.startswith("panic: "))
        return dict.fromkeys(names, error_line)
    return _refusals(process.stdout, names, namespace)


def write_cli_config(folder: Path, base: str) -> Path:
    """Write a CLI configuration that sends Terraform to the registry at `base`, and return its path."""
    path = folder / "terraform.rc"
    path.write_text(
        f'host "{HOST}" {{\n  services = {{ "providers.v1" = "{base}/v1/providers/" }}\n}}\n'
        "provider_installation {\n  direct {}\n}\n"
    )
    return path


def finds(folder: Path, place: str, configuration: str) -> str:
    """Return Terraform's errors if a provider is only in this place, blank for none."""
    program = folder / place.replace("~/", "")
    program.parent.mkdir(parents=True)
    content = {"terraform-provider-rocket_v1.2.3": ELF}
    program.write_bytes(build_zip(content) if place.endswith(".zip") else ELF)
    program.chmod(0o755)
    (folder / "main.tf").write_text(configuration)
    (folder / "terraform.rc").write_text("")
    process = run(folder, TF_CLI_CONFIG_FILE=str(folder / "terraform.rc"))
    return "" if process.returncode == 0 else process.stdout + process.stderr


def run(folder: Path, *options: str, **more: str) -> subprocess.CompletedProcess[str]:
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "CHECKPOINT_DISABLE": "1",
        "TF_REGISTRY_CLIENT_TIMEOUT": "1",
        **more,
    }
    command = [str(TERRAFORM), "init", "-json", "-input=false", "-backend=false", *options]
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=120)


def _refusals(output: str, names: dict[str, str], namespace: str) -> dict[str, str]:
    errors_by_name = {}
    for line in output.splitlines():
        diagnostic = json.loads(line).get("diagnostic", {}) if line.startswith("{") else {}
        if diagnostic.get("severity") != "error":
            continue
        text = " ".join(f"{diagnostic['summary']}: {diagnostic['detail']}".split())
        about = re.search(rf'/{namespace}/([a-z0-9-]+)[\s:."]', text)
        if about and about[1] in names:
            errors_by_name[about[1]] = text
    return errors_by_name
