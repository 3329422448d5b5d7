"""Test of the Hypothesis profile."""

from hypothesis import HealthCheck, settings


def test_profile_ignores_the_speed_of_the_machine():
    profile = settings()
    assert (profile.deadline, profile.suppress_health_check) == (None, (HealthCheck.too_slow,))
