"""Sandbox worker for Nomad plugin tests."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from portal.core.value_types import JsonObject
from verification.testruns.kinds.nomad_plugin.driver import NomadPluginTarget, NomadPluginTestRunner
from verification.testruns.kinds.nomad_plugin.records import NomadPluginRecords, PluginCall

MAX_ANSWER_CHARACTERS = 200_000  # characters of one answer
STATUS_TOO_LARGE = "too much"
TEXT_FIELDS = ("type", "name", "version")
ProgressCallback = Callable[[dict[str, object]], None]


def build_job_input(target: NomadPluginTarget) -> JsonObject:
    """Return the input of the sandbox job."""
    texts = {name: getattr(target, name) for name in TEXT_FIELDS}
    return texts | {"config": dict(target.config), "readable": [str(path) for path in target.readable]}


def run_job(job_input: JsonObject, files: Mapping[str, Path], report_progress: ProgressCallback) -> JsonObject:
    """Run the test and return its records as plain data. `report_progress` receives {"seen": …} after each call."""
    texts = {name: str(job_input[name]) for name in TEXT_FIELDS}
    readable = tuple(Path(path) for path in job_input["readable"])
    target = NomadPluginTarget(files["plugin"], config=dict(job_input["config"]), readable=readable, **texts)
    return truncate_records(
        NomadPluginTestRunner(
            target, lambda records: report_progress({"seen": truncate_records(records).as_dict()})
        ).run()
    ).as_dict()


def truncate_records(records: NomadPluginRecords) -> NomadPluginRecords:
    """Return the records without oversized responses. They count as missing."""
    return replace(records, asked=tuple(map(_truncate_call, records.asked)))


def _truncate_call(call: PluginCall) -> PluginCall:
    size = len(json.dumps(call.data))
    if size <= MAX_ANSWER_CHARACTERS:
        return call
    return replace(
        call,
        came=STATUS_TOO_LARGE,
        data={},
        sentence=f"The response has {size} characters. The limit is {MAX_ANSWER_CHARACTERS}.",
    )


def build_not_run_records(target: NomadPluginTarget, reason: str) -> NomadPluginRecords:
    """Return the records of a test that could not run."""
    return NomadPluginRecords(target.claims, unavailable=reason, over=True)
