"""Tests of load_demo --verify without the demo world, which other modules load."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from integrations.submissions.models import Integration
from portal.demo.consistency import check_draft


def test_empty_database_is_not_verified(db: None) -> None:
    with pytest.raises(CommandError, match="no integrations to verify"):
        call_command("load_demo", "--verify", stdout=StringIO())


def test_verification_accepts_an_integration_without_a_repository(rocket: Integration) -> None:
    rocket.repository = ""
    assert [problem for problem in check_draft(rocket, timezone.now()) if "repository" in problem] == []
