"""An edition states its SLA policy (verbs, targets per severity, binding, time zone), calendar, and contacts."""

from dataclasses import replace
from datetime import date
from zoneinfo import ZoneInfo

import pytest

from integrations.programs.calendars import WEEKDAYS
from integrations.programs.comparison import EditionComparison
from integrations.programs.loader import load_edition_file
from integrations.programs.registry import PROGRAMS
from integrations.programs.schema import ProgramContact, ReviewPolicy
from integrations.programs.sla_policy import SeverityTargets, Sla, SlaTarget
from portal.core.business_time import Calendar
from tests.integrations.programs.guide_edition import Write, find_position, list_problems

SUMMARY = "Partners resolve critical issues within 48 hours, and all others within 5 business days."
RESOLVE = """    resolve:
      critical:
        hours: 48
      other:
        business_days: 5
"""
CALENDAR = """  calendar:
    zone: America/Los_Angeles
    country: US
    additional_holidays:
      - date: "2026-12-24"
        name: Christmas Eve
"""
CONTACT = """    - purpose: Review appointments
      email: boundary-reviews@example.com
"""


def test_sla_states_verbs_targets_binding_and_time_zone(write: Write) -> None:
    both = """    zone: Europe/Berlin
    respond:
      other: {business_days: 1}
    resolve:
      critical: {hours: 48, binding: ideal}
      other: {business_days: 5, binding: required}
"""
    assert load_edition_file(write((RESOLVE, both))).edition.sla == Sla(
        SUMMARY,
        respond=SeverityTargets(other=SlaTarget(business_days=1)),
        resolve=SeverityTargets(SlaTarget(hours=48, binding="ideal"), SlaTarget(business_days=5)),
        zone="Europe/Berlin",
    )


def test_sla_without_verbs_has_no_targets(write: Write) -> None:
    sla = load_edition_file(write((RESOLVE, ""))).edition.sla
    assert (sla, list(sla.list_targets())) == (Sla(SUMMARY), [])


def test_edition_without_a_calendar_counts_monday_to_friday_in_utc(write: Write) -> None:
    assert load_edition_file(write((CALENDAR, ""))).edition.business_calendar == Calendar()


def test_calendar_states_time_zone_workdays_and_holidays(write: Write) -> None:
    stated = """  calendar:
    zone: Asia/Jerusalem
    workdays: [sunday, monday, tuesday, wednesday, thursday]
    country: DE
    subdivision: BY
    additional_holidays:
      - date: 2026-12-24
        name: Company holiday
"""
    calendar = load_edition_file(write((CALENDAR, stated))).edition.business_calendar
    assert (calendar.zone, calendar.workdays) == (ZoneInfo("Asia/Jerusalem"), {6, 0, 1, 2, 3})
    days = {day: name for day, name in calendar.names.items() if day.year == 2026 and day.month in (1, 12)}
    assert days == {
        date(2026, 1, 1): "New Year's Day",
        date(2026, 1, 6): "Epiphany",
        date(2026, 12, 24): "Company holiday",
        date(2026, 12, 25): "Christmas Day",
        date(2026, 12, 26): "Second Day of Christmas",
    }


def test_contacts_have_a_purpose_and_an_address_or_a_link(write: Write) -> None:
    assert load_edition_file(write()).edition.contacts == (
        ProgramContact("Review appointments", email="boundary-reviews@example.com"),
        ProgramContact("Development questions", url="https://discuss.hashicorp.com/c/boundary"),
    )


def test_published_editions_count_in_pacific_time_without_federal_holidays() -> None:
    calendars = {edition.calendar for program in PROGRAMS.values() for edition in program.editions}
    assert {(each.zone, each.workdays, each.country, each.subdivision) for each in calendars} == {
        ("America/Los_Angeles", WEEKDAYS[:5], "US", "")
    }


