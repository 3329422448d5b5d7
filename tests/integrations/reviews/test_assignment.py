"""Tests of reviewer suggestions."""

from datetime import date, datetime
from typing import Any

import pytest
from bs4 import BeautifulSoup

from integrations.partners.models import Membership, Partner
from integrations.reviews.assignment import _list_reviewers, suggest_reviewers
from integrations.reviews.services import claims
from integrations.submissions.models import Integration
from integrations.submissions.services import findings
from portal.accounts.models import User
from tests.conftest import advance_to_stage, create_integration, create_user

pytestmark = pytest.mark.any_database


def describe_suggestions(integration: Integration, now: datetime) -> list[tuple[str, str, bool]]:
    return [(str(s.reviewer), s.summary, s.is_available) for s in suggest_reviewers(integration, now)]


def set_profile(user: User, **fields: Any) -> None:
    for name, value in fields.items():
        setattr(user.reviewer_profile, name, value)
    user.reviewer_profile.save()


@pytest.mark.every_database
def test_suggestions_without_history_are_sorted_by_name(
    rocket: Integration, rob: User, rita: User, now: datetime
) -> None:
    assert describe_suggestions(rocket, now) == [
        ("Rita Reyes", "0 of 8 reviews open", True),
        ("Rob Roth", "0 of 8 reviews open", True),
    ]


def test_earlier_reviewer_of_the_integration_comes_first(
    integration_at: Any, rita: User, rob: User, now: datetime
) -> None:
    rocket = integration_at("review")
    findings.raise_finding(rocket, rocket.edition.list_requirements()[0].id, "Fix it.", actor=rob, now=now)
    assert describe_suggestions(rocket, now) == [
        ("Rob Roth", "Reviewed Rocket earlier · 0 of 8 reviews open", True),
        ("Rita Reyes", "0 of 8 reviews open", True),
    ]


def test_reviewer_who_knows_the_partner_comes_before_one_who_knows_the_program(
    integration_at: Any, acme: Partner, alice: User, rita: User, rob: User, now: datetime
) -> None:
    integration_at("release", name="Other")  # rita approved it
    set_profile(rob, programs=["nomad"])
    assert describe_suggestions(create_integration(acme, alice), now) == [
        ("Rita Reyes", "Knows Acme · 0 of 8 reviews open", True),
        ("Rob Roth", "Knows Nomad · 0 of 8 reviews open", True),
    ]


def test_reviews_for_a_merged_company_count(
    rocket: Integration, acme: Partner, globex: Partner, charlie: User, rita: User, rob: User, now: datetime
) -> None:
    other = create_integration(
        globex, charlie, name="Comet", repository="globex/terraform-provider-comet", repository_id=77
    )
    advance_to_stage(other, "support", partner=charlie, reviewer=rob)
    Partner.objects.filter(pk=globex.pk).update(merged_into=acme)
    assert next(words for _, words, _ in describe_suggestions(rocket, now)) == "Knows Acme · 0 of 8 reviews open"


def test_reviewer_with_a_role_for_the_program_knows_it(
    rocket: Integration, rita: User, rob: User, now: datetime
) -> None:
    User.objects.filter(pk=rob.pk).update(program_roles=["reviewer:nomad"])
    assert describe_suggestions(rocket, now) == [
        ("Rob Roth", "Knows Nomad · 0 of 8 reviews open", True),
        ("Rita Reyes", "0 of 8 reviews open", True),
    ]


@pytest.mark.every_database
def test_reviewer_of_other_programs_comes_last(rocket: Integration, rita: User, rob: User, now: datetime) -> None:
    set_profile(rita, programs=["vault"])
    assert describe_suggestions(rocket, now) == [
        ("Rob Roth", "0 of 8 reviews open", True),
        ("Rita Reyes", "Doesn't review Nomad · 0 of 8 reviews open", False),
    ]


@pytest.mark.every_database
@pytest.mark.parametrize(
    ("start", "end", "words", "available"),
    [
        (date(2026, 4, 14), date(2026, 4, 14), " · away until Tue, Apr 14", False),
        (date(2026, 4, 1), None, " · away until further notice", False),
        (date(2026, 4, 20), date(2026, 4, 30), " · away from Mon, Apr 20", True),
        (date(2026, 4, 29), None, "", True),
        (date(2026, 4, 1), date(2026, 4, 13), "", True),
    ],
)
def test_away_dates_are_reported(
    rocket: Integration, rita: User, now: datetime, start: date, end: date | None, words: str, available: bool
) -> None:
    set_profile(rita, away_from=start, away_until=end)
    assert describe_suggestions(rocket, now) == [("Rita Reyes", f"0 of 8 reviews open{words}", available)]


