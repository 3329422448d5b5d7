"""Tests of form fields that several apps share."""

from datetime import UTC, datetime

import pytest
from django.core.exceptions import ValidationError

from portal.core.form_fields import UtcDateTimeField


def test_moment_with_an_offset_that_postgresql_refuses_is_cleaned_to_utc():
    moment = UtcDateTimeField().clean("2026-04-14T06:07:25+16:15")
    assert (moment, moment.tzinfo) == (datetime(2026, 4, 13, 13, 52, 25, tzinfo=UTC), UTC)


@pytest.mark.parametrize("text", ["9999-12-31T23:30:00-16:15", "0001-01-01T00:30:00+16:15"])
def test_moment_that_utc_cannot_hold_is_invalid(text):
    with pytest.raises(ValidationError, match=r"Enter a valid date/time\."):
        UtcDateTimeField().clean(text)
