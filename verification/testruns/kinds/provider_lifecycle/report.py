"""Report of a provider acceptance test as JSON and as text."""

from dataclasses import asdict

from portal.core.value_types import JsonObject
from verification.testruns.kinds.provider_lifecycle.records import ProviderLifecycleRecords
from verification.testruns.kinds.provider_lifecycle.rules import catalog
from verification.testruns.rule_results import OUTCOME_LABELS, build_results_report, format_results


def build_report(records: ProviderLifecycleRecords) -> JsonObject:
    """Return the report as plain data: results, and every command, redacted."""
    steps = [asdict(each) for each in records.ran]
    return {"source": records.source, **build_results_report(catalog, records), "steps": steps}


def render_text(records: ProviderLifecycleRecords) -> str:
    """Return the results and one line per command."""
    results = catalog.judge(records)
    lines = [f"Acceptance test of {records.source}", "", *format_results(results)]
    lines += ["", *(f"{command.title}: {command.line}" for command in records.ran)]
    return "\n".join([*lines, "", f"Overall: {OUTCOME_LABELS[catalog.compute_outcome(results)]}"])
