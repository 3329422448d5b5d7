"""Tests that a clock uses the label policy that applied when the issue was opened."""

from datetime import datetime, timedelta

from allauth.socialaccount.models import SocialAccount

from integrations.sla.engine.participants import IssueParticipants, ParticipantSide
from integrations.sla.engine.types import Actor, IssueEventKind, TimelineEvent
from integrations.sla.models import LabelPolicy, SupportIssueEvent
from integrations.sla.selectors import policies
from integrations.sla.services.label_proposals import resolve_account
from integrations.submissions.models import Integration
from portal.accounts.models import User
from tests.integrations.sla.rows import create_issue_row, create_repository_row

HOUR = timedelta(hours=1)


def test_policy_assigns_accounts_to_sides(rocket: Integration, now: datetime) -> None:
    issue = create_issue_row(create_repository_row(rocket, now), 1, now)
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
    participants = IssueParticipants(policies.get_sla_policy(issue), 501, frozenset({601}))
    sides = [participants.get_side(Actor(number, f"person-{number}")) for number in (501, 502, 601, 801, 701)]
    assert sides == [
        ParticipantSide.REPORTER,
        ParticipantSide.REPORTER,
        ParticipantSide.PARTNER,
        ParticipantSide.MACHINE,
        ParticipantSide.OTHER,
    ]


def test_policy_without_a_label_policy_has_no_accounts(rocket: Integration, now: datetime) -> None:
    policy = policies.get_sla_policy(create_issue_row(create_repository_row(rocket, now), 1, now))
    assert (policy.team, policy.bots, dict(policy.second_accounts)) == (frozenset(), frozenset(), {})


def test_login_belongs_to_the_account_that_used_it_last(rocket: Integration, now: datetime) -> None:
    issue = create_issue_row(create_repository_row(rocket, now), 1, now)
    for number, account_id in enumerate((501, 502)):
        event = TimelineEvent(
            f"comment:{number}", IssueEventKind.COMMENTED, now + number * HOUR, Actor(account_id, "Dana")
        )
        SupportIssueEvent.from_timeline(issue.pk, event, "poll", now).save()
    # The partner could forge the webhook and so name an account that the program doesn't know.
    forged_event = TimelineEvent("labeled", IssueEventKind.LABELED, now + 2 * HOUR, Actor(666, "Dana"))
    SupportIssueEvent.from_timeline(issue.pk, forged_event, "webhook", now).save()
    assert resolve_account(rocket, "dana") == 502


def test_linked_accounts_of_current_members_belong_to_the_team(
    rocket: Integration, now: datetime, alice: User, bob: User, charlie: User
) -> None:
    for number, user in ((601, alice), (602, bob), (603, charlie)):
        SocialAccount.objects.create(user=user, provider="github", uid=str(number))
    SocialAccount.objects.update(date_joined=now)
    bob.memberships.update(ended_at=now)
    issue = create_issue_row(create_repository_row(rocket, now), 1, now)
    issue.team = policies.get_policy_snapshot(rocket, now)["team"]
    assert policies.get_sla_policy(issue).team == frozenset({601})


def test_account_linked_after_the_opening_does_not_belong_to_the_team(
    rocket: Integration, now: datetime, alice: User
) -> None:
    SocialAccount.objects.create(user=alice, provider="github", uid="601")
    SocialAccount.objects.update(date_joined=now + timedelta(seconds=1))
    assert policies.get_policy_snapshot(rocket, now)["team"] == []
