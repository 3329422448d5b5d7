"""Tests of the confirmation of an action by a typed name."""

import pytest

from portal.ui.name_confirmation import NameConfirmationForm


@pytest.mark.parametrize("typed_name", ["Caf\u00e9 Rocket", "Cafe\u0301 Rocket", " Caf\u00e9  Rocket "])
def test_name_is_accepted_with_any_encoding_of_accents(typed_name: str) -> None:
    assert NameConfirmationForm("Cafe\u0301 Rocket", data={"confirm_name": typed_name}).is_valid()


def test_another_name_is_refused() -> None:
    assert not NameConfirmationForm("Caf\u00e9", data={"confirm_name": "Cafe"}).is_valid()
