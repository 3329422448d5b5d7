"""What follows a requirement whose id is another one in the newer edition?"""

from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest

from integrations import editions, vault
from integrations.actions import answers, credentials, drafts, meetings, reviewing
from integrations.models import Credential, Integration
from integrations.programs import PROGRAMS
from integrations.programs.base import Edition

NAMES = {"NO-3": "NX-3", "NO-6": "NX-6", "NO-7": "NX-7", "NO-9": "NX-9"}


@pytest.fixture
def row(at: Any, rita: Any, now: Any) -> Integration:
    return reviewing.claim(at("review"), by=rita, now=now)


@pytest.fixture
def newer(row: Integration, monkeypatch: pytest.MonkeyPatch) -> Edition:
    """A later edition of the Nomad program in which four requirements have other ids."""
    program = PROGRAMS["nomad"]
    old = program.newest
    steps = tuple(
        replace(step, requirements=tuple(replace(r, id=NAMES.get(r.id, r.id)) for r in step.requirements))
        for step in old.steps
    )
    new = replace(old, date="2027-01", steps=steps, renamed={old.date: NAMES})
    monkeypatch.setitem(PROGRAMS, "nomad", replace(program, editions=(*program.editions, new)))
    return new


def test_all_that_hangs_on_a_renamed_requirement_follows_it(
    row: Integration, newer: Edition, alice: Any, rita: Any, now: Any
) -> None:
    reviewing.raise_finding(row, "NO-3", "Where are the tests?", by=rita, now=now)
    proposal = meetings.Proposal((now + timedelta(days=2),), "", 45)
    meetings.propose(row, "NO-7", proposal, by=alice, now=now)
    secret = vault.Secret("user: tester")
    credentials.give(row, "NO-6", "Tenant", secret, permanent=False, by=alice, now=now, uuid=uuid4())
    drafts.open_answer(row, "NO-9", by=alice, now=now)
    answers.answer(row, "NO-3", {"tests": "make"}, by=alice, now=now)

    editions.move(row, newer.date, by=rita, now=now)

    row = Integration.objects.get(pk=row.pk)
    assert row.edition_date == newer.date
    hanging = (row.findings, row.meetings, row.credentials, row.drafts)
    assert [rows.get().requirement_id for rows in hanging] == ["NX-3", "NX-7", "NX-6", "NX-9"]
    assert row.states.get(requirement_id="NX-3").data == {"tests": "make"}
    assert credentials.reveal(Credential.objects.get(), reason="Test.", by=rita, now=now).value == "user: tester"
