"""Kills everything that tells a breach, again and again, and counts what was lost.

python -m tests.chaos.run                      10,000 breaches, 100 kills, 10 FLUSHALL, 5 database restarts
python -m tests.chaos.run --short              200 breaches in a few seconds, for the tests
python -m tests.chaos.run --naive              the usual pattern under the same treatment
python -m tests.chaos.run --no-redis           with Redis stopped throughout
python -m tests.chaos.run --no-redis --calm    and nothing else broken: every reader is told within 60 s
"""

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
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import redis

from tests.chaos.sink import Sink
from tests.servers.base import ServerUnavailableError, free_port
from tests.servers.postgres import Postgres
from tests.servers.valkey import Valkey

PROMPT = 60  # seconds after the due moment
PROGRAM = {False: "Nomad-integration-dev@hashicorp.com", True: "program@chaos.example"}


@dataclass(frozen=True, slots=True)
class Plan:
    """How much of what, within how many seconds."""

    breaches: int = 10_000
    seconds: int = 85
    integrations: int = 400
    kills: int = 110
    flushes: int = 12
    restarts: int = 6
    naive: bool = False
    no_redis: bool = False
    seed: int = 0
    patience: int = 180
    hang_ups: int = 3
    refuse: float = 0.05
    cut: float = 0.003
    is_short: bool = False
    is_calm: bool = False


@dataclass(frozen=True, slots=True)
class Toll:
    """What was counted. `lost`: breaches without a record, or that a reader never heard of.

    Seconds after the due moment: `slowest` and `p99` until it is recorded, `told_…` until every reader's mail is there.
    """

    breaches: int
    lost: int
    false: int
    double: int
    mails: int
    copies: int
    cuts: int
    refusals: int
    kills: int
    flushes: int
    restarts: int
    slowest: float
    p99: float
    told_slowest: float
    told_p99: float
    is_calm: bool = False

    @property
    def extra(self) -> float:
        """The share of mails that came more than once, those that the sink itself cut off among them."""
        return (self.copies - self.mails) / max(1, self.mails)

    @property
    def is_clean(self) -> bool:
        """Nothing lost, invented or doubled; found within a minute, and told where no killed process held a mail."""
        right = not (self.lost or self.false or self.double) and self.extra <= 0.01
        return right and (self.told_slowest if self.is_calm else self.slowest) <= PROMPT


class Nursery:
    """Processes that are forked and killed."""

    def __init__(self, log: Path) -> None:
        command = [sys.executable, "-m", "tests.chaos.nursery"]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": log.open("wb")}
        self.process = subprocess.Popen(command, **pipes, text=True, bufsize=1)
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
    """One run: servers, processes, a plan of blows."""

    def __init__(self, plan: Plan, postgres: Postgres, valkey: Valkey, sink: Sink) -> None:
        self.plan, self.postgres, self.valkey, self.sink = plan, postgres, valkey, sink
        self.draw = random.Random(plan.seed)
        self.nursery = Nursery(Path(os.environ["PORTAL_DATA"]) / "nursery.log")

    def run(self, begin: datetime) -> None:
        """Strike through the plan, then let what is left finish."""
        for role in (
            ("naive", "worker", "worker") if self.plan.naive else ("sweep", "sweep", "worker", "worker", "beat")
        ):
            self.nursery.start(role)
        time.sleep(max(0.0, begin.timestamp() - time.time()))
        blows = self._blows()
        for at, blow in blows:
            time.sleep(max(0.0, begin.timestamp() + at - time.time()))
            getattr(self, blow)()
        time.sleep(max(0.0, begin.timestamp() + self.plan.seconds + 1 - time.time()))  # until the last one is due
        self.sink.refuse = self.sink.cut = 0.0
        if not self.sink.is_up:
            self.sink.start()

    def end_leases(self) -> None:
        """Kill everyone, so that nobody holds a mail, let the leases of the dead end at once, and begin anew."""
        from tests.chaos import count

        for pid in list(self.nursery.alive):
            self.nursery.kill(pid)
        count.end_leases()
        self.nursery.start("sweep")

    def _blows(self) -> list[tuple[float, str]]:
        plan = self.plan
        kill_counts = {
            "kill": plan.kills,
            "flush": plan.flushes,
            "restart": plan.restarts,
            "hang_up": plan.hang_ups,
            "nudge": plan.kills,
        }
        blows = [
            (self.draw.uniform(0, plan.seconds), name) for name, count in kill_counts.items() for _ in range(count)
        ]
        return sorted(blows)

    def kill(self) -> None:
        self.nursery.start(self.nursery.kill(self.draw.choice(list(self.nursery.alive))))

    def flush(self) -> None:
        if not self.plan.no_redis:
            redis.Redis(port=self.valkey.port).flushall()

    def restart(self) -> None:
        """The database goes down at once, without tidying, and comes back."""
        self.postgres.stop(signal.SIGQUIT)
        self.postgres.start()

    def hang_up(self) -> None:
        """The mail server is away for a second or two."""
        if self.sink.is_up:
            self.sink.stop()
        else:
            self.sink.start()

    def nudge(self) -> None:
        """Somebody tells a worker to hurry, as the pages do: a backlog for the next flush."""
        from portal.celery import app

        if not self.plan.no_redis:
            with contextlib.suppress(Exception):  # the message is only speed
                app.send_task("portal.jobs.tasks.run_job", ["jobs.dispatch_due"], retry=False)


