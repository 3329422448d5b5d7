"""Shared parts of the tests of Nomad plugins: the example plugin and its records."""

import sys
from functools import cache
from pathlib import Path

import pytest

from examples import nomad_plugin
from tests.verification.testruns.folder import shared
from verification.sandbox.environment import find_obstacle
from verification.testruns.kinds.nomad_plugin.driver import NomadPluginTestRunner
from verification.testruns.kinds.nomad_plugin.records import NomadPluginRecords, NomadPluginTarget
from verification.testruns.kinds.nomad_plugin.rules import RULES

ROOT = Path(nomad_plugin.__file__).resolve().parent.parent
READABLE = tuple(
    dict.fromkeys(
        Path(each).resolve()
        for each in (sys.base_prefix, sys.prefix, ROOT / "examples", ROOT / "portal", ROOT / "verification")
    )
)
CONFIG = {"address": "127.0.0.1:9999"}
needs_sandbox = pytest.mark.skipif(bool(find_obstacle()), reason=find_obstacle() or "a sandbox can be had")


@cache
def executable(kind: str, fault: str = "") -> Path:
    folder = shared("nomad-")
    return nomad_plugin.write(folder, kind, fault)


@cache
def run_plugin_test(kind: str, fault: str = "", address: object = CONFIG["address"]) -> NomadPluginRecords:
    target = NomadPluginTarget(kind, "example", "1.0.0", {"address": address})
    runner = NomadPluginTestRunner(target, executable(kind, fault), READABLE)
    runner.timeout_seconds = 2
    return runner.run()


def outcomes(records: NomadPluginRecords) -> dict[str, str]:
    return {each.rule: str(each.outcome) for each in RULES.evaluate(records)}


def sentence(records: NomadPluginRecords, rule: str) -> str:
    return next(each.sentence for each in RULES.evaluate(records) if each.rule == rule)
