"""Tests of docs/reference/settings.md."""

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from portal.environment import PortalSettings
from portal.management.commands.settings_table import Command


def test_page_is_up_to_date():
    page, text = Command().render_docs()
    assert page.read_text() == text


def test_table_names_each_setting_once():
    names = [line.split("`")[1] for line in Command().build_section().splitlines()[2:]]
    assert names == list(PortalSettings.model_fields)


def test_table_contains_no_path_of_this_machine():
    assert str(settings.BASE_DIR) not in Command().build_section()


def test_check_refuses_an_outdated_page(settings, tmp_path):
    settings.BASE_DIR = tmp_path
    page = tmp_path / "docs" / "reference" / "settings.md"
    page.parent.mkdir(parents=True)
    start = "<!-- settings: begin -->"
    end = "<!-- settings: end -->"
    page.write_text(f"Before\n{start}\nold\n{end}\nAfter\n")
    with pytest.raises(CommandError, match="does not match the settings"):
        call_command("settings_table", "--check")
    call_command("settings_table")
    call_command("settings_table", "--check")
    assert page.read_text() == f"Before\n{start}\n{Command().build_section()}\n{end}\nAfter\n"
