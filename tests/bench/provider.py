"""Schema of the AWS provider, read directly and through Terraform, in the sandbox and without it."""

import json
import os
import subprocess
import sys
import tempfile
import time
import zipfile
from importlib.util import find_spec
from pathlib import Path
from statistics import median

from verification.sandbox import environment
from verification.sandbox.types import Limits
from verification.testruns.kinds.provider_schema.reader import (
    ProviderSchemaTarget,
    build_target,
    list_differences,
    read_directly,
    read_with_terraform,
)
from verification.testruns.terraform_cli import find_terraform

ARCHIVE = "terraform-provider-aws_3.39.0_linux_amd64.zip"
MEMBER = "terraform-provider-aws_v3.39.0_x5"
SOURCE = "registry.terraform.io/hashicorp/aws"
ROUNDS = 5
TARGET_SECONDS = 5.0


def extract_provider(folder: Path) -> Path | None:
    """Return the AWS provider 3.39.0 if its package is installed."""
    spec = find_spec("cloudrail")
    if spec is None:
        return None
    for place in spec.submodule_search_locations or ():
        with zipfile.ZipFile(Path(place, "terraform_plugins", ARCHIVE)) as archive:
            path = Path(archive.extract(MEMBER, folder))
        path.chmod(0o755)
        return path
    return None


def measure_without_sandbox(target: ProviderSchemaTarget, terraform: Path) -> tuple[float, int]:
    """Return the seconds and peak bytes of Terraform without a sandbox."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        place = folder / "mirror" / target.source / target.version / "linux_amd64"
        place.mkdir(parents=True)
        (place / f"terraform-provider-aws_v{target.version}").symlink_to(target.executable)
        requirement = f'{{ source = "{target.source}", version = "{target.version}" }}'
        (folder / "main.tf").write_text(f"terraform {{\n  required_providers {{\n    aws = {requirement}\n  }}\n}}\n")
        (folder / "rc").write_text(
            f'provider_installation {{\n  filesystem_mirror {{ path = "{folder}/mirror" }}\n}}\n'
        )
        env = os.environ | {"TF_CLI_CONFIG_FILE": f"{folder}/rc", "CHECKPOINT_DISABLE": "1", "HOME": name}
        begin = time.monotonic()
        peak = 0
        for words in (("init",), ("providers", "schema", "-json")):
            with subprocess.Popen([terraform, *words], cwd=folder, env=env, stdout=subprocess.PIPE) as process:
                assert process.stdout is not None
                process.stdout.read()
                _, status, usage = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
            peak = max(peak, usage.ru_maxrss * 1024)
        return time.monotonic() - begin, peak


def measure_empty_environment() -> tuple[float, int]:
    begin = time.monotonic()
    with environment.open_environment(Limits(seconds=10)) as empty:
        result = empty.run(["/bin/true"])
    return time.monotonic() - begin, result.peak_bytes


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        path = extract_provider(Path(folder))
        terraform = find_terraform()
        why = environment.find_obstacle()
        missing = why or ("The provider's package is not installed." if path is None else "")
        if missing or path is None:
            print(f"Not run. {missing}")
            return 0
        target = build_target(path, SOURCE)
        rows: dict[str, list[tuple[float, int]]] = {}
        for _ in range(ROUNDS):
            rows.setdefault("an empty environment", []).append(measure_empty_environment())
            one = read_directly(target)
            rows.setdefault("from the provider", []).append((one.seconds, one.peak))
            if terraform is not None:
                other = read_with_terraform(target, terraform)
                rows.setdefault("through Terraform", []).append((other.seconds, other.peak))
                rows.setdefault("Terraform without a sandbox", []).append(measure_without_sandbox(target, terraform))
        return print_comparison(rows, one.document, other.document if terraform is not None else None)


def print_comparison(rows: dict[str, list[tuple[float, int]]], one: object, other: object) -> int:
    for name, measurements in rows.items():
        seconds = [row[0] for row in measurements]
        peaks = [row[1] for row in measurements]
        print(f"{name:28} {median(seconds):6.2f} s   {median(peaks) / 1e6:6.0f} MB")
    if not isinstance(one, dict):
        print("The provider's schema could not be read.")
        return 1
    print(f"The schema has {len(json.dumps(one)) / 1e6:.1f} MB.")
    equal = not isinstance(other, dict) or not list_differences(one, other)
    same = "Both ways read the same." if isinstance(other, dict) else "Not compared: no Terraform here."
    print(same if equal else "They differ.")
    is_met = equal and median([row[0] for row in rows["from the provider"]]) < TARGET_SECONDS
    print(f"Target, equal and from the provider in less than {TARGET_SECONDS:.0f} s: {'met' if is_met else 'missed'}")
    return 0 if is_met else 1


if __name__ == "__main__":
    sys.exit(main())
