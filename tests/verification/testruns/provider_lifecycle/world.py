"""Example provider, its configurations, and its records for acceptance tests."""

import atexit
import sys
from functools import cache, partial
from pathlib import Path

from examples import provider
from tests.verification.testruns import common
from tests.verification.testruns.provider_lifecycle.provider_server import ProviderServer
from verification.testruns.kinds.provider_lifecycle.driver import UnsandboxedTestRunner
from verification.testruns.kinds.provider_lifecycle.records import ProviderLifecycleRecords, ProviderLifecycleTarget
from verification.testruns.kinds.provider_lifecycle.rules import RULES

CANARY = "canary/7f3a+Qz9=secret second-part"
BASE = """resource "example_server" "my-server" {
  address = "1.2.3.4"
  task_spec {
    container_spec {
      mounts {
        type   = "volume"
        source = "tftest-volume"
        target = "/mount/test"
      }
    }
  }
}
"""
CHANGED_CONFIG = BASE.replace("1.2.3.4", "5.6.7.8")
PARTIAL = BASE.replace("/mount/test", "mount/test")
FAILING_CHANGE = CHANGED_CONFIG.replace("5.6.7.8", "9.9.9.9").replace("/mount/test", "mount/test")
REFUSED_CONFIG = 'resource "example_server" "my-server" {}\n'
READABLE = tuple(dict.fromkeys(Path(each).resolve() for each in (sys.base_prefix, sys.prefix)))
get_outcomes = partial(common.get_outcomes, RULES)
get_summary = partial(common.get_summary, RULES)


@cache
def write_executable(fault: str = "") -> Path:
    """Return the executable of the example provider with a fault."""
    return provider.write(common.make_shared_folder("provider-"), fault)


@cache
def start_server() -> ProviderServer:
    server = ProviderServer(common.make_shared_folder("provider-server-"))
    atexit.register(server.stop)
    return server


@cache
def write_forked_executable(fault: str = "") -> Path:
    """Return an executable of the same provider that starts faster, but not in a sandbox."""
    return start_server().write_executable(common.make_shared_folder("provider-"), provider.NAME, fault)


def build_target() -> ProviderLifecycleTarget:
    return ProviderLifecycleTarget(
        "example/example",
        "1.0.0",
        BASE,
        CHANGED_CONFIG,
        environment={"EXAMPLE_TOKEN": CANARY, "EXAMPLE_REGION": "eu-west-1"},
        failing_change=FAILING_CHANGE,
        refused=REFUSED_CONFIG,
        partial=PARTIAL,
    )


@cache
def run_lifecycle_test(fault: str = "", only: tuple[str, ...] = ()) -> ProviderLifecycleRecords:
    """Run all or some steps once, without a sandbox, which takes less time. Return the records."""
    runner = UnsandboxedTestRunner(build_target(), write_forked_executable(fault))
    runner.only_steps = only
    return runner.run()
