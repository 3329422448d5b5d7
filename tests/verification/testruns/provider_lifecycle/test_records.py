"""Tests of the result for a crashed provider."""

import pytest

from verification.testruns.kinds.provider_lifecycle.plan_parsing import list_state_objects
from verification.testruns.kinds.provider_lifecycle.records import CommandRecord

OTHER_ERROR = "\nError: Missing required argument\n\nThe argument is required.\n"
CRASHES = (
    "\nError: Plugin did not respond\n\nThe plugin encountered an error.\n",
    "\nError: Request cancelled\n\nThe plugin6.(*GRPCProvider).ApplyResourceChange request was cancelled.\n",
)


def get_summary(errors: str) -> str:
    failure = CommandRecord("apply", "Apply the plan", "finished", code=1, errors=errors).find_failure()
    assert failure is not None
    return failure.summary


@pytest.mark.parametrize("errors", CRASHES)
def test_crash_of_the_provider_is_reported(errors: str) -> None:
    assert get_summary(errors).startswith("The provider crashed. ")


def test_other_error_is_not_a_crash() -> None:
    assert get_summary(OTHER_ERROR) == "Missing required argument: The argument is required."


@pytest.mark.parametrize(
    "text", ["[]", '{"resources": 1}', '{"resources": [{"mode": "managed", "instances": [{}]}]}', "{"]
)
def test_invalid_state_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        list_state_objects(text)
