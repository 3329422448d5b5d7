"""Tests of form fields that several apps share."""

from datetime import UTC, datetime

import pytest
from django.core.exceptions import ValidationError

from portal.core.form_fields import UtcDateTimeField, WebAddressField


def test_moment_with_an_offset_that_postgresql_refuses_is_cleaned_to_utc():
    moment = UtcDateTimeField().clean("2026-04-14T06:07:25+16:15")
    assert (moment, moment.tzinfo) == (datetime(2026, 4, 13, 13, 52, 25, tzinfo=UTC), UTC)


@pytest.mark.parametrize("text", ["9999-12-31T23:30:00-16:15", "0001-01-01T00:30:00+16:15"])
def test_moment_that_utc_cannot_hold_is_invalid(text):
    with pytest.raises(ValidationError, match=r"Enter a valid date/time\."):
        UtcDateTimeField().clean(text)


@pytest.mark.parametrize(
    "url", ["https://acme.example?mail=a@b", "https://acme.example#a@b", "https://acme.example/@a"]
)
def test_at_sign_outside_the_host_is_accepted(url):
    assert WebAddressField().clean(url) == url


def test_broken_host_of_a_url_is_an_error():
    with pytest.raises(ValidationError):
        WebAddressField().clean("http://[")


def test_user_name_in_a_url_is_refused():
    with pytest.raises(ValidationError, match="Remove the user name and password from the URL"):
        WebAddressField().clean("https://github.com@acme.example?a=b")
