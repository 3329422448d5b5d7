"""How is a rehearsal of a Nomad plugin told? As JSON, the same everywhere, and as text."""

import json
from dataclasses import asdict
from typing import Any

from verification.base import Outcome
from verification.rehearsal.lifecycle.report import MARKS
from verification.rehearsal.nomad import rules
from verification.rehearsal.nomad.record import Seen


def as_plain(seen: Seen) -> dict[str, Any]:
    """The whole as plain data: verdicts, and every question with its answer."""
    verdicts = rules.judge(seen)
    return {
        "claims": seen.claims,
        "rules_version": rules.VERSION,
        "outcome": str(rules.outcome_of(verdicts)),
        "verdicts": [each.as_dict() for each in verdicts],
        "questions": [asdict(each) for each in seen.asked],
    }


def as_json(seen: Seen) -> str:
    return json.dumps(as_plain(seen), indent=2, ensure_ascii=False)


def as_text(seen: Seen) -> str:
    """The verdicts, and one line for each question."""
    verdicts = rules.judge(seen)
    lines = [f"Rehearsal of a Nomad {seen.claims['type']} plugin", ""]
    for each in verdicts:
        lines.append(f"{MARKS[each.outcome]:8} {each.title}: {each.sentence}")
        lines.extend(f"{'':8} {note}" for note in (each.advice,) if note)
    lines += ["", *(f"{one.title}: {one.came} after {one.seconds:.1f} s" for one in seen.asked)]
    return "\n".join([*lines, "", f"In all: {MARKS[rules.outcome_of(verdicts)]}"])


def exit_code(seen: Seen) -> int:
    """0 where nothing fails, 1 where something does, 2 where we could not tell."""
    outcome = rules.outcome_of(rules.judge(seen))
    return {Outcome.FAIL: 1, Outcome.ERROR: 2, Outcome.NOT_RUN: 2}.get(outcome, 0)
