"""Tests that buttons, the history, and emails call an action the same."""

import pytest

from integrations.submissions.workflow.transition_options import TRANSITION_OPTIONS
from portal.audit.event_types import EVENT_TYPES_BY_TRANSITION

PAST_TENSES = {"put": "put", "undo": "undid", "uphold": "upheld", "withdraw": "withdrew"}
LABELS = {name: options.label for name, options in TRANSITION_OPTIONS.items() if options.label}


def build_past_tense(verb: str) -> str:
    if verb in PAST_TENSES:
        return PAST_TENSES[verb]
    return f"{verb}d" if verb.endswith("e") else f"{verb}ed"


@pytest.mark.parametrize("name", sorted(set(LABELS) & set(EVENT_TYPES_BY_TRANSITION)))
def test_history_uses_the_verb_of_the_button(name: str) -> None:
    verb = LABELS[name].split()[0].lower()
    assert EVENT_TYPES_BY_TRANSITION[name].action.split()[0] == build_past_tense(verb)


def test_no_label_is_the_beginning_of_another() -> None:
    """Two buttons such as “End support” and “End support commitment” on one page are confused."""
    labels = sorted(LABELS.values())
    pairs = [(one, other) for one in labels for other in labels if " " in one and other.startswith(f"{one} ")]
    assert pairs == []
