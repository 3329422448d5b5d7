"""Report of a run task test as JSON and as text."""

from portal.core.value_types import JsonObject
from verification.testruns.kinds.run_task import rules
from verification.testruns.kinds.run_task.enforcement import build_effects
from verification.testruns.kinds.run_task.records import RunTaskRecords, serialize_record
from verification.testruns.rule_results import OUTCOME_LABELS, build_results_report, format_results


def build_report(records: RunTaskRecords, url: str) -> JsonObject:
    """Return the report as plain data: results, effects, and every exchange, redacted."""
    return {
        "url": url,
        "signed": records.has_key,
        **build_results_report(rules, records),
        "enforcement": [each.as_dict() for each in build_effects(records)],
        "exchanges": [serialize_record(each) for each in records.exchanges],
        "callbacks": [serialize_record(each) for each in records.callbacks],
    }


def render_text(records: RunTaskRecords, url: str) -> str:
    """Return the results, the effects, and one line per exchange."""
    results = rules.judge(records)
    lines = [f"Run task test of {url}", "", *format_results(results), "", "Effect on runs"]
    for effect in build_effects(records):
        level_note = f", sent as {effect.level}" if effect.level else ""
        lines.append(f"  {effect.stage}, {effect.scenario} run{level_note}: {effect.result or 'no result'}")
        lines += [f"    mandatory: {effect.mandatory}", f"    advisory:  {effect.advisory}"]
    lines += ["", "Requests and responses"]
    for exchange in records.exchanges:
        lines.append(f"  {exchange.title}: {exchange.line}")
        lines.extend(f"    {callback.line}" for callback in records.list_callbacks(exchange.act))
    return "\n".join([*lines, "", f"Overall: {OUTCOME_LABELS[rules.compute_outcome(results)]}"])
