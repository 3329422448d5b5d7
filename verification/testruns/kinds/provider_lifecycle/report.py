"""Report of a provider acceptance test as JSON and as text."""

import json
from dataclasses import asdict
from typing import Any

from verification.outcomes import Outcome
from verification.testruns.kinds.provider_lifecycle.records import ProviderLifecycleRecords
from verification.testruns.kinds.provider_lifecycle.rules import catalog

OUTCOME_LABELS = {Outcome.PASS: "pass", Outcome.WARN: "warn", Outcome.FAIL: "FAIL", Outcome.ERROR: "error",
         Outcome.NOT_RUN: "not run"}  # fmt: skip


def build_report(records: ProviderLifecycleRecords) -> dict[str, Any]:
    """Return the report as plain data: results, and every command, redacted."""
    results = catalog.judge(records)
    return {
        "source": records.source,
        "rules_version": catalog.RULES_VERSION,
        "outcome": str(catalog.compute_outcome(results)),
        "verdicts": [each.as_dict() for each in results],
        "steps": [asdict(each) for each in records.ran],
    }


def render_json(records: ProviderLifecycleRecords) -> str:
    return json.dumps(build_report(records), indent=2, ensure_ascii=False)


def render_text(records: ProviderLifecycleRecords) -> str:
    """Return the results and one line per command."""
    results = catalog.judge(records)
    lines = [f"Acceptance test of {records.source}", ""]
    for each in results:
        lines.append(f"{OUTCOME_LABELS[each.outcome]:8} {each.title}: {each.sentence}")
        lines.extend(f"{'':8} {note}" for note in (each.advice,) if note)
    lines += ["", *(f"{command.title}: {command.line}" for command in records.ran)]
    lines += ["", f"Overall: {OUTCOME_LABELS[catalog.compute_outcome(results)]}"]
    return "\n".join(lines)


def get_exit_code(records: ProviderLifecycleRecords) -> int:
    """Return 0 if nothing fails, 1 if something fails, 2 if the result is unknown."""
    outcome = catalog.compute_outcome(catalog.judge(records))
    return {Outcome.FAIL: 1, Outcome.ERROR: 2, Outcome.NOT_RUN: 2}.get(outcome, 0)
