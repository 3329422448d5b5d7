"""Tests of versions on the real Terraform, beyond the comparison of verdicts."""

import pytest

from tests.conform.versions import LIMIT_PAIRS, TOO_LARGE, TOO_LONG, compare_pairs
from tests.verification.releases import terraform
from tests.verification.releases.release_registry import ReleaseRegistry
from tests.verification.terraform.pairs import Pair
from tests.verification.terraform.reference import ACCEPTED, BAD_VERSION, NO_MATCH, PANIC, evaluate_pairs
from verification.terraform.versions import InvalidVersionError, parse_version


@terraform.needs_terraform
def test_version_that_makes_terraform_panic_is_isolated():
    pairs = [Pair("< 100", version) for version in ("1.0.0", "18446744073709551616.0.0", "1.2", "x", "200.0.0")]
    assert evaluate_pairs(pairs) == [ACCEPTED, PANIC, ACCEPTED, BAD_VERSION, NO_MATCH]


@terraform.needs_terraform
def test_differences_at_the_limits_belong_to_a_documented_class():
    differences = list(compare_pairs(zip(LIMIT_PAIRS, evaluate_pairs(LIMIT_PAIRS), strict=True)))
    assert {each.reason for each in differences} == {TOO_LARGE, TOO_LONG}


@terraform.needs_terraform
def test_number_that_makes_terraform_panic_is_refused(tmp_path):
    registry = ReleaseRegistry(None)
    text = "9" * 20 + ".0.0"
    registry.routes["/v1/providers/acme/large/versions"] = {"versions": [{"version": text, "protocols": ["5.0"]}]}
    with pytest.raises(InvalidVersionError, match="too large"):
        parse_version(text)
    assert terraform.find_refusals(tmp_path / "large", registry.url, {"large": "> 1"})["large"].startswith("panic: ")
    registry.stop()