@contextmanager
def servers(plan: Plan) -> Iterator[tuple[Postgres, Valkey, Sink]]:
    """All three, in the environment of this process and of those it starts."""
    with tempfile.TemporaryDirectory(prefix="portal-chaos-") as folder:
        postgres, valkey = Postgres(Path(folder), durable=True), Valkey(Path(folder))
        sink = Sink(free_port(), refuse=plan.refuse, cut=plan.cut, seed=plan.seed)
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
            "CHAOS_HURRY": "10" if plan.is_short else "1",
        }
        if plan.no_redis:
            valkey.stop()
        try:
            yield postgres, valkey, sink
        finally:
            sink.stop()
            valkey.stop()
            postgres.stop(signal.SIGQUIT)


def run(plan: Plan) -> Toll:
    """Run a plan. Raises NotStarted where the servers cannot be had."""
    with servers(plan) as (postgres, valkey, sink):
        import django  # the settings read the environment that the servers have just filled

        django.setup()
        from django.core.management import call_command
        from django.db import connections

        from tests.chaos import count, world

        call_command("migrate", verbosity=0)
        begin = datetime.now(UTC) + timedelta(seconds=3 + plan.breaches / 2500)
        world.make(plan.breaches, plan.breaches // 5, plan.integrations, begin, plan.seconds)
        connections.close_all()
        chaos = Chaos(plan, postgres, valkey, sink)
        try:
            chaos.run(begin)
            end = datetime.now(UTC)
            if plan.is_short:
                chaos.end_leases()
            until = time.monotonic() + plan.patience
            while time.monotonic() < until and count.is_waiting(plan.naive):
                count.hurry()
                time.sleep(1)
            toll = count.toll(plan, sink, end, PROGRAM[plan.naive])
            if not toll.is_clean:
                print((Path(os.environ["PORTAL_DATA"]) / "nursery.log").read_text()[-6000:], file=sys.stderr)
            return toll
        finally:
            chaos.nursery.stop()
            connections.close_all()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--naive", action="store_true")
    parser.add_argument("--no-redis", action="store_true")
    parser.add_argument("--calm", action="store_true")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    args = parser.parse_args()
    small = {"breaches": 200, "seconds": 4, "integrations": 25, "kills": 8, "flushes": 1, "restarts": 1}
    # what is refused is sent again after ten seconds and more
    small |= {"is_short": True, "refuse": 0.0, "cut": 0.0, "hang_ups": 0}
    words = small if args.short else {}
    if args.calm:
        words |= {"is_calm": True, **dict.fromkeys(("kills", "flushes", "restarts", "hang_ups", "refuse", "cut"), 0)}
    plan = Plan(**words, naive=args.naive, no_redis=args.no_redis, seed=args.seed)
    try:
        toll = run(plan)
    except ServerUnavailableError as reason:
        print(f"not run: {reason}", file=sys.stderr)
        return 69
    print(json.dumps(asdict(toll) | {"seed": plan.seed, "extra": round(toll.extra, 4), "clean": toll.is_clean}))
    return 0 if toll.is_clean else 1


if __name__ == "__main__":
    sys.exit(main())
