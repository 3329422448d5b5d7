"""The profile of generated tests."""

from hypothesis import HealthCheck, settings


def test_busy_machine_fails_no_generated_test():
    profile = settings()
    assert (profile.deadline, profile.suppress_health_check) == (None, (HealthCheck.too_slow,))
