"""Tests of the texts of refusals."""

from integrations.partners.refusals import REFUSALS


def test_each_rule_has_one_text() -> None:
    names = [name for refusal in REFUSALS.rules for name in refusal.names]
    assert sorted(names) == sorted(set(names))
