"""Tests of the system checks."""

from django.core.checks import Error

from portal.system_checks import NameList, check_names_in_content


def test_all_names_in_content_files_exist() -> None:
    assert check_names_in_content(None) == []


def test_unknown_name_is_reported_with_its_file_and_the_nearest_name() -> None:
    rules = NameList("rules.yaml", ["can_view", "can_edti"], {"can_view", "can_edit"})
    assert [*rules.find_errors()] == [
        Error("Unknown name in rules.yaml: can_edti.", hint="Did you mean 'can_edit'?", id="portal.E004")
    ]
