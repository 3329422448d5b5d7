"""The publication check over every provider of the public registry: time, questions and memory, first and second run.

A registry on this machine serves the recorded providers (from PORTAL_SHARED): their tiers, sources and warnings as
recorded; versions as recorded for 84 of them and one placeholder for the rest; platforms and pages alike for all.
GitHub is not asked. The second run finds nothing changed.
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
MOST_QUESTIONS, MOST_AGAIN = 3.0, 1.0
PLACEHOLDER = ("0.1.0",)
SERVE = "import sys; from tests.bench.publication import serve; serve(sys.argv[1])"


def load_recorded_providers(shared: str) -> Iterator[tuple[dict[str, Any], tuple[str, ...]]]:
    """Each provider as recorded, with its versions."""
    folder = Path(shared) / EXTRACT
    versions = json.loads(gzip.decompress((folder / "versions-of-84-providers.json.gz").read_bytes()))
    with gzip.open(folder / "providers.jsonl.gz", "rt") as lines:
        for line in lines:
            row = json.loads(line)
            yield row, tuple(versions.get(row["fullName"]) or PLACEHOLDER)


def serve(shared: str) -> None:
    """The registry, in a process of its own; it ends with its standard input."""
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
        print(len(registry.seen) if line == "count\n" else "", flush=True)
    registry.stop()


def megabytes() -> float:
    """What this process holds now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1024 / 1024


def run(rows: list[dict[str, Any]], observations_by_name: dict[str, Any], outcomes: Counter[str]) -> float:
    """All checks over all providers, each with clients of its own as in the portal. Returns seconds."""
    from verification.checks import execution
    from verification.checks.types import Subject
    from verification.sources import Sources
    from verification.sources.registry.client import RegistryClient

    registry, began = RegistryClient(), time.perf_counter()
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
                observations_by_name[name] = json.loads(json.dumps(result.observations))  # as the database keeps it
    return time.perf_counter() - began


def measure_run(
    title: str, server: "subprocess.Popen[str]", rows: list[dict[str, Any]], observations_by_name: dict[str, Any]
) -> float:
    """One run, printed. Returns the questions that were asked for each provider."""
    outcomes: Counter[str] = Counter()
    requests_before, memory_before = count(server), megabytes()
    seconds = run(rows, observations_by_name, outcomes)
    each = (count(server) - requests_before) / len(rows)
    print(
        f"{title}: {len(rows)} providers in {seconds:.1f} s, {seconds * 1000 / len(rows):.2f} ms and {each:.2f} "
        f"questions each, memory {memory_before:.0f} MB and {megabytes() - memory_before:+.1f} MB"
    )
    print("  " + ", ".join(f"{key} {count}" for key, count in sorted(outcomes.items())))
    return each


def count(server: "subprocess.Popen[str]") -> int:
    """How many questions the registry has heard."""
    print("count", file=server.stdin, flush=True)
    return int(server.stdout.readline()) if server.stdout else 0


def main() -> int:
    shared = os.environ.get("PORTAL_SHARED", "")
    if not shared:
        print("PORTAL_SHARED is unset, so the recorded providers are not here: not run")
        return 0
    command = [sys.executable, "-c", SERVE, shared]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        settings.REGISTRY_URL = server.stdout.readline().strip() if server.stdout else ""
        settings.ALLOW_LOOPBACK_HTTP = True
        rows, observations_by_name = [row for row, _ in load_recorded_providers(shared)], dict[str, Any]()
        first = measure_run("first run", server, rows, observations_by_name)
        again = measure_run("nothing changed", server, rows, observations_by_name)
        server.communicate()
    print(
        f"kept between the runs: {len(json.dumps(observations_by_name)) / len(observations_by_name):.0f} bytes a "
        "provider"
    )
    is_met = first <= MOST_QUESTIONS and again <= MOST_AGAIN
    print(f"aim: {MOST_QUESTIONS:.0f} questions each, then {MOST_AGAIN:.0f}: {'met' if is_met else 'missed'}")
    return 0 if is_met else 1


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")
    django.setup()
    sys.exit(main())
