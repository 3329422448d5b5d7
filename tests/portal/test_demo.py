"""Does the demo world show everything, in possible states only?"""

from datetime import datetime
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from integrations.facts import facts_of
from integrations.history import broken_links
from integrations.models import Agreement, Event, Integration, Meeting, Membership, Partner, RequirementState
from integrations.programs import PROGRAMS
from integrations.states import Stage, turn_of
from portal.models import Email


@pytest.fixture(scope="module")
def loaded(once: Any) -> None:
    """The demo world, loaded once for all of these tests."""
    once(lambda: call_command("demo", stdout=StringIO()))


@pytest.fixture
def demo(loaded: None, db: None) -> None:
    """The demo world is there."""


def test_the_demo_world_shows_every_program_stage_and_role(demo: None) -> None:
    rows = list(Integration.objects.select_related("partner"))
    assert {row.program_key for row in rows} == set(PROGRAMS)
    assert {row.stage for row in rows} == {str(stage) for stage in Stage}
    assert {row.turn_holder for row in rows if row.is_open} == {"partner", "program", "machine", "third_party"}
    assert set(Membership.objects.values_list("role", flat=True)) == {"owner", "editor", "viewer"}
    assert list(broken_links(Event.objects.order_by("stream", "seq"))) == []
    for partner in Partner.objects.all():
        assert partner.events.filter(stream=f"partner:{partner.pk}", verb="partner_created").count() == 1


def test_every_turn_of_the_demo_world_is_the_derived_one(demo: None) -> None:
    now = timezone.now()
    for row in Integration.objects.all():
        turn = turn_of(facts_of(row, now))
        assert (row.turn_holder, row.turn_action) == ((turn.holder, turn.action) if turn else ("", ""))


def test_the_demo_world_shows_what_waits_half_done(demo: None) -> None:
    now = timezone.now()
    waiting = {(s.status, s.data.get("waits_for")) for s in RequirementState.objects.filter(status="waiting")}
    assert waiting >= {("waiting", "partner"), ("waiting", "program")}
    meeting = Meeting.objects.get(state="proposed")
    assert meeting.by_program
    assert all(datetime.fromisoformat(moment) > now for moment in meeting.times)
    assert [a.partner.name for a in Agreement.objects.filter(program_signed_on=None)] == ["Marlow Metrics"]
    failed = RequirementState.objects.filter(status="fail").select_related("integration")
    assert {state.integration.turn_holder for state in failed} == {"partner"}
    undoable = Integration.objects.get(undo_until__gt=now)
    assert undoable.stage == "release"
    assert Email.objects.filter(integration=undoable, name="approved", sent_at=None).exists()


def test_the_demo_world_is_refused_where_people_are(demo: None) -> None:
    with pytest.raises(CommandError, match="only loaded into an empty portal"):
        call_command("demo", stdout=StringIO())
