"""Tests of the display of email addresses."""

from portal.ui.components.inline import email_address


def test_email_address_wraps_before_the_parts_of_its_domain() -> None:
    shown = email_address("partners@mail.<b>.example")
    assert shown == "partners<wbr>@mail<wbr>.&lt;b&gt;<wbr>.example"
