"""Tests that every next action and queue reason can be translated."""

from collections.abc import Iterator

import pytest

from integrations.submissions.selectors import context, queue_reasons
from integrations.submissions.workflow.next_action import (
    ACTION_SENTENCES,
    PATTERNED_SENTENCES,
    find_action_verb,
    translate_next_action,
)
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

ITEM = (OpenRequirement("X-1", "Logs", ResponsibleParty.PARTNER, "Upload"),)
REVIEW = {"stage": Stage.REVIEW, "step": "Review"}
SUPPORT = {"stage": Stage.SUPPORT, "step": "Support"}
FACTS = (
    IntegrationSnapshot(Stage.ENGAGE, "Engage"),
    IntegrationSnapshot(Stage.ENGAGE, "Engage", next_stage=Stage.REVIEW),
    IntegrationSnapshot(Stage.ENGAGE, "Engage", on_hold_for=ResponsibleParty.PROGRAM, hold_reason="Legal reviews it."),
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
REASONS = ("new review", "review round 2", "ready to publish", "request for tier Premier", "response to 1 finding")


def texts() -> Iterator[str]:
    """Yield every kind of stored text: next actions, reasons, verbs, and choices."""
    yield from (turn.action for each in FACTS if (turn := determine_next_action(each)) is not None)
    yield from context.ACTION_VERBS.values()
    yield from context.OTHER_PARTY_VERBS.values()
    yield from queue_reasons.COMPLIANCE_REASONS.values()
    yield from (OpenRequirement("X-1", "Logs", ResponsibleParty.PARTNER, enough=n).choice for n in (1, 2))
    yield from REASONS


@pytest.mark.parametrize("text", sorted(set(texts())))
def test_next_action_is_translated(text: str) -> None:
    assert translate_next_action(text) == text
    with pseudo.activate_pseudo_language():
        assert pseudo.find_untranslated_texts(translate_next_action(text), markup=False) in (
            [],
            [text.partition(": ")[2]],
        )
        assert translate_next_action(text).startswith(pseudo.OPEN)


@pytest.mark.parametrize("verb", ACTION_SENTENCES)
def test_action_sentence_begins_with_its_verb(verb: str) -> None:
    assert ACTION_SENTENCES[verb].startswith(verb)
    assert find_action_verb(ACTION_SENTENCES[verb] % {"title": "Logs"}) == verb


def test_patterned_sentences_contain_their_value() -> None:
    assert [message for _pattern, message in PATTERNED_SENTENCES if "%(value)s" not in message] == []


def test_unknown_text_is_not_translated() -> None:
    with pseudo.activate_pseudo_language():
        assert translate_next_action("Whatever: it is") == "Whatever: it is"
