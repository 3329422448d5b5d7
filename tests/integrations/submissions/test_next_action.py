"""Can every sentence of a turn be said in another language? All that states and facts write must be known."""

from collections.abc import Iterator

import pytest

from integrations.submissions.selectors import context, queue_reasons
from integrations.submissions.workflow.next_action import PATTERNED_SENTENCES, SENTENCES_BY_VERB, translate_next_action
from integrations.submissions.workflow.states import (
    COMPLIANCE_ACTIONS,
    IDLE_ACTIONS,
    ComplianceStatus,
    IntegrationSnapshot,
    ListingStatus,
    OpenRequirement,
    ResponsibleParty,
    ReviewState,
    Stage,
    determine_next_action,
)
from tests.portal import pseudo

ITEM = (OpenRequirement("X-1", "Logs", ResponsibleParty.PARTNER, "Hand in"),)
REVIEW = {"stage": Stage.REVIEW, "step": "Review"}
SUPPORT = {"stage": Stage.SUPPORT, "step": "Support"}
FACTS = (
    IntegrationSnapshot(Stage.ENGAGE, "Engage"),
    IntegrationSnapshot(Stage.ENGAGE, "Engage", next_stage=Stage.REVIEW),
    IntegrationSnapshot(Stage.ENGAGE, "Engage", on_hold_for=ResponsibleParty.PROGRAM, hold_reason="Legal looks at it."),
    IntegrationSnapshot(Stage.RELEASE, "Release"),
    IntegrationSnapshot(Stage.DEVELOP, "Develop", missing=ITEM),
    IntegrationSnapshot(**REVIEW, review=ReviewState.WAITING, round=2),
    IntegrationSnapshot(**REVIEW, review=ReviewState.CHANGES),
    IntegrationSnapshot(**REVIEW, review=ReviewState.CHANGES, open_findings=1),
    IntegrationSnapshot(**REVIEW, review=ReviewState.CHANGES, open_findings=3),
    IntegrationSnapshot(**SUPPORT, listing_status=ListingStatus.LISTED),
    IntegrationSnapshot(**SUPPORT, listing_status=ListingStatus.LISTED, tier_request="Premier"),
    IntegrationSnapshot(
        **SUPPORT,
        listing_status=ListingStatus.LISTED,
        process=ComplianceStatus.REQUESTED,
        compliance_request="2 breaches",
    ),
    *(
        IntegrationSnapshot(**SUPPORT, listing_status=listing_status, process=process)
        for listing_status, process in COMPLIANCE_ACTIONS
    ),
    *(IntegrationSnapshot(**SUPPORT, listing_status=listing_status) for listing_status in IDLE_ACTIONS),
)
REASONS = ("new review", "review round 2", "ready to list", "asks for the tier Premier", "answered 1 finding")


def texts() -> Iterator[str]:
    """Every kind of text that is written down of a turn: sentences, reasons, verbs, choices."""
    yield from (turn.action for each in FACTS if (turn := determine_next_action(each)) is not None)
    yield from context.ACTION_VERBS.values()
    yield from context.OTHER_PARTY_VERBS.values()
    yield from queue_reasons.COMPLIANCE_REASONS.values()
    yield from (OpenRequirement("X-1", "Logs", ResponsibleParty.PARTNER, enough=n).choice for n in (1, 2))
    yield from REASONS


@pytest.mark.parametrize("text", sorted(set(texts())))
def test_turn_is_said_as_it_was_written_and_in_another_language(text: str) -> None:
    assert translate_next_action(text) == text
    with pseudo.activate_pseudo_language():
        assert pseudo.find_untranslated_texts(translate_next_action(text), markup=False) in (
            [],
            [text.partition(": ")[2]],
        )
        assert translate_next_action(text).startswith(pseudo.OPEN)


def test_every_message_of_a_verb_begins_with_it() -> None:
    assert [verb for verb, message in SENTENCES_BY_VERB.items() if message != f"{verb}: %(what)s"] == []
    assert [message for _pattern, message in PATTERNED_SENTENCES if "%(what)s" not in message] == []


def test_invalid_sentence_of_ours_stays() -> None:
    with pseudo.activate_pseudo_language():
        assert translate_next_action("Whatever: it is") == "Whatever: it is"
