"""How is a lifecycle rehearsal told? As JSON, the same everywhere, and as text."""

import json
from dataclasses import asdict
from typing import Any

from verification.outcomes import Outcome
from verification.testruns.kinds.provider_lifecycle.records import Seen
from verification.testruns.kinds.provider_lifecycle.rules import catalog

MARKS = {Outcome.PASS: "pass", Outcome.WARN: "warn", Outcome.FAIL: "FAIL", Outcome.ERROR: "error",
         Outcome.NOT_RUN: "not run"}  # fmt: skip


def as_plain(seen: Seen) -> dict[str, Any]:
    """The whole as plain data: verdicts and every command, secrets struck out."""
    verdicts = catalog.judge(seen)
    return {
        "source": seen.source,
        "rules_version": catalog.VERSION,
        "outcome": str(catalog.outcome_of(verdicts)),
        "verdicts": [each.as_dict() for each in verdicts],
        "steps": [asdict(each) for each in seen.ran],
    }


def as_json(seen: Seen) -> str:
    return json.dumps(as_plain(seen), indent=2, ensure_ascii=False)


def as_text(seen: Seen) -> str:
    """The verdicts, and one line for each command."""
    verdicts = catalog.judge(seen)
    lines = [f"Lifecycle rehearsal of {seen.source}", ""]
    for each in verdicts:
        lines.append(f"{MARKS[each.outcome]:8} {each.title}: {each.sentence}")
        lines.extend(f"{'':8} {note}" for note in (each.advice,) if note)
    lines += ["", *(f"{ran.title}: {ran.line}" for ran in seen.ran)]
    lines += ["", f"In all: {MARKS[catalog.outcome_of(verdicts)]}"]
    return "\n".join(lines)


def exit_code(seen: Seen) -> int:
    """0 where nothing fails, 1 where something does, 2 where we could not tell."""
    outcome = catalog.outcome_of(catalog.judge(seen))
    return {Outcome.FAIL: 1, Outcome.ERROR: 2, Outcome.NOT_RUN: 2}.get(outcome, 0)
