"""Registry checks of every provider of the public registry: time, requests, and memory of two runs.

A local registry serves the recorded providers from PORTAL_SHARED with their tiers, sources, and warnings; the versions
of 84 providers are recorded, all others have a placeholder; platforms and pages are the same for all. GitHub is not
used. Nothing changes before the second run.
"""

import gzip
import json
import os
import resource
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import django
from django.conf import settings

EXTRACT = "data/registry-extract"
KEYS = ("registry.listed", "registry.state", "registry.platforms", "registry.tier", "registry.docs")
MAX_REQUESTS = 3.0
MAX_REQUESTS_AGAIN = 1.0
PLACEHOLDER = ("0.1.0",)
SERVE = "import sys; from tests.bench.publication import serve; serve(sys.argv[1])"


def load_recorded_providers(shared: str) -> Iterator[tuple[dict[str, Any], tuple[str, ...]]]:
    """Yield each recorded provider with its versions."""
    folder = Path(shared) / EXTRACT
    versions = json.loads(gzip.decompress((folder / "versions-of-84-providers.json.gz").read_bytes()))
    with gzip.open(folder / "providers.jsonl.gz", "rt") as lines:
        for line in lines:
            row = json.loads(line)
            yield row, tuple(versions.get(row["fullName"]) or PLACEHOLDER)


def serve(shared: str) -> None:
    """Run the registry in its own process until its standard input ends."""
    from tests.fakes.registry import Provider, Registry

    registry = Registry()
    for number, (row, versions) in enumerate(load_recorded_providers(shared)):
        registry.publish(
            Provider(
                row["fullName"],
                row["source"],
                row["tier"],
                versions,
                row["totalDownloads"],
                number=number,
                warning=row["warning"] or "",
                unlisted=bool(row["unlisted"]),
            )
        )
    print(registry.url, flush=True)
    for line in sys.stdin:
        print(len(registry.requests) if line == "count\n" else "", flush=True)
    registry.stop()


def measure_memory() -> float:
    """Return the memory that this process uses now, in MB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1024 / 1024


def run(rows: list[dict[str, Any]], observations_by_name: dict[str, Any], outcomes: Counter[str]) -> float:
    """Run all checks of all providers, each with its own clients as in the portal. Return the seconds."""
    from verification.checks import execution
    from verification.checks.types import Subject
    from verification.sources import Sources
    from verification.sources.registry.client import RegistryClient

    registry = RegistryClient()
    began = time.perf_counter()
    for row in rows:
        name = row["fullName"]
        namespace, _, provider = name.partition("/")
        subject = Subject(
            "terraform-provider",
            "2026-06",
            "Terraform",
            provider,
            repository=row["source"].removeprefix("https://github.com/"),
            namespace=namespace,
            provider=provider,
            known=observations_by_name.get(name, {}),
        )
        for key, result in execution.run_checks(KEYS, subject, Sources(registry=registry)).items():
            outcomes[f"{key} {result.outcome}"] += 1
            if result.observations:
                observations_by_name[name] = json.loads(json.dumps(result.observations))  # as the database stores it
    return time.perf_counter() - began


def measure_run(
    title: str, server: "subprocess.Popen[str]", rows: list[dict[str, Any]], observations_by_name: dict[str, Any]
) -> float:
    """Measure and print one run. Return the number of requests per provider."""
    outcomes: Counter[str] = Counter()
    requests_before = count_requests(server)
    memory_before = measure_memory()
    seconds = run(rows, observations_by_name, outcomes)
    each = (count_requests(server) - requests_before) / len(rows)
    print(
        f"{title}: {len(rows)} providers in {seconds:.1f} s, {seconds * 1000 / len(rows):.2f} ms and {each:.2f} "
        f"requests each, memory {memory_before:.0f} MB and {measure_memory() - memory_before:+.1f} MB"
    )
    print("  " + ", ".join(f"{key} {number}" for key, number in sorted(outcomes.items())))
    return each


def count_requests(server: "subprocess.Popen[str]") -> int:
    """Return how many requests the registry has received."""
    print("count", file=server.stdin, flush=True)
    return int(server.stdout.readline()) if server.stdout else 0


def main() -> int:
    shared = os.environ.get("PORTAL_SHARED", "")
    if not shared:
        print("not run: PORTAL_SHARED is unset, so there are no recorded providers")
        return 0
    command = [sys.executable, "-c", SERVE, shared]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        settings.REGISTRY_URL = server.stdout.readline().strip() if server.stdout else ""
        settings.ALLOW_LOOPBACK_HTTP = True
        rows = [row for row, _ in load_recorded_providers(shared)]
        observations_by_name = dict[str, Any]()
        first = measure_run("first run", server, rows, observations_by_name)
        again = measure_run("nothing changed", server, rows, observations_by_name)
        server.communicate()
    print(
        f"stored between the runs: "
        f"{len(json.dumps(observations_by_name)) / len(observations_by_name):.0f} bytes per provider"
    )
    is_met = first <= MAX_REQUESTS and again <= MAX_REQUESTS_AGAIN
    print(f"target: {MAX_REQUESTS:.0f} requests each, then {MAX_REQUESTS_AGAIN:.0f}: {'met' if is_met else 'missed'}")
    return 0 if is_met else 1


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")
    django.setup()
    sys.exit(main())
