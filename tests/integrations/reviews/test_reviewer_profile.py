"""Tests of the profile of a reviewer."""

from typing import Any

import pytest
from bs4 import BeautifulSoup

from integrations.reviews.models import ReviewerProfile
from portal.accounts.models import User

SignIn = Any

PROFILE = {"programs": ["vault"], "away_from": "2026-05-01", "away_until": "2026-05-08", "max_open_reviews": "3"}


def test_reviewer_saves_profile(rita: User, sign_in: SignIn) -> None:
    assert sign_in(rita).post("/queue/profile/", PROFILE)["Location"] == "/queue/"
    reviewer_profile = ReviewerProfile.objects.get(user=rita)
    assert (
        reviewer_profile.programs,
        f"{reviewer_profile.away_from}",
        f"{reviewer_profile.away_until}",
        reviewer_profile.max_open_reviews,
    ) == (
        ["vault"],
        "2026-05-01",
        "2026-05-08",
        3,
    )


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"away_until": "2026-04-30"}, "Enter a date on or after the first day of the absence."),
        ({"away_from": ""}, "Enter the first day of the absence."),
        ({"programs": ["zzz"]}, "zzz is not one of the available choices"),
        ({"max_open_reviews": "0"}, "greater than or equal to 1"),
    ],
)
def test_invalid_profile_is_reported_and_keeps_the_input(
    rita: User, sign_in: SignIn, wrong: dict[str, Any], message: str
) -> None:
    response = sign_in(rita).post("/queue/profile/", PROFILE | wrong)
    assert response.status_code == 422
    assert message in response.content.decode()
    assert ReviewerProfile.objects.get(user=rita).programs == []
    page = BeautifulSoup(response.content, "html.parser")
    assert page.select_one("#id_away_until")["value"] == (PROFILE | wrong)["away_until"]
