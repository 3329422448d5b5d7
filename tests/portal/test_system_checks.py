"""Tests of the system checks."""

from dataclasses import replace

import pytest
from django.core.checks import Error

from portal.system_checks import NAME_LISTS, NameList, check_names_in_content


def test_all_names_in_content_files_exist() -> None:
    assert check_names_in_content(None) == []


def test_unknown_name_is_reported_with_its_file_and_the_nearest_name() -> None:
    rules = NameList("rules.yaml", ["can_view", "can_edti"], {"can_view", "can_edit"})
    assert [*rules.find_errors()] == [
        Error("Unknown name in rules.yaml: can_edti.", hint="Did you mean 'can_edit'?", id="portal.E004")
    ]


@pytest.mark.parametrize(
    ("file_name", "name"),
    [
        ("compliance_emails.yaml", "compliance.request_dismissed.reinstated"),
        ("transitions.yaml", "save"),  # an attribute of integrations that isn't a transition
    ],
)
def test_names_are_compared_with_those_that_code_uses(file_name: str, name: str) -> None:
    (name_list,) = [each for each in NAME_LISTS if each.path.endswith(f"/{file_name}")]
    errors = [*replace(name_list, names=[name]).find_errors()]
    assert [error.msg for error in errors] == [f"Unknown name in {name_list.path}: {name}."]
