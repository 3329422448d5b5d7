"""What do tests of lifecycles share? The example provider in its variants, its configurations, and what was played."""

import sys
from functools import cache
from pathlib import Path

import pytest

from examples import provider
from tests.verification.testruns.folder import shared
from verification.sandbox.environment import find_obstacle
from verification.testruns.kinds.provider_lifecycle import worker
from verification.testruns.kinds.provider_lifecycle.config import Given
from verification.testruns.kinds.provider_lifecycle.records import Seen
from verification.testruns.kinds.provider_lifecycle.rules import catalog
from verification.testruns.kinds.provider_lifecycle.workspace import found_terraform

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
CHANGED = BASE.replace("1.2.3.4", "5.6.7.8")
PARTIAL = BASE.replace("/mount/test", "mount/test")
REFUSED = 'resource "example_server" "my-server" {}\n'
READABLE = tuple(dict.fromkeys(Path(each).resolve() for each in (sys.base_prefix, sys.prefix)))
TERRAFORM = found_terraform()
needs_terraform = pytest.mark.skipif(TERRAFORM is None, reason="no terraform on this machine")
needs_sandbox = pytest.mark.skipif(bool(find_obstacle()), reason=find_obstacle() or "a sandbox can be had")


@cache
def executable(fault: str = "") -> Path:
    """The example provider, with the fault."""
    return provider.write(shared("provider-"), fault)


def given(fault: str = "", **more: str) -> Given:
    texts = {"refused": REFUSED, "partial": PARTIAL} | more
    return Given(
        executable(fault), TERRAFORM or Path(), "example/example", "1.0.0", BASE, CHANGED,
        environment={"EXAMPLE_TOKEN": CANARY, "EXAMPLE_REGION": "eu-west-1"}, **texts,
    )  # fmt: skip


@cache
def played(fault: str = "", only: tuple[str, ...] = ()) -> Seen:
    """What is seen of the variant, of some steps or of all; played once. Without a sandbox, which takes less time."""
    return worker.alone(given(fault), lambda seen: None, only)


def outcomes(seen: Seen) -> dict[str, str]:
    return {each.rule: str(each.outcome) for each in catalog.judge(seen)}


def sentence(seen: Seen, rule: str) -> str:
    return next(each.sentence for each in catalog.judge(seen) if each.rule == rule)
