"""Tests of docs/reference/settings.md."""

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from portal.environment import PortalSettings
from portal.management.commands import settings_table


def test_page_is_up_to_date():
    assert settings_table.build_page() == settings_table.DOCS_PAGE.read_text()


def test_table_names_each_setting_once():
    names = [line.split("`")[1] for line in settings_table.build_table().splitlines()[2:]]
    assert names == list(PortalSettings.model_fields)


def test_table_holds_no_path_of_this_machine():
    assert str(settings.BASE_DIR) not in settings_table.build_table()


def test_check_refuses_a_page_that_is_behind(monkeypatch, tmp_path):
    page = tmp_path / "settings.md"
    page.write_text(f"Before\n{settings_table.START_MARKER}\nold\n{settings_table.END_MARKER}\nAfter\n")
    monkeypatch.setattr(settings_table, "DOCS_PAGE", page)
    with pytest.raises(CommandError, match="does not match the settings"):
        call_command("settings_table", "--check")
    call_command("settings_table")
    call_command("settings_table", "--check")
    start, end = settings_table.START_MARKER, settings_table.END_MARKER
    assert page.read_text() == f"Before\n{start}\n{settings_table.build_table()}\n{end}\nAfter\n"
