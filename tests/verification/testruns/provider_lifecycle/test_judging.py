"""Is a provider that broke down told as such, whichever of Terraform's parts notices it first?"""

import pytest

from verification.testruns.kinds.provider_lifecycle.judging import trouble
from verification.testruns.kinds.provider_lifecycle.plan_parsing import held
from verification.testruns.kinds.provider_lifecycle.records import FINISHED, Ran

PLAIN = "\nError: Missing required argument\n\nThe argument is required.\n"
NOTICED = (
    "\nError: Plugin did not respond\n\nThe plugin encountered an error.\n",
    "\nError: Request cancelled\n\nThe plugin6.(*GRPCProvider).ApplyResourceChange request was cancelled.\n",
)


def said(errors: str) -> str:
    found = trouble(Ran("apply", "The plan is applied", "terraform apply", FINISHED, 1, "", "", errors, 0.1))
    assert found is not None
    return found[1]


@pytest.mark.parametrize("errors", NOTICED)
def test_provider_that_died_broke_down(errors: str) -> None:
    assert said(errors).startswith("The provider broke down. ")


def test_plain_error_is_no_breakdown() -> None:
    assert said(PLAIN) == "Missing required argument: The argument is required."


@pytest.mark.parametrize(
    "text", ["[]", '{"resources": 1}', '{"resources": [{"mode": "managed", "instances": [{}]}]}', "{"]
)
def test_what_is_no_state_is_told_as_that(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        held(text)
