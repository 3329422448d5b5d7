"""Tests that a clock uses the label policy that applied when the issue was opened."""

from datetime import datetime, timedelta

from integrations.sla.engine.participants import IssueParticipants, ParticipantSide
from integrations.sla.engine.types import Actor
from integrations.sla.models import LabelPolicy
from integrations.sla.services import policies
from integrations.submissions.models import Integration
from tests.integrations.sla.clocks import issue_of, watch_over


def test_accounts_that_the_policy_knows_are_what_it_says(rocket: Integration, now: datetime) -> None:
    issue = issue_of(watch_over(rocket, now), 1, now)
    issue.policy = LabelPolicy.objects.create(
        integration=rocket,
        state="accepted",
        proposed_at=now,
        valid_from=now - timedelta(days=1),
        team=[601],
        bots=[801],
        second_accounts={"502": 501},
    )
    issue.save()
    issue.refresh_from_db()
    cast = IssueParticipants(policies.get_sla_policy(issue), 501, frozenset({601}))
    sides = [cast.get_side(Actor(number, f"person-{number}")) for number in (501, 502, 601, 801, 701)]
    assert sides == [
        ParticipantSide.REPORTER,
        ParticipantSide.REPORTER,
        ParticipantSide.PARTNER,
        ParticipantSide.MACHINE,
        ParticipantSide.OTHER,
    ]


def test_without_a_policy_no_one_is_known(rocket: Integration, now: datetime) -> None:
    policy = policies.get_sla_policy(issue_of(watch_over(rocket, now), 1, now))
    assert (policy.team, policy.bots, dict(policy.second_accounts)) == (frozenset(), frozenset(), {})