def test_load_breaks_ties_and_full_reviewer_is_unavailable(
    rocket: Integration, globex: Partner, charlie: User, rita: User, rob: User, now: datetime
) -> None:
    other = create_integration(globex, charlie, name="Scan")
    claims.claim_review(other, actor=rita, now=now)
    assert describe_suggestions(rocket, now) == [
        ("Rob Roth", "0 of 8 reviews open", True),
        ("Rita Reyes", "1 of 8 reviews open", True),
    ]
    set_profile(rita, max_open_reviews=1)
    assert describe_suggestions(rocket, now)[1] == ("Rita Reyes", "1 of 1 reviews open · at limit", False)


@pytest.mark.every_database
def test_listed_integration_does_not_count_as_load(
    rocket: Integration, globex: Partner, charlie: User, rita: User, now: datetime
) -> None:
    other = create_integration(globex, charlie, name="Scan")
    claims.claim_review(other, actor=rita, now=now)
    advance_to_stage(other, "support", partner=charlie, reviewer=rita)
    assert (
        dict((name, words) for name, words, _ in describe_suggestions(rocket, now))["Rita Reyes"]
        == "0 of 8 reviews open"
    )


def test_partner_members_and_non_reviewers_are_excluded(
    rocket: Integration, acme: Partner, rita: User, rob: User, sam: User, now: datetime
) -> None:
    Membership.objects.create(partner=acme, user=rita, role="viewer", joined_at=now)
    create_user("gone@program.example", "Gone", is_reviewer=True, is_active=False)
    assert describe_suggestions(rocket, now) == [("Rob Roth", "0 of 8 reviews open", True)]


def test_reviewer_without_profile_reviews_all_programs(rocket: Integration, now: datetime) -> None:
    create_user("new@program.example", "Nina New", is_reviewer=True)
    assert describe_suggestions(rocket, now) == [("Nina New", "0 of 8 reviews open", True)]


def test_suggestions_take_as_many_queries_for_many_as_for_one(
    rocket: Integration, rita: User, now: datetime, django_assert_num_queries: Any
) -> None:
    for number in range(12):
        create_user(f"r{number}@program.example", f"R{number}", is_reviewer=True)
    integration = Integration.objects.select_related("partner").get(pk=rocket.pk)
    with django_assert_num_queries(3):  # reviewers, conflicts, merged companies
        assert len(suggest_reviewers(integration, now)) == 13


@pytest.mark.any_database
def test_earlier_reviews_are_found_without_reading_the_history_of_the_company(rocket: Integration) -> None:
    plan = _list_reviewers(rocket).explain()
    assert "audit_event_partner_type_actor (partner_id=? AND event_type=? AND actor_id=?)" in plan
    assert "integration_reviewer_stage (reviewer_id=? AND stage=?)" in plan


@pytest.mark.parametrize(("programs", "shown"), [(["nomad"], "form"), (["vault"], "p")])
def test_link_on_the_review_page_shows_the_suggestions_or_that_there_are_none(
    rocket: Integration, rita: User, sam: User, sign_in: Any, programs: list[str], shown: str
) -> None:
    User.objects.filter(pk=rita.pk).update(program_roles=[f"reviewer:{program}" for program in programs])
    client = sign_in(sam)
    review = BeautifulSoup(client.get(f"/integrations/{rocket.uuid}/review/").content, "html.parser")
    link = review.select_one("a[hx-select]")
    page = BeautifulSoup(client.get(str(link["hx-get"])).content, "html.parser")
    assert [each.name for each in page.select(str(link["hx-select"]))] == [shown]


def test_assignment_without_a_reviewer_shows_the_error_at_the_reviewers(
    rocket: Integration, rita: User, sign_in: Any
) -> None:
    client = sign_in(rita)
    url = f"/integrations/{rocket.uuid}/assign/"
    page = BeautifulSoup(client.get(url).content, "html.parser")
    assert page.select("[aria-describedby=reviewer-error]") == []
    response = client.post(url)
    page = BeautifulSoup(response.content, "html.parser")
    assert len(page.select("[aria-describedby=reviewer-error]")) == 1
    assert page.select(".field-wrong #reviewer-error")[0].text.strip() == "Select a reviewer."
    assert (response.status_code, len(page.select("input[name=reviewer]"))) == (422, 1)
