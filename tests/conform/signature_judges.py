"""Independent judges of signatures: the real Terraform and GnuPG."""

import hashlib
import json
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tests.conform.signature_cases import NAME, VERSION, Case
from tests.verification.releases import terraform
from tests.verification.releases.world import World

HOST = terraform.HOST
BATCH = 100
THREADS = 3  # Terraform mostly waits for its disk and for the registry
GPG = shutil.which("gpg")
GPG_OPTIONS = ("--batch", "--no-tty", "--no-options", "--no-autostart", "--trust-model", "always", "--status-fd", "1")


class TerraformJudge:
    """`terraform init` on many releases at once, each in a namespace of its own."""

    def __init__(self) -> None:
        self.world = World(None)

    def close(self) -> None:
        self.world.stop()

    def judge(self, cases: Sequence[Case]) -> list[str]:
        """Return Terraform's error for each case; an empty text means that it installed the provider."""
        batches = [(start, cases[start : start + BATCH]) for start in range(0, len(cases), BATCH)]
        with ThreadPoolExecutor(THREADS) as pool:
            return [error for errors in pool.map(lambda batch: self._judge_batch(*batch), batches) for error in errors]

    def _judge_batch(self, start: int, cases: Sequence[Case]) -> list[str]:
        namespaces = [f"c{number:05}" for number in range(start, start + len(cases))]
        for namespace, case in zip(namespaces, cases, strict=True):
            self.world.routes.update(case.routes(self.world.url, namespace))
        with tempfile.TemporaryDirectory(prefix="terraform") as folder:
            output = _init(Path(folder), self.world.url, namespaces)
        panic = next((line for line in output.splitlines() if line.startswith("panic: ")), "")
        if panic and len(cases) > 1:  # a crash takes the answers about all others with it
            middle = len(cases) // 2
            return self._judge_batch(start, cases[:middle]) + self._judge_batch(start + middle, cases[middle:])
        errors = _errors_by_namespace(output)
        if not panic and not errors and "successfully initialized" not in output:
            raise RuntimeError(f"Terraform gave no verdict: {output[-2000:]}")
        return [panic or errors.get(namespace, "") for namespace in namespaces]


def _init(folder: Path, base_url: str, namespaces: Sequence[str]) -> str:
    required = {space: {"source": f"{HOST}/{space}/{NAME}", "version": VERSION} for space in namespaces}
    (folder / "main.tf.json").write_text(json.dumps({"terraform": {"required_providers": required}}))
    (folder / "terraform.rc").write_text(
        f'host "{HOST}" {{\n  services = {{ "providers.v1" = "{base_url}/v1/providers/" }}\n}}\n'
        "provider_installation {\n  direct {}\n}\n"
    )
    done = terraform.run(folder, TF_CLI_CONFIG_FILE=str(folder / "terraform.rc"), TF_REGISTRY_CLIENT_TIMEOUT="30")
    return done.stdout + done.stderr


def _errors_by_namespace(output: str) -> dict[str, str]:
    errors = {}
    for line in output.splitlines():
        diagnostic = json.loads(line).get("diagnostic", {}) if line.startswith("{") else {}
        if diagnostic.get("severity") == "error":
            text = " ".join(f"{diagnostic['summary']}: {diagnostic['detail']}".split())
            provider = re.search(rf"/(c\d{{5}})/{NAME}\b", text)
            if provider is None:
                raise RuntimeError(f"Terraform complains about no provider: {text}")
            errors[provider[1]] = text
    return errors


@dataclass(frozen=True, slots=True)
class GpgVerdict:
    """Whether gpg exits with 0, and the keywords of its status lines."""

    is_accepted: bool
    words: tuple[str, ...]


class GpgJudge:
    """`gpg --verify`, with one home for each set of keys."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="gpg"))
        self.homes: dict[tuple[str, ...], Path] = {}

    def close(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    def judge(self, case: Case) -> GpgVerdict:
        """Return what gpg says of the signature over the checksums."""
        home = self._home(case.keys)
        (home / "document").write_bytes(case.sums)
        (home / "signature").write_bytes(case.signature)
        done = self._run(home, "--verify", "--", "signature", "document")
        lines = done.stdout.decode("utf-8", "replace").splitlines()
        words = tuple(line.split()[1] for line in lines if line.startswith("[GNUPG:] "))
        return GpgVerdict(done.returncode == 0, words)

    def _home(self, keys: tuple[str, ...]) -> Path:
        if keys in self.homes:
            return self.homes[keys]
        if len(self.homes) > 200:
            self.homes.pop(next(iter(self.homes)))
        home = self.folder / hashlib.sha256("\0".join(keys).encode()).hexdigest()[:20]
        home.mkdir(mode=0o700, exist_ok=True)
        for number, key in enumerate(keys):
            (home / f"key{number}").write_bytes(key.encode())
            self._run(home, "--import", "--", f"key{number}")
        self.homes[keys] = home
        return home

    def _run(self, home: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
        command = [str(GPG), "--homedir", str(home), *GPG_OPTIONS, *arguments]
        return subprocess.run(command, cwd=home, stdin=subprocess.DEVNULL, capture_output=True, timeout=30, check=False)
