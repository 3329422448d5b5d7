"""How is a rehearsal of a Nomad plugin told? As JSON, the same everywhere, and as text."""

import json
from dataclasses import asdict
from typing import Any

from verification.outcomes import Outcome
from verification.testruns.kinds.nomad_plugin.records import Seen
from verification.testruns.kinds.nomad_plugin.rules import catalog
from verification.testruns.kinds.provider_lifecycle.report import MARKS


def as_plain(seen: Seen) -> dict[str, Any]:
    """The whole as plain data: verdicts, and every question with its answer."""
    verdicts = catalog.judge(seen)
    return {
        "claims": seen.claims,
        "rules_version": catalog.VERSION,
        "outcome": str(catalog.outcome_of(verdicts)),
        "verdicts": [each.as_dict() for each in verdicts],
        "questions": [asdict(each) for each in seen.asked],
    }


def as_json(seen: Seen) -> str:
    return json.dumps(as_plain(seen), indent=2, ensure_ascii=False)


def as_text(seen: Seen) -> str:
    """The verdicts, and one line for each question."""
    verdicts = catalog.judge(seen)
    lines = [f"Rehearsal of a Nomad {seen.claims['type']} plugin", ""]
    for each in verdicts:
        lines.append(f"{MARKS[each.outcome]:8} {each.title}: {each.sentence}")
        lines.extend(f"{'':8} {note}" for note in (each.advice,) if note)
    lines += ["", *(f"{one.title}: {one.came} after {one.seconds:.1f} s" for one in seen.asked)]
    return "\n".join([*lines, "", f"In all: {MARKS[catalog.outcome_of(verdicts)]}"])


def exit_code(seen: Seen) -> int:
    """0 where nothing fails, 1 where something does, 2 where we could not tell."""
    outcome = catalog.outcome_of(catalog.judge(seen))
    return {Outcome.FAIL: 1, Outcome.ERROR: 2, Outcome.NOT_RUN: 2}.get(outcome, 0)
