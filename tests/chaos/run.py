"""Repeatedly kills the processes that report breaches, and counts lost reports. Run by bin/chaos."""

import argparse
import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import redis

from tests.chaos.report import ChaosReport
from tests.chaos.sink import Sink
from tests.servers.base import ServerUnavailableError, find_free_port
from tests.servers.postgres import Postgres
from tests.servers.valkey import Valkey

PROGRAM = {False: "Nomad-integration-dev@hashicorp.com", True: "program@chaos.example"}


@dataclass(frozen=True, slots=True)
class Plan:
    """Number of breaches and faults, and the seconds they happen in."""

    breaches: int = 10_000
    seconds: int = 85
    integrations: int = 400
    kills: int = 110
    flushes: int = 12
    restarts: int = 6
    naive: bool = False
    no_redis: bool = False
    seed: int = 0
    patience: int = 900  # seconds that pending work may take after the last due time; a hang takes forever
    mail_outages: int = 3
    refuse: float = 0.05
    cut: float = 0.003
    is_short: bool = False
    is_calm: bool = False


class ProcessPool:
    """The processes under test."""

    def __init__(self, log: Path) -> None:
        command = [sys.executable, "-m", "tests.chaos.processes"]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=log.open("wb"), text=True, bufsize=1)
        self.alive: dict[int, str] = {}

    def start(self, role: str) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"start {role}\n")
        self.alive[int(self.process.stdout.readline())] = role

    def kill(self, pid: int) -> str:
        role = self.alive.pop(pid)
        os.kill(pid, signal.SIGKILL)
        return role

    def stop(self) -> None:
        for pid in list(self.alive):
            self.kill(pid)
        self.process.kill()
        self.process.wait()


class Chaos:
    """One run: servers, processes, and scheduled faults."""

    def __init__(self, plan: Plan, postgres: Postgres, valkey: Valkey, sink: Sink) -> None:
        self.plan = plan
        self.postgres = postgres
        self.valkey = valkey
        self.sink = sink
        self.rng = random.Random(plan.seed)
        self.processes = ProcessPool(Path(os.environ["PORTAL_DATA"]) / "processes.log")

    def run(self, begin: datetime) -> None:
        """Start the processes, inject the faults, and wait until the last clock is due."""
        for role in (
            ("naive", "worker", "worker") if self.plan.naive else ("run_jobs", "run_jobs", "worker", "worker", "beat")
        ):
            self.processes.start(role)
        time.sleep(max(0.0, begin.timestamp() - time.time()))
        faults = self._schedule_faults()
        for at, fault in faults:
            time.sleep(max(0.0, begin.timestamp() + at - time.time()))
            getattr(self, fault)()
        time.sleep(max(0.0, begin.timestamp() + self.plan.seconds + 1 - time.time()))  # until the last clock is due
        self.sink.refuse = self.sink.cut = 0.0
        if not self.sink.is_up:
            self.sink.start()

    def end_leases(self) -> None:
        """Kill all processes, expire their leases, and start one run_jobs process."""
        from tests.chaos import results

        for pid in list(self.processes.alive):
            self.processes.kill(pid)
        results.end_leases()
        self.processes.start("run_jobs")

    def _schedule_faults(self) -> list[tuple[float, str]]:
        plan = self.plan
        kill_counts = {
            "kill": plan.kills,
            "flush": plan.flushes,
            "restart": plan.restarts,
            "switch_mail_server": plan.mail_outages,
            "request_dispatch": plan.kills,
        }
        faults = [
            (self.rng.uniform(0, plan.seconds), name) for name, count in kill_counts.items() for _ in range(count)
        ]
        return sorted(faults)

    def kill(self) -> None:
        self.processes.start(self.processes.kill(self.rng.choice(list(self.processes.alive))))

    def flush(self) -> None:
        redis.Redis(port=self.valkey.port).flushall()

    def restart(self) -> None:
        """Stop the database without a checkpoint, and start it again."""
        self.postgres.stop(signal.SIGQUIT)
        self.postgres.start()

    def switch_mail_server(self) -> None:
        """Stop the mail server, or start it again."""
        if self.sink.is_up:
            self.sink.stop()
        else:
            self.sink.start()

    def request_dispatch(self) -> None:
        """Queue a dispatch task, as the pages do, which the next flush may lose."""
        from portal.celery import app

        if not self.plan.no_redis:
            with contextlib.suppress(Exception):  # only makes it faster
                app.send_task("portal.jobs.tasks.run_job", ["jobs.dispatch_due"], retry=False)


