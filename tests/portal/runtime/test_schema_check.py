"""Test of bin/up on a data folder of another version."""

import sqlite3

import pytest

from portal.runtime.schema_check import require_current_schema
from tests.portal.runtime.running_portal import run_portal


@pytest.mark.parametrize(
    "difference",
    [
        "INSERT INTO django_migrations (app, name, applied) VALUES ('audit', '0002_later', '2026-11-01')",
        "ALTER TABLE audit_auditevent RENAME COLUMN key_id TO key",
        "DROP TABLE sla_slabreach",
    ],
)
@pytest.mark.any_database
def test_data_of_another_version_is_refused_and_unchanged(empty_data, difference):
    database = empty_data / "portal.sqlite3"
    with sqlite3.connect(database) as connection:
        connection.execute(difference)
    connection.close()
    names = {path.name for path in empty_data.iterdir()}
    content = database.read_bytes()
    with run_portal(empty_data) as portal:
        assert portal.end() == 1
    assert portal.output == (
        f"Another version of the portal created the database in {empty_data}, and this version cannot read it."
        " Nothing was changed. Move the folder, or run PORTAL_DATA=/path bin/up.\n"
    )
    assert names <= {path.name for path in empty_data.iterdir()}
    assert database.read_bytes() == content


@pytest.mark.every_database
@pytest.mark.django_db
def test_data_of_this_version_is_accepted(tmp_path):
    require_current_schema(tmp_path)
