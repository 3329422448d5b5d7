"""Tests of the texts of refusals."""

from integrations.partners import permissions
from integrations.partners.refusals import REFUSALS
from portal.webhooks import permissions as webhook_permissions


def test_each_named_rule_exists_and_has_one_text() -> None:
    names = [name for refusal in REFUSALS.rules for name in refusal.names]
    assert sorted(names) == sorted(set(names))
    assert set(names) - vars(permissions).keys() - vars(webhook_permissions).keys() == set()