@contextmanager
def start_servers(plan: Plan) -> Iterator[tuple[Postgres, Valkey, Sink]]:
    """Start the servers, and set the environment of this process and its children."""
    with tempfile.TemporaryDirectory(prefix="portal-chaos-") as folder:
        postgres = Postgres(Path(folder), durable=True)
        valkey = Valkey(Path(folder))
        sink = Sink(find_free_port(), refuse=plan.refuse, cut=plan.cut, seed=plan.seed)
        sink.start()
        os.environ |= {
            "DJANGO_SETTINGS_MODULE": "portal.settings",
            "DATABASE_URL": postgres.url,
            "REDIS_URL": valkey.url,
            "EMAIL_HOST": "127.0.0.1",
            "EMAIL_PORT": str(sink.port),
            "EMAIL_USE_TLS": "no",
            "PORTAL_ENV": "embedded",
            "SECRET_KEY": "chaos",
            "ENCRYPTION_KEYS": "chaos",
            "PORTAL_DATA": folder,
            "LOG_LEVEL": "ERROR",
            "CHAOS_SPEED": "10" if plan.is_short else "1",
        }
        if plan.no_redis:
            valkey.stop()
        try:
            yield postgres, valkey, sink
        finally:
            sink.stop()
            valkey.stop()
            postgres.stop(signal.SIGQUIT)


def run(plan: Plan, database_url: str = "") -> ChaosReport:
    """Run a plan, on a copy of a migrated database if there is one. Raises ServerUnavailableError without servers."""
    with start_servers(plan) as (postgres, valkey, sink):
        if database_url:
            postgres.copy_database(database_url)
        import django  # the settings read the environment set above

        django.setup()
        from django.core.management import call_command
        from django.db import connections

        from tests.chaos import results, world

        call_command("migrate", verbosity=0)
        begin = datetime.now(UTC) + timedelta(seconds=3 + plan.breaches / 2500)
        world.create_world(plan.breaches, plan.breaches // 5, plan.integrations, begin, plan.seconds)
        connections.close_all()
        chaos = Chaos(plan, postgres, valkey, sink)
        try:
            chaos.run(begin)
            end = datetime.now(UTC)
            if plan.is_short:
                chaos.end_leases()
            until = time.monotonic() + plan.patience
            while time.monotonic() < until and results.is_waiting(plan.naive):
                results.skip_retry_delays()
                time.sleep(1)
            report = results.build_report(plan, sink, end, PROGRAM[plan.naive])
            if report.missed_targets:
                print((Path(os.environ["PORTAL_DATA"]) / "processes.log").read_text()[-6000:], file=sys.stderr)
            return report
        finally:
            chaos.processes.stop()
            connections.close_all()


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bin/chaos", description=__doc__)
    parser.add_argument("--short", action="store_true", help="200 breaches within seconds")
    parser.add_argument("--naive", action="store_true", help="the usual pattern, which must lose notifications")
    parser.add_argument("--no-redis", action="store_true", help="without Redis")
    parser.add_argument("--calm", action="store_true", help="without faults; each email must arrive in time")
    parser.add_argument("--database", default="", metavar="URL", help="start from a copy of a migrated database")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="seed of the faults")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    return parser.parse_args()


def build_plan(args: argparse.Namespace) -> Plan:
    """Return the plan that the arguments ask for."""
    plan = Plan(naive=args.naive, no_redis=args.no_redis, seed=args.seed)
    if args.short:
        plan = replace(plan, breaches=200, seconds=4, integrations=25, kills=8, flushes=1, restarts=1, is_short=True)
    if args.calm:
        plan = replace(plan, kills=0, flushes=0, restarts=0, is_calm=True)
    if args.no_redis:
        plan = replace(plan, flushes=0)
    if args.short or args.calm:  # a refused email is retried after ten seconds or more
        plan = replace(plan, mail_outages=0, refuse=0.0, cut=0.0)
    return plan


def main() -> int:
    """Run the plan. Return 0 if it met its targets."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # stops the servers and processes first
    args = parse_arguments()
    try:
        report = run(build_plan(args), args.database)
    except ServerUnavailableError as reason:
        print(f"not run: {reason}", file=sys.stderr)
        return 69
    figures = asdict(report) | {"missed_targets": report.missed_targets}
    print(json.dumps(figures) if args.json else report.format_text())
    return 1 if report.missed_targets else 0


if __name__ == "__main__":
    sys.exit(main())
