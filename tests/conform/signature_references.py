"""Reference implementations for signatures: the real Terraform and GnuPG."""

import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.conform.progress import track
from tests.conform.signature_cases import NAME, VERSION, Case
from tests.verification.releases import terraform
from tests.verification.releases.release_registry import ReleaseRegistry

HOST = terraform.HOST
BATCH = 100
THREADS = 3  # Terraform mostly waits for its disk and for the registry
GPG = shutil.which("gpg")
GPG_THREADS = 2
GPG_OPTIONS = ("--batch", "--no-tty", "--no-options", "--no-autostart", "--trust-model", "always", "--status-fd", "1")


class TerraformReference:
    """`terraform init` on many releases at once, each in its own namespace."""

    def __init__(self) -> None:
        self.registry = ReleaseRegistry(None)

    def close(self) -> None:
        self.registry.stop()

    def evaluate(self, cases: Sequence[Case]) -> list[str]:
        """Return Terraform's error for each case; an empty text means that it installed the provider."""
        batches = [(start, cases[start : start + BATCH]) for start in range(0, len(cases), BATCH)]
        with ThreadPoolExecutor(THREADS) as pool:
            answers = pool.map(lambda batch: self._evaluate_batch(*batch), batches)
            return [error for errors in track(answers, len(batches), "runs of Terraform") for error in errors]

    def _evaluate_batch(self, start: int, cases: Sequence[Case]) -> list[str]:
        namespaces = [f"c{number:05}" for number in range(start, start + len(cases))]
        for namespace, case in zip(namespaces, cases, strict=True):
            self.registry.routes.update(case.build_responses(self.registry.url, namespace))
        with _create_temporary_folder() as folder:
            output = _run_init(folder, self.registry.url, namespaces)
        panic = next((line for line in output.splitlines() if line.startswith("panic: ")), "")
        if panic and len(cases) > 1:  # a crash takes the answers about all others with it
            middle = len(cases) // 2
            return self._evaluate_batch(start, cases[:middle]) + self._evaluate_batch(start + middle, cases[middle:])
        errors = _parse_errors(output)
        if not panic and not errors and "successfully initialized" not in output:
            raise RuntimeError(f"Terraform gave no verdict: {output[-2000:]}")
        return [panic or errors.get(namespace, "") for namespace in namespaces]


@contextmanager
def _create_temporary_folder() -> Iterator[Path]:
    """Yield a folder, and delete it with a program that does not recurse into deep archives as Python does."""
    folder = tempfile.mkdtemp(prefix="terraform")
    try:
        yield Path(folder)
    finally:
        subprocess.run(["rm", "-rf", "--", folder], check=True)


def _run_init(folder: Path, base_url: str, namespaces: Sequence[str]) -> str:
    required_providers = {space: {"source": f"{HOST}/{space}/{NAME}", "version": VERSION} for space in namespaces}
    (folder / "main.tf.json").write_text(json.dumps({"terraform": {"required_providers": required_providers}}))
    config = terraform.write_cli_config(folder, base_url)
    result = terraform.run_init(folder, TF_CLI_CONFIG_FILE=str(config), TF_REGISTRY_CLIENT_TIMEOUT="30")
    return result.stdout + result.stderr


def _parse_errors(output: str) -> dict[str, str]:
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
class GpgSigner:
    """The VALIDSIG line: the key of a valid signature, and the number of the digest."""

    fingerprint: str
    made_at: int
    digest: str
    primary: str


@dataclass(frozen=True, slots=True)
class GpgVerdict:
    """Verdict of gpg: whether it exits with 0, and its status lines about the signature and the imported keys."""

    is_accepted: bool
    lines: tuple[tuple[str, ...], ...]
    import_lines: tuple[tuple[str, ...], ...]
    text: str

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(line[0] for line in self.lines)

    @property
    def signer(self) -> GpgSigner | None:
        line = next((line for line in self.lines if line[0] == "VALIDSIG"), None)
        return GpgSigner(line[1], int(line[3]), line[8], line[10]) if line else None

    @property
    def imported_fingerprints(self) -> frozenset[str]:
        """Return the fingerprints of the primary keys that gpg took."""
        return frozenset(line[2] for line in self.import_lines if line[0] == "IMPORT_OK")

    def count_read(self) -> int:
        """Return how many keys gpg read, whether it took them or not."""
        return self._count_keys(1)

    def count_without_user_id(self) -> int:
        """Return how many keys gpg refused because no user ID has a sound self-signature."""
        return self._count_keys(2)

    def _count_keys(self, column: int) -> int:
        return next((int(line[column]) for line in self.import_lines if line[0] == "IMPORT_RES"), 0)


class GpgReference:
    """`gpg --verify`, with its own home for each set of keys."""

    def evaluate(self, case: Case) -> GpgVerdict:
        """Return what gpg says of the signature over the checksums."""
        return self.evaluate_all([case])[0]

    def evaluate_all(self, cases: Sequence[Case]) -> list[GpgVerdict]:
        """Return the verdict on each case. Every set of keys is imported once."""
        numbers_by_keys: dict[tuple[str, ...], list[int]] = {}
        for number, case in enumerate(cases):
            numbers_by_keys.setdefault(case.keys, []).append(number)
        verdicts: dict[int, GpgVerdict] = {}

        def evaluate_group(keys: tuple[str, ...]) -> None:
            with _import_keys(keys) as (home, lines):
                verdicts.update({number: _verify(home, lines, cases[number]) for number in numbers_by_keys[keys]})

        with ThreadPoolExecutor(GPG_THREADS) as pool:
            for _ in track(
                pool.map(evaluate_group, numbers_by_keys), len(numbers_by_keys), "sets of keys given to gpg"
            ):
                pass
        return [verdicts[number] for number in range(len(cases))]


@contextmanager
def _import_keys(keys: tuple[str, ...]) -> Iterator[tuple[Path, tuple[tuple[str, ...], ...]]]:
    """Yield a home that holds the keys, as far as gpg takes them, and what gpg reports of them."""
    with tempfile.TemporaryDirectory(prefix="gpg") as folder:
        home = Path(folder)
        names = [f"key{number}" for number in range(len(keys))]
        for name, key in zip(names, keys, strict=True):
            (home / name).write_bytes(key.encode())
        yield home, _read_status(_run_gpg(home, "--import", "--", *names)) if names else ()


def _verify(home: Path, import_lines: tuple[tuple[str, ...], ...], case: Case) -> GpgVerdict:
    (home / "document").write_bytes(case.sums)
    (home / "signature").write_bytes(case.signature)
    completed_process = _run_gpg(home, "--verify", "--", "signature", "document")
    return GpgVerdict(
        completed_process.returncode == 0,
        _read_status(completed_process),
        import_lines,
        completed_process.stderr.decode("utf-8", "replace"),
    )


def _read_status(completed_process: subprocess.CompletedProcess[bytes]) -> tuple[tuple[str, ...], ...]:
    """Return the status lines, split into words."""
    lines = completed_process.stdout.decode("utf-8", "replace").splitlines()
    return tuple(tuple(line.split()[1:]) for line in lines if line.startswith("[GNUPG:] "))


def _run_gpg(home: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    command = [str(GPG), "--homedir", str(home), *GPG_OPTIONS, *arguments]
    return subprocess.run(
        command,
        cwd=home,
        env={**os.environ, "LC_ALL": "C"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=120,
        check=False,
    )
