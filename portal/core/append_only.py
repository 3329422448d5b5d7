"""Migration operation that makes the database refuse to change the rows of a table."""

from collections.abc import Callable
from typing import Any

from django.db.migrations import RunPython

# Triggers refuse mistakes, not attacks: whoever owns the table can drop them or truncate the table. The audit log
# detects that with authentication codes and anchors (decision 0052).
POSTGRESQL = (
    """
CREATE FUNCTION {0}_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'rows of {0} are append-only';
END $$
""",
    """
CREATE TRIGGER {0}_append_only BEFORE UPDATE OR DELETE ON {0}
FOR EACH ROW EXECUTE FUNCTION {0}_is_append_only()
""",
)
POSTGRESQL_REVERSE = ("DROP TRIGGER {0}_append_only ON {0}", "DROP FUNCTION {0}_is_append_only()")
# On SQLite, which has no way to disable a trigger, tests must be able to delete their rows.
SQLITE = (
    """
CREATE TRIGGER {0}_append_only BEFORE UPDATE ON {0}
BEGIN SELECT RAISE(ABORT, 'rows of {0} are append-only'); END
""",
)
SQLITE_REVERSE = ("DROP TRIGGER {0}_append_only",)


def append_only(table: str) -> RunPython:
    """Return an operation that makes the database refuse updates of a table's rows, and on PostgreSQL deletions."""
    return RunPython(
        _execute(table, {"postgresql": POSTGRESQL, "sqlite": SQLITE}),
        _execute(table, {"postgresql": POSTGRESQL_REVERSE, "sqlite": SQLITE_REVERSE}),
    )


def _execute(table: str, statements: dict[str, tuple[str, ...]]) -> Callable[[object, object], None]:
    def run(apps: object, editor: Any) -> None:
        for statement in statements[editor.connection.vendor]:
            editor.execute(statement.format(table), params=None)

    return run
