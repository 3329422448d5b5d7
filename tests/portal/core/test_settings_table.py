"""Does docs/operate.md name every setting, and no path of the machine it was written on?"""

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from portal import environment
from portal.core.management.commands import settings_table


def test_page_is_up_to_date():
    assert settings_table.page() == settings_table.PAGE.read_text()


def test_table_names_each_setting_once():
    names = [line.split("`")[1] for line in settings_table.table().splitlines()[2:]]
    assert names == [setting.name for setting in environment.TABLE]
    assert len(names) == len(set(names))


def test_table_holds_no_path_of_this_machine():
    assert str(settings.BASE_DIR) not in settings_table.table()


def test_check_refuses_a_page_that_is_behind(monkeypatch, tmp_path):
    page = tmp_path / "operate.md"
    page.write_text(f"Before\n{settings_table.BEGIN}\nold\n{settings_table.END}\nAfter\n")
    monkeypatch.setattr(settings_table, "PAGE", page)
    with pytest.raises(CommandError, match="behind the settings"):
        call_command("settings_table", "--check")
    call_command("settings_table")
    call_command("settings_table", "--check")
    assert (
        page.read_text() == f"Before\n{settings_table.BEGIN}\n{settings_table.table()}\n{settings_table.END}\nAfter\n"
    )
