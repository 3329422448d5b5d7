"""Tests of the command explain_sla_clock at any moment."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from io import StringIO
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.core.management import CommandError, call_command

from integrations.partners.models import PartnerCalendar
from integrations.programs.registry import PROGRAMS
from integrations.sla.engine.types import TimelineEvent
from integrations.sla.issue_page import build_issue_page
from integrations.sla.models import SupportIssue, SupportIssueEvent
from integrations.sla.selectors import issue_states
from integrations.sla.selectors.policies import get_calendar
from integrations.sla.services.monitoring import stop_monitoring
from integrations.submissions.models import Integration
from portal.accounts.models import User
from portal.core.business_time import Calendar, add_business_days
from tests.integrations.sla.event_builders import (
    ANSWER,
    DEV,
    OPENED_AT,
    QUESTION,
    USER,
    build_comment,
    open_issue,
    to_time,
)
from tests.integrations.sla.rows import create_issue_row, create_repository_row

FACTS = [
    open_issue(),
    build_comment(24, DEV, QUESTION, 7),
    build_comment(48, USER, "1.2.3", 8),
    build_comment(60, DEV, ANSWER, 9),
]


def store_event(issue: SupportIssue, fact: TimelineEvent) -> None:
    SupportIssueEvent.from_timeline(issue.pk, fact, "webhook", fact.at).save()


@pytest.fixture
def issue(rocket: Integration) -> SupportIssue:
    row = SupportIssue.objects.create(
        monitored_repository=create_repository_row(rocket, OPENED_AT),
        integration=rocket,
        edition=rocket.edition_date,
        github_id=1012,
        number=12,
        title="It fails",
        url=f"https://github.com/{rocket.repository}/issues/12",
        author="pat",
        opened_at=OPENED_AT,
        updated_at=OPENED_AT,
    )
    for fact in FACTS:
        store_event(row, fact)
    return row


def explain(*words: str) -> Any:
    out = StringIO()
    call_command("explain_sla_clock", *words, "--json", stdout=out)
    return json.loads(out.getvalue())


def test_stored_events_are_read_unchanged(issue: SupportIssue) -> None:
    assert issue_states.list_timeline_events(issue) == FACTS


@pytest.mark.parametrize("by_uuid", [True, False])
def test_issue_is_explained(issue: SupportIssue, by_uuid: bool) -> None:
    name = str(issue.uuid) if by_uuid else f"{issue.monitored_repository.repository.upper()}#12"
    explanation = explain(name, "--at", to_time(100).isoformat())
    resolve = explanation["clocks"][1]
    assert explanation["calendar"] is None
    assert (explanation["url"], resolve["due_at"], resolve["counted_seconds"]) == (
        issue.url,
        "2026-04-22T09:00:00Z",
        63 * 3600,
    )


def test_earlier_state_is_explained(issue: SupportIssue) -> None:
    resolve = explain(str(issue.uuid), "--at", "2026-04-15T10:00")["clocks"][1]
    assert (resolve["state"], resolve["due_at"], len(resolve["segments"])) == ("paused", None, 2)


def test_clock_of_ended_monitoring_is_explained_as_it_was(issue: SupportIssue) -> None:
    stop_monitoring(issue.integration, to_time(100))
    explanation = explain(str(issue.uuid), "--at", to_time(1000).isoformat())
    resolve = explanation["clocks"][1]
    assert (explanation["at"], resolve["state"], resolve["counted_seconds"]) == (
        to_time(100).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "running",
        63 * 3600,
    )


def test_events_after_the_end_of_monitoring_count_as_on_the_page(issue: SupportIssue, alice: User) -> None:
    stop_monitoring(issue.integration, to_time(50))
    now = to_time(1000)
    page = build_issue_page(issue_states.select_issues().get(), alice, now)
    explanation = explain(str(issue.uuid), "--at", now.isoformat())
    resolve = explanation["clocks"][1]
    assert (explanation["at"], resolve["state"], resolve["counted_seconds"]) == (
        to_time(60).strftime("%Y-%m-%dT%H:%M:%SZ"),
        page.state.resolve.state,
        page.state.resolve.counted.total_seconds(),
    )


def test_calendar_at_the_opening_applies(issue: SupportIssue) -> None:
    issue.calendar = PartnerCalendar.objects.create(
        partner=issue.integration.partner,
        valid_from=OPENED_AT,
        zone="America/New_York",
        workdays=[0, 1, 2, 3, 4],
        country="US",
        holidays={"2026-07-03": "Independence Day (observed)"},
        extra_days={"2026-04-20": "Company day"},
        created_at=OPENED_AT,
    )
    issue.save()
    explanation = explain(str(issue.uuid), "--at", to_time(170).isoformat())
    assert (explanation["zone"], explanation["clocks"][1]["due_at"]) == ("America/New_York", "2026-04-23T09:00:00Z")
    assert explanation["calendar"] == {
        "valid_from": "2026-04-14T09:00:00Z",
        "zone": "America/New_York",
        "country": "US",
        "subdivision": "",
        "workdays": [0, 1, 2, 3, 4],
        "holidays": {"2026-07-03": "Independence Day (observed)"},
        "extra_days": {"2026-04-20": "Company day"},
    }
    assert "Days off: Sat, Apr 18; Sun, Apr 19; Mon, Apr 20 (Company day)" in [
        s["reason"] for s in explanation["clocks"][1]["segments"]
    ]


def test_time_zone_of_the_policy_replaces_that_of_the_calendar(
    issue: SupportIssue, monkeypatch: pytest.MonkeyPatch
) -> None:
    nomad = PROGRAMS["nomad"]
    edition = replace(nomad.editions[-1], sla=replace(nomad.editions[-1].sla, zone="Asia/Tokyo"))
    monkeypatch.setitem(PROGRAMS, "nomad", replace(nomad, editions=(edition,)))
    # Friday at 18:00 in Berlin is Saturday at 01:00 in Tokyo, so the clock starts on Monday.
    friday = datetime(2026, 4, 17, 16, 0, tzinfo=UTC)
    issue.calendar = PartnerCalendar(zone="Europe/Berlin", workdays=[0, 1, 2, 3, 4])
    calendar = get_calendar(issue)
    assert calendar == Calendar(ZoneInfo("Asia/Tokyo"))
    assert add_business_days(friday, 5, calendar) == datetime(2026, 4, 24, 15, 0, tzinfo=UTC)


def test_text_output_has_the_due_date(issue: SupportIssue) -> None:
    out = StringIO()
    call_command("explain_sla_clock", str(issue.uuid), "--at", to_time(100).isoformat(), stdout=out)
    assert "Due Wed, Apr 22, 9:00 AM (UTC)." in out.getvalue().splitlines()


@pytest.mark.parametrize(
    "name",
    [
        "acme/other#12",
        "acme/nomad-rocket#99",
        "nonsense",
        "#12",
        "acme/nomad-rocket#²",
        "00000000-0000-0000-0000-000000000000",
    ],
)
def test_unknown_issue_is_reported(issue: SupportIssue, name: str) -> None:
    with pytest.raises(CommandError, match="not found"):
        explain(name)


def test_time_before_the_opening_is_refused(issue: SupportIssue) -> None:
    with pytest.raises(CommandError, match="#12 was opened later, at 2026-04-14T09"):
        explain(str(issue.uuid), "--at", "2026-04-01")


def test_invalid_time_is_refused(issue: SupportIssue) -> None:
    with pytest.raises(CommandError, match="Invalid time") as error:
        explain(str(issue.uuid), "--at", "soon")
    assert error.value.returncode == 2


def test_incomplete_history_is_not_a_usage_error(rocket: Integration) -> None:
    issue = create_issue_row(create_repository_row(rocket, OPENED_AT), 12, OPENED_AT)
    with pytest.raises(CommandError) as error:
        explain(str(issue.uuid))
    assert error.value.returncode == 1
