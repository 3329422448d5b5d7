"""Tests that the explanation of each date adds up."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from integrations.programs.sla_policy import SeverityTargets, Sla, SlaTarget
from integrations.sla.engine.types import IssueEventKind
from integrations.sla.explanation import build_event_url, explain_clock, serialize_issue_state
from integrations.sla.formatting import format_duration
from portal.core.business_time import Calendar
from tests.integrations.sla.event_builders import (
    ANSWER,
    DEV,
    QUESTION,
    STALE_BOT,
    USER,
    build_comment,
    build_event,
    build_policy,
    build_projection_context,
    project,
)

URL = "https://github.com/acme/nomad-rocket/issues/12"
FACTS = [
    build_comment(24, DEV, QUESTION, 7),
    build_comment(48, USER, "1.2.3", 8),
    build_event(50, STALE_BOT, IssueEventKind.CLOSED),
    build_comment(60, DEV, ANSWER, 9),
]


def test_clock_is_explained_by_segments_total_due_date_and_status() -> None:
    assert explain_clock(project(FACTS, now=100).resolve, Calendar()) == [
        "Tue, Apr 14, 9:00 AM – Wed, Apr 15, 9:00 AM: 1 day counted. Clock running.",
        "Wed, Apr 15, 9:00 AM – Thu, Apr 16, 9:00 AM: 1 day not counted. "
        "Waiting for the reporter to answer a question.",
        "Thu, Apr 16, 9:00 AM – Sat, Apr 18, 12:00 AM: 1 day 15 h counted. Clock running.",
        "Sat, Apr 18, 12:00 AM – Sat, Apr 18, 1:00 PM: 13 h not counted. Day off: Sat, Apr 18.",
        "Total: 2 days 15 h counted, 1 day 13 h not counted.",
        "Due Wed, Apr 22, 9:00 AM (UTC).",
        "The clock is running.",
    ]


def test_explanation_uses_the_zone_of_the_calendar() -> None:
    sentences = explain_clock(project([], now=1).resolve, Calendar(ZoneInfo("Asia/Kolkata")))
    assert sentences[0] == "Tue, Apr 14, 2:30 PM – Tue, Apr 14, 3:30 PM: 1 h counted. Clock running."


def test_ideal_due_date_is_labeled() -> None:
    sla = Sla("", resolve=SeverityTargets(other=SlaTarget(hours=48, binding="ideal")))
    assert "Ideally due Thu, Apr 16, 9:00 AM (UTC)." in explain_clock(
        project([], build_policy(sla), now=1).resolve, Calendar()
    )


def test_serialized_segments_add_up_and_link_to_events() -> None:
    rules = build_policy()
    data = serialize_issue_state(project(FACTS, rules, now=100), build_projection_context(rules, 100), URL)
    resolve = data["clocks"][1]
    assert resolve["elapsed_seconds"] == 100 * 3600 == sum(part["seconds"] for part in resolve["segments"])
    assert resolve["counted_seconds"] == 63 * 3600 == sum(part["counted_seconds"] for part in resolve["segments"])
    assert [part["link"] for part in resolve["segments"]] == [
        URL,
        f"{URL}#issuecomment-7",
        f"{URL}#issuecomment-8",
        "",
    ]
    assert (resolve["due_at"], resolve["state"], data["notes"]) == (
        datetime(2026, 4, 22, 9, tzinfo=UTC),
        "running",
        ("A bot closed the issue. This doesn't stop the clock.",),
    )


@pytest.mark.parametrize(
    ("key", "address"),
    [
        ("", ""),
        ("comment:12", f"{URL}#issuecomment-12"),
        ("event:34", f"{URL}#event-34"),
        ("closed::20260414T090000Z", URL),
        ("comment:12:edited:20260414T090000Z", URL),
    ],
)
def test_event_url_links_to_its_comment_or_event(key: str, address: str) -> None:
    assert build_event_url(URL, key) == address


@pytest.mark.parametrize(
    ("length", "words"),
    [
        (timedelta(), "0 min"),
        (timedelta(seconds=59), "59 s"),
        (timedelta(hours=25, minutes=1), "1 day 1 h 1 min"),
        (timedelta(days=5), "5 days"),
    ],
)
def test_duration_is_formatted(length: timedelta, words: str) -> None:
    assert format_duration(length) == words
