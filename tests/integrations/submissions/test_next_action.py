"""Can every sentence of a turn be said in another language? All that states and facts write must be known."""

from collections.abc import Iterator

import pytest

from integrations.submissions.selectors import context
from integrations.submissions.workflow.next_action import COUNTED, VERBS, turn_said
from integrations.submissions.workflow.states import (
    AT_REST,
    PROCESS_TURNS,
    Facts,
    Holder,
    Missing,
    Process,
    ReviewState,
    Stage,
    Standing,
    turn_of,
)
from tests.portal import pseudo

ITEM = (Missing("X-1", "Logs", Holder.PARTNER, "Hand in"),)
REVIEW = {"stage": Stage.REVIEW, "step": "Review"}
SUPPORT = {"stage": Stage.SUPPORT, "step": "Support"}
FACTS = (
    Facts(Stage.ENGAGE, "Engage"),
    Facts(Stage.ENGAGE, "Engage", next_stage=Stage.REVIEW),
    Facts(Stage.ENGAGE, "Engage", hold=Holder.PROGRAM, hold_reason="Legal looks at it."),
    Facts(Stage.RELEASE, "Release"),
    Facts(Stage.DEVELOP, "Develop", missing=ITEM),
    Facts(**REVIEW, review=ReviewState.WAITING, round=2),
    Facts(**REVIEW, review=ReviewState.CHANGES),
    Facts(**REVIEW, review=ReviewState.CHANGES, open_findings=1),
    Facts(**REVIEW, review=ReviewState.CHANGES, open_findings=3),
    Facts(**SUPPORT, standing=Standing.VERIFIED),
    Facts(**SUPPORT, standing=Standing.VERIFIED, tier_request="Premier"),
    Facts(**SUPPORT, standing=Standing.VERIFIED, process=Process.ASKED, standing_ask="2 breaches"),
    *(Facts(**SUPPORT, standing=standing, process=process) for standing, process in PROCESS_TURNS),
    *(Facts(**SUPPORT, standing=standing) for standing in AT_REST),
)
REASONS = ("new review", "review round 2", "ready to list", "asks for the tier Premier", "answered 1 finding")


def texts() -> Iterator[str]:
    """Every kind of text that is written down of a turn: sentences, reasons, verbs, choices."""
    yield from (turn.action for each in FACTS if (turn := turn_of(each)) is not None)
    yield from context.VERBS.values()
    yield from context.OTHERS_VERBS.values()
    yield from context.OF_PROCESS.values()
    yield from (Missing("X-1", "Logs", Holder.PARTNER, enough=n).choice for n in (1, 2))
    yield from REASONS


@pytest.mark.parametrize("text", sorted(set(texts())))
def test_a_turn_is_said_as_it_was_written_and_in_another_language(text: str) -> None:
    assert turn_said(text) == text
    with pseudo.spoken():
        assert pseudo.untranslated(turn_said(text), markup=False) in ([], [text.partition(": ")[2]])
        assert turn_said(text).startswith(pseudo.OPEN)


def test_every_message_of_a_verb_begins_with_it() -> None:
    assert [verb for verb, message in VERBS.items() if message != f"{verb}: %(what)s"] == []
    assert [message for _pattern, message in COUNTED if "%(what)s" not in message] == []


def test_a_sentence_that_is_none_of_ours_stays() -> None:
    with pseudo.spoken():
        assert turn_said("Whatever: it is") == "Whatever: it is"
