"""Report of a Nomad plugin test as JSON and as text."""

import json
from dataclasses import asdict
from typing import Any

from verification.outcomes import Outcome
from verification.testruns.kinds.nomad_plugin.records import NomadPluginRecords
from verification.testruns.kinds.nomad_plugin.rules import catalog
from verification.testruns.kinds.provider_lifecycle.report import OUTCOME_LABELS


def build_report(records: NomadPluginRecords) -> dict[str, Any]:
    """Return the report as plain data: results, and every call with its response."""
    results = catalog.judge(records)
    return {
        "claims": records.claims,
        "rules_version": catalog.RULES_VERSION,
        "outcome": str(catalog.compute_outcome(results)),
        "verdicts": [each.as_dict() for each in results],
        "questions": [asdict(each) for each in records.asked],
    }


def render_json(records: NomadPluginRecords) -> str:
    return json.dumps(build_report(records), indent=2, ensure_ascii=False)


def render_text(records: NomadPluginRecords) -> str:
    """Return the results and one line per call."""
    results = catalog.judge(records)
    lines = [f"Test run of a Nomad {records.claims['type']} plugin", ""]
    for each in results:
        lines.append(f"{OUTCOME_LABELS[each.outcome]:8} {each.title}: {each.sentence}")
        lines.extend(f"{'':8} {note}" for note in (each.advice,) if note)
    lines += ["", *(f"{call.title}: {call.came} after {call.seconds:.1f} s" for call in records.asked)]
    return "\n".join([*lines, "", f"Overall: {OUTCOME_LABELS[catalog.compute_outcome(results)]}"])


def get_exit_code(records: NomadPluginRecords) -> int:
    """Return 0 if nothing fails, 1 if something fails, 2 if the result is unknown."""
    outcome = catalog.compute_outcome(catalog.judge(records))
    return {Outcome.FAIL: 1, Outcome.ERROR: 2, Outcome.NOT_RUN: 2}.get(outcome, 0)
