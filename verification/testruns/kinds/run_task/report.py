"""How is a rehearsal told? As JSON, the same everywhere, and as text."""

import json
from typing import Any

from verification.outcomes import Outcome
from verification.testruns.kinds.run_task import rules
from verification.testruns.kinds.run_task.enforcement import effects
from verification.testruns.kinds.run_task.records import Seen, as_dict

MARKS = {Outcome.PASS: "pass", Outcome.WARN: "warn", Outcome.FAIL: "FAIL", Outcome.ERROR: "error",
         Outcome.NOT_RUN: "not run"}  # fmt: skip


def as_plain(seen: Seen, url: str) -> dict[str, Any]:
    """The whole as plain data: verdicts, what the run would do, and every exchange, secrets struck out."""
    verdicts = rules.judge(seen)
    return {
        "url": url,
        "signed": seen.has_key,
        "rules_version": rules.VERSION,
        "outcome": str(rules.outcome_of(verdicts)),
        "verdicts": [each.as_dict() for each in verdicts],
        "enforcement": [each.as_dict() for each in effects(seen)],
        "exchanges": [as_dict(each) for each in seen.exchanges],
        "callbacks": [as_dict(each) for each in seen.knocks],
    }


def as_json(seen: Seen, url: str) -> str:
    return json.dumps(as_plain(seen, url), indent=2, ensure_ascii=False)


def as_text(seen: Seen, url: str) -> str:
    """The verdicts, what the run would do, and one line for each exchange."""
    verdicts = rules.judge(seen)
    lines = [f"Run task rehearsal of {url}", ""]
    for each in verdicts:
        lines.append(f"{MARKS[each.outcome]:8} {each.title}: {each.sentence}")
        lines.extend(f"{'':8} {note}" for note in (each.advice, *each.notes) if note)
    lines += ["", "What the run would do"]
    for effect in effects(seen):
        sent = f", sent as {effect.level}" if effect.level else ""
        lines.append(f"  {effect.stage}, {effect.scenario} run{sent}: {effect.result or 'no result'}")
        lines += [f"    mandatory: {effect.mandatory}", f"    advisory:  {effect.advisory}"]
    lines += ["", "What was seen"]
    for exchange in seen.exchanges:
        lines.append(f"  {exchange.title}: {exchange.line}")
        lines.extend(f"    {knock.line}" for knock in seen.knocks_of(exchange.act))
    return "\n".join(lines)


def exit_code(seen: Seen) -> int:
    """0: nothing fails. 1: something does. 2: we could not tell."""
    outcome = rules.outcome_of(rules.judge(seen))
    return {Outcome.PASS: 0, Outcome.WARN: 0, Outcome.FAIL: 1}.get(outcome, 2)
