"""Report of a run task test as JSON and as text."""

import json
from typing import Any

from verification.outcomes import Outcome
from verification.testruns.kinds.run_task import rules
from verification.testruns.kinds.run_task.enforcement import build_effects
from verification.testruns.kinds.run_task.records import RunTaskRecords, serialize_record

OUTCOME_LABELS = {Outcome.PASS: "pass", Outcome.WARN: "warn", Outcome.FAIL: "FAIL", Outcome.ERROR: "error",
         Outcome.NOT_RUN: "not run"}  # fmt: skip


def build_report(records: RunTaskRecords, url: str) -> dict[str, Any]:
    """Return the report as plain data: results, effects, and every exchange, redacted."""
    results = rules.judge(records)
    return {
        "url": url,
        "signed": records.has_key,
        "rules_version": rules.RULES_VERSION,
        "outcome": str(rules.compute_outcome(results)),
        "verdicts": [each.as_dict() for each in results],
        "enforcement": [each.as_dict() for each in build_effects(records)],
        "exchanges": [serialize_record(each) for each in records.exchanges],
        "callbacks": [serialize_record(each) for each in records.callbacks],
    }


def render_json(records: RunTaskRecords, url: str) -> str:
    return json.dumps(build_report(records, url), indent=2, ensure_ascii=False)


def render_text(records: RunTaskRecords, url: str) -> str:
    """Return the results, the effects, and one line per exchange."""
    results = rules.judge(records)
    lines = [f"Run task test of {url}", ""]
    for each in results:
        lines.append(f"{OUTCOME_LABELS[each.outcome]:8} {each.title}: {each.sentence}")
        lines.extend(f"{'':8} {note}" for note in (each.advice, *each.notes) if note)
    lines += ["", "Effect on runs"]
    for effect in build_effects(records):
        level_note = f", sent as {effect.level}" if effect.level else ""
        lines.append(f"  {effect.stage}, {effect.scenario} run{level_note}: {effect.result or 'no result'}")
        lines += [f"    mandatory: {effect.mandatory}", f"    advisory:  {effect.advisory}"]
    lines += ["", "Requests and responses"]
    for exchange in records.exchanges:
        lines.append(f"  {exchange.title}: {exchange.line}")
        lines.extend(f"    {callback.line}" for callback in records.list_callbacks(exchange.act))
    return "\n".join(lines)


def get_exit_code(records: RunTaskRecords) -> int:
    """Return 0 if nothing fails, 1 if something fails, 2 if the result is unknown."""
    outcome = rules.compute_outcome(rules.judge(records))
    return {Outcome.PASS: 0, Outcome.WARN: 0, Outcome.FAIL: 1}.get(outcome, 2)
