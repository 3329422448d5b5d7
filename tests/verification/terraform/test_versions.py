"""Tests of versions and version constraints as Terraform reads them."""

import contextlib
import json

import pytest
from django.core.management import CommandError, call_command
from hypothesis import given, strategies as st

from tests.verification.text import split_words
from verification.terraform.versions import (
    InvalidVersionError,
    Version,
    is_strict,
    parse_constraint,
    parse_version,
    suggest_constraint,
)

ORDER = split_words("""
0.4.0 1.0.0-0 1.0.0-1 1.0.0-2 1.0.0-01 1.0.0-10 1.0.0-alpha 1.0.0-beta 1.0.0-alpha.1 1.0.0-alpha.beta 1.0.0-beta.2
1.0.0-beta.11 1.0.0-rc.1 1.0.0 1.0.1 1.0.10 1.2.0 1.10.0 2.0.0 10.0.0
""")
ALL = split_words("""
0.4.0 0.4.1 0.4.9 0.5.0 1.0.0 1.2.0 1.2.2 1.2.3-beta1 1.2.3-beta2 1.2.3 1.2.4 1.2.5 1.3.0-alpha 1.3.0 2.0.0
""")
MATCHES = {
    "1.2.3": "1.2.3",
    "= 1.2.3": "1.2.3",
    "=1.2.3": "1.2.3",
    "!= 1.2.3": "0.4.0 0.4.1 0.4.9 0.5.0 1.0.0 1.2.0 1.2.2 1.2.4 1.2.5 1.3.0 2.0.0",
    "> 1.2.3": "1.2.4 1.2.5 1.3.0 2.0.0",
    "< 1.2.3": "0.4.0 0.4.1 0.4.9 0.5.0 1.0.0 1.2.0 1.2.2",
    ">= 1.2.3": "1.2.3 1.2.4 1.2.5 1.3.0 2.0.0",
    "<= 1.2.3": "0.4.0 0.4.1 0.4.9 0.5.0 1.0.0 1.2.0 1.2.2 1.2.3",
    "~> 1.2.3": "1.2.3 1.2.4 1.2.5",
    "~> 1.2.0": "1.2.0 1.2.2 1.2.3 1.2.4 1.2.5",
    "~> 1.2": "1.2.0 1.2.2 1.2.3 1.2.4 1.2.5 1.3.0",
    "~>1.2": "1.2.0 1.2.2 1.2.3 1.2.4 1.2.5 1.3.0",
    "~> 1": "1.0.0 1.2.0 1.2.2 1.2.3 1.2.4 1.2.5 1.3.0",
    "~> 0.4": "0.4.0 0.4.1 0.4.9 0.5.0",
    "~> 0.4.1": "0.4.1 0.4.9",
    ">= 1.0.0, <= 2.0.0": "1.0.0 1.2.0 1.2.2 1.2.3 1.2.4 1.2.5 1.3.0 2.0.0",
    ">= 1.0, < 2": "1.0.0 1.2.0 1.2.2 1.2.3 1.2.4 1.2.5 1.3.0",
    ">= 1.2, != 1.2.5": "1.2.0 1.2.2 1.2.3 1.2.4 1.3.0 2.0.0",
    "= 1.2": "1.2.0",
    "> 1.2": "1.2.2 1.2.3 1.2.4 1.2.5 1.3.0 2.0.0",
    "1.2.3-beta1": "1.2.3-beta1",
    "= 1.2.3-beta1, >= 1.0.0": "1.2.3-beta1",
    ">= 1.2.3-beta1": "1.2.3 1.2.4 1.2.5 1.3.0 2.0.0",
    "~> 1.2.3-beta1": "1.2.3 1.2.4 1.2.5",
    "> 1.2.3-beta1, < 1.3": "1.2.3 1.2.4 1.2.5",
    "= 1.2.3, = 1.2.4": "",
    "> 2.0.0": "",
}
INVALID_CONSTRAINTS = [
    "",
    " ",
    ",",
    "1.0.0,",
    "== 1.0.0",
    "^1.2.3",
    ">=",
    "=> 1.0.0",
    "> = 1.0",
    "1.2.x",
    "1.2.*",
    "*",
    "latest",
    "v1.2.3",
    ">=  1.0",
    "1.0.0+",
    "1.0.0-beta..2",
    ">= \t1",
    str(2**63),
    "~> v1.2",
    "1.2.3.4",
    ">= 1.0 < 2.0",
    ">= 1.0 || < 0.5",
    "≥ 1.0",
    "- 1.0",
    "1..2",
    "1.2.3-a_b",
    "9" * 20,
]


