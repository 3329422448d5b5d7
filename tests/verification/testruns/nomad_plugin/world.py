"""Example plugin and its records for tests of Nomad plugins."""

import sys
from functools import cache, partial
from pathlib import Path

from examples import nomad_plugin
from tests.verification.testruns import common
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
get_outcomes = partial(common.get_outcomes, RULES)
get_summary = partial(common.get_summary, RULES)


@cache
def write_executable(kind: str, fault: str = "") -> Path:
    folder = common.make_shared_folder("nomad-")
    return nomad_plugin.write(folder, kind, fault)


@cache
def run_plugin_test(kind: str, fault: str = "", address: object = CONFIG["address"]) -> NomadPluginRecords:
    target = NomadPluginTarget(kind, "example", "1.0.0", {"address": address})
    runner = NomadPluginTestRunner(target, write_executable(kind, fault), READABLE)
    runner.timeout_seconds = 2
    return runner.run()