@pytest.mark.parametrize(
    ("old", "new", "part", "problem"),
    [
        (
            CALENDAR,
            "  calendar:\n    country: US\n",
            "country: US",
            "edition.calendar.zone: This key is required. Add it.",
        ),
        (
            CALENDAR,
            "  calendar:\n    zone: PST\n",
            "PST",
            "edition.calendar.zone: 'PST' is not valid here. Write a name of the IANA time zone database, such as "
            "America/Los_Angeles.",
        ),
        (
            CALENDAR,
            "  calendar:\n    zone: UTC\n    workdays: [monday, thrusday]\n",
            "thrusday",
            "edition.calendar.workdays[1]: 'thrusday' is not an allowed value. Use one of 'monday', 'tuesday', "
            "'wednesday', 'thursday', 'friday', 'saturday' or 'sunday'.",
        ),
        (
            CALENDAR,
            "  calendar:\n    zone: UTC\n    workdays: []\n",
            "[]",
            "edition.calendar.workdays: The calendar has no workday. Add a day, or omit the key.",
        ),
        (
            CALENDAR,
            "  calendar:\n    zone: UTC\n    country: USA\n",
            "USA",
            "edition.calendar.country: 'USA' is not valid here. Write an ISO 3166-1 code of two capital letters, such "
            "as US.",
        ),
        (
            CALENDAR,
            "  calendar:\n    zone: UTC\n    country: ZZ\n",
            "ZZ",
            "edition.calendar.country: Unknown country “ZZ”. Enter a two-letter country code, such as US or DE.",
        ),
        (
            CALENDAR,
            "  calendar:\n    zone: UTC\n    country: LU\n    subdivision: XX\n",
            "XX",
            "edition.calendar.subdivision: Unknown region “XX”. We have no regions for LU. Leave this field blank.",
        ),
        (
            CALENDAR,
            "  calendar:\n    zone: UTC\n    subdivision: CA\n",
            "CA\n",
            'edition.calendar.subdivision: A subdivision requires a country. Add "country", or remove the subdivision.',
        ),
        (
            CALENDAR,
            "  calendar:\n    zone: UTC\n    additional_holidays:\n      - {date: 2026-02-30, name: Closed}\n",
            "2026-02-30",
            "edition.calendar.additional_holidays[0].date: '2026-02-30' is not valid here. Write a date such as "
            "2026-12-24.",
        ),
        (
            "        hours: 48",
            "        hours: 48\n        business_days: 2",
            "hours: 48",
            "edition.sla.resolve.critical: A target must have either hours or business days. "
            'Write one of "hours" and "business_days".',
        ),
        (
            "        hours: 48",
            "        binding: ideal",
            "binding",
            "edition.sla.resolve.critical: A target must have either hours or business days. "
            'Write one of "hours" and "business_days".',
        ),
        (
            "        hours: 48",
            "        hours: 48\n        binding: soft",
            "soft",
            "edition.sla.resolve.critical.binding: 'soft' is not an allowed value. Use one of 'required' or 'ideal'.",
        ),
        (
            RESOLVE,
            "    respond: {}\n" + RESOLVE,
            "{}",
            'edition.sla.respond: The target type has no target. Add "critical" or "other", or remove the key.',
        ),
        (
            CONTACT,
            "    - purpose: Reviews\n",
            "purpose: Reviews",
            'edition.contacts[0]: The contact has neither an email address nor a link. Add "email" or "url".',
        ),
        (
            CONTACT,
            CONTACT.replace("@", " at "),
            "boundary-reviews at",
            "edition.contacts[0].email: 'boundary-reviews at example.com' is not valid here. Write an email address.",
        ),
        (
            RESOLVE,
            "    zone: Los Angeles\n" + RESOLVE,
            "Los Angeles",
            "edition.sla.zone: 'Los Angeles' is not valid here. Write a name of the IANA time zone database, such as "
            "America/Los_Angeles.",
        ),
    ],
)
def test_mistake_in_a_policy_is_reported_at_its_position(
    write: Write, old: str, new: str, part: str, problem: str
) -> None:
    path = write((old, new))
    assert list_problems(path) == [f"{find_position(path.read_text(), part)}: {problem}"]


def test_difference_of_editions_names_the_second_reviewer() -> None:
    edition = PROGRAMS["nomad"].editions[-1]
    editions = [
        replace(edition, steps=tuple(replace(step, review=ReviewPolicy(second_reviewer)) for step in edition.steps))
        for second_reviewer in (False, True)
    ]
    differences = EditionComparison(*editions).list_text_differences()
    assert differences == (("Approval", "One reviewer", "Two reviewers"),)