def test_versions_are_ordered():
    versions = [parse_version(text) for text in ORDER]
    assert sorted(versions) == versions
    assert [str(version) for version in versions] == ORDER


@pytest.mark.parametrize("text", MATCHES)
def test_constraint_matches_versions_and_selects_the_newest(text):
    constraint = parse_constraint(text)
    assert [version for version in ALL if constraint.allows(parse_version(version))] == MATCHES[text].split()
    newest_version = constraint.find_newest(map(parse_version, ALL))
    assert str(newest_version or "") == (MATCHES[text].split() or [""])[-1]


@pytest.mark.parametrize("text", INVALID_CONSTRAINTS)
def test_invalid_constraint_is_refused(text):
    with pytest.raises(InvalidVersionError) as refusal:
        parse_constraint(text)
    assert str(refusal.value).endswith(".")


@pytest.mark.parametrize(
    ("text", "strict"),
    [
        ("1.2.3", True),
        ("1.2.3-beta.1", True),
        ("1.2.3+b.1", True),
        ("0.0.0-0", True),
        ("1.2", False),
        ("01.2.3", False),
        ("1.2.3-", False),
        ("1.2.3-01", False),
        ("1.2.3-a..b", False),
        ("v1.2.3", False),
    ],
)
def test_strict_version_is_recognized(text, strict):
    assert is_strict(text) is strict


@pytest.mark.parametrize(
    ("version", "expected"),
    [("1.4.2", "~> 1.4"), ("10.0.0", "~> 10.0"), ("0.4.2", "~> 0.4.2"), ("1.0.0-rc1", "= 1.0.0-rc1")],
)
def test_suggested_constraint_lets_the_version_pass(version, expected):
    assert suggest_constraint(parse_version(version)) == expected
    assert parse_constraint(expected).allows(parse_version(version))


@given(st.tuples(*[st.integers(0, 30)] * 3), st.tuples(*[st.integers(0, 30)] * 3))
def test_pessimistic_constraint_equals_two_comparisons(constraint_numbers, version_numbers):
    text = ".".join(map(str, constraint_numbers))
    version = Version(*version_numbers)
    both = parse_constraint(f">= {text}, < {constraint_numbers[0]}.{constraint_numbers[1] + 1}.0")
    assert parse_constraint(f"~> {text}").allows(version) == both.allows(version)


@given(st.text(max_size=30))
def test_any_text_is_read_or_refused(text):
    with contextlib.suppress(InvalidVersionError):
        assert parse_constraint(text).text == text


def test_command_prints_json(capsys):
    call_command("match_version_constraint", "~> 1.2, != 1.3.0", "1.2.0", "1.3.0", "1.2", "2.0.0", "--json")
    assert json.loads(capsys.readouterr().out) == {
        "constraint": "~> 1.2, != 1.3.0",
        "versions": [
            {"version": "1.2.0", "matches": True},
            {"version": "1.3.0", "matches": False},
            {"version": "1.2", "matches": True},
            {"version": "2.0.0", "matches": False},
        ],
        "selected": ["1.2.0"],
    }


def test_command_prints_text(capsys):
    call_command("match_version_constraint", "> 2", "1.2.0")
    assert capsys.readouterr().out == "1.2.0: no match\nTerraform would select none of them.\n"


def test_command_names_every_version_that_differs_in_build_metadata_alone(capsys):
    call_command("match_version_constraint", "> 1", "1.2.0+b", "1.1.0", "1.2.0+a")
    assert capsys.readouterr().out.endswith("Terraform would select 1.2.0+a or 1.2.0+b.\n")


def test_version_0_0_0_is_never_selected():
    assert not parse_constraint("= 0.0.0").allows(parse_version("0.0.0"))
    assert parse_constraint("~> 0.0.0").allows(parse_version("0.0.0+build"))


def test_prerelease_of_the_upper_bound_matches_if_it_is_named():
    assert parse_constraint("~> 1.1.3, = 1.2.0-rc1").allows(parse_version("1.2.0-rc1"))


def test_command_refuses_an_invalid_version():
    with pytest.raises(CommandError, match="is not a version"):
        call_command("match_version_constraint", "> 2", "one")
