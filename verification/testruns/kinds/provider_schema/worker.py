"""Sandbox worker for provider schema inspections: reads the schema both ways and compares."""

from collections.abc import Callable, Mapping
from pathlib import Path

from portal.core.value_types import JsonObject
from verification.testruns.kinds.provider_schema import reader
from verification.testruns.kinds.provider_schema.reader import SchemaReadResult

ProgressCallback = Callable[[dict[str, object]], None]
READ_METHODS = ("direct", "terraform", "both")


def run_job(job_input: JsonObject, files: Mapping[str, Path], report_progress: ProgressCallback) -> JsonObject:
    """Read the schema. `job_input`: source, version, via, readable (paths). `files`: the executable as "provider".

    Returns:
        {"readings": [{via, read, key, problem, protocol, seconds, peak, said}], "schema": the document or None,
        "differences": [locations] or None without two documents, "terraform": whether it is installed}.

    Raises:
        SandboxUnavailable: There is no sandbox.
        ValueError: The input is invalid; the message is safe to display.
    """
    readable = [Path(path) for path in job_input.get("readable", ())]
    target = reader.build_target(files["provider"], job_input.get("source", ""), job_input.get("version", ""), readable)
    readings, terraform = [], reader.find_terraform()
    if job_input.get("via", "both") != "terraform":
        report_progress({"says": "Reading the schema from the provider"})
        readings.append(reader.read_directly(target))
    if terraform is not None and job_input.get("via", "both") != "direct":
        readings.append(
            reader.read_with_terraform(target, terraform, lambda message: report_progress({"says": message}))
        )
    return {
        "readings": [reading.as_dict() for reading in readings],
        "schema": next((reading.document for reading in readings if reading.document is not None), None),
        "differences": _compare_readings(readings),
        "terraform": terraform is not None,
    }


def _compare_readings(readings: list[SchemaReadResult]) -> list[str] | None:
    documents = [reading.document for reading in readings if reading.document is not None]
    return reader.list_differences(documents[0], documents[1]) if len(documents) == 2 else None
