"""Does the demo world show everything, in possible states only?"""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from integrations.facts import facts_of
from integrations.history import broken_links
from integrations.models import Event, Integration, Membership
from integrations.programs import PROGRAMS
from integrations.states import Stage, turn_of


@pytest.mark.django_db
def test_the_demo_world_shows_every_program_stage_and_role() -> None:
    call_command("demo", stdout=StringIO())
    rows = list(Integration.objects.select_related("partner"))
    assert {row.program_key for row in rows} == set(PROGRAMS)
    assert {row.stage for row in rows} == {str(stage) for stage in Stage}
    assert {row.turn_holder for row in rows if row.is_open} == {"partner", "program", "machine", "third_party"}
    assert set(Membership.objects.values_list("role", flat=True)) == {"owner", "editor", "viewer"}
    assert list(broken_links(Event.objects.order_by("stream", "seq"))) == []


@pytest.mark.django_db
def test_every_turn_of_the_demo_world_is_the_derived_one() -> None:
    call_command("demo", stdout=StringIO())
    now = timezone.now()
    for row in Integration.objects.all():
        turn = turn_of(facts_of(row, now))
        assert (row.turn_holder, row.turn_action) == ((turn.holder, turn.action) if turn else ("", ""))


@pytest.mark.django_db
def test_the_demo_world_is_refused_where_people_are() -> None:
    call_command("demo", stdout=StringIO())
    with pytest.raises(CommandError, match="only loaded into an empty portal"):
        call_command("demo", stdout=StringIO())
