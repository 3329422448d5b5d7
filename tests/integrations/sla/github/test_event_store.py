"""Which changes are the same one, told by a webhook and by a list?"""

from datetime import timedelta

import pytest

from integrations.sla.engine.types import Actor, Happening, Kind
from integrations.sla.github.event_store import is_twin
from tests.integrations.sla.watched import OPENED

ALICE, BOB = Actor(2, "alice"), Actor(3, "bob")


def hooked(kind: Kind = Kind.LABELED, seconds: int = 0, label: str = "crash", by: Actor = ALICE) -> Happening:
    at = OPENED + timedelta(seconds=seconds)
    return Happening(f"{kind}:{label}:{at:%H%M%S}", kind, at, by, label=label)


def listed(number: int, kind: Kind = Kind.LABELED, seconds: int = 0, **data: object) -> Happening:
    return Happening(f"event:{number}", kind, OPENED + timedelta(seconds=seconds), ALICE, label="crash", data=data)


@pytest.mark.parametrize("seconds", [-5, -1, 0, 1, 5])
def test_change_told_by_both_is_one_though_their_moments_differ_a_little(seconds):
    assert is_twin(listed(1), [hooked(seconds=seconds)])
    assert is_twin(hooked(seconds=seconds), [listed(1)])


@pytest.mark.parametrize(
    "known",
    [
        hooked(seconds=6),
        hooked(seconds=-6),
        hooked(Kind.UNLABELED),
        hooked(label="docs"),
        hooked(by=BOB),
        listed(2),
    ],
)
def test_another_change_is_another(known):
    assert not is_twin(listed(1), [known])


def test_second_change_within_seconds_is_kept():
    assert not is_twin(listed(2, seconds=3), [hooked(), listed(1)])


def test_commit_that_closed_an_issue_is_kept_beside_the_webhooks_word():
    assert is_twin(listed(1, Kind.CLOSED), [hooked(Kind.CLOSED)])
    assert not is_twin(listed(1, Kind.CLOSED, commit="9f3c1e"), [hooked(Kind.CLOSED)])


def test_comments_have_the_same_key_wherever_they_are_told():
    said = Happening("comment:1", Kind.COMMENTED, OPENED, ALICE)
    assert not is_twin(said, [Happening("comment:2", Kind.COMMENTED, OPENED, ALICE)])
