"""Database function that reads the texts of a JSON value."""

from collections.abc import Sequence
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Func, TextField
from django.db.models.sql.compiler import SQLCompiler


class JSONTexts(Func):
    """Texts of a JSON value, one per line. Keys, which readers never see, are not included."""

    arity = 1
    output_field = TextField()
    template = "(SELECT group_concat(value, char(10)) FROM json_tree(%(expressions)s) WHERE type = 'text')"
    postgresql_template = """(
        SELECT string_agg(texts.value #>> '{}', chr(10))
        FROM jsonb_path_query(%(expressions)s, 'strict $.** ? (@.type() == "string")') AS texts(value)
    )"""

    def as_postgresql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> tuple[str, Sequence[Any]]:
        """Return the function in the SQL of PostgreSQL."""
        return self.as_sql(compiler, connection, template=self.postgresql_template)
