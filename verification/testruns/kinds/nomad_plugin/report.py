"""Report of a Nomad plugin test as JSON and as text."""

from dataclasses import asdict

from portal.core.value_types import JsonObject
from verification.testruns.kinds.nomad_plugin.records import NomadPluginRecords
from verification.testruns.kinds.nomad_plugin.rules import catalog
from verification.testruns.rule_results import OUTCOME_LABELS, build_results_report, format_results


def build_report(records: NomadPluginRecords) -> JsonObject:
    """Return the report as plain data: results, and every call with its response."""
    calls = [asdict(each) for each in records.asked]
    return {"claims": records.claims, **build_results_report(catalog, records), "calls": calls}


def render_text(records: NomadPluginRecords) -> str:
    """Return the results and one line per call."""
    results = catalog.judge(records)
    lines = [f"Test run of a Nomad {records.claims['type']} plugin", "", *format_results(results)]
    lines += ["", *(f"{call.title}: {call.came} after {call.seconds:.1f} s" for call in records.asked)]
    return "\n".join([*lines, "", f"Overall: {OUTCOME_LABELS[catalog.compute_outcome(results)]}"])
