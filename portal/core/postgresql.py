"""Fast reading of timestamps from PostgreSQL."""

from datetime import UTC, datetime

from django.db.backends.base.base import BaseDatabaseWrapper


def use_fast_timestamps(connection: BaseDatabaseWrapper, **_kwargs: object) -> None:
    """Parse the timestamps of a new connection in C. Django's loader does it with a regular expression."""
    if connection.vendor != "postgresql":
        return
    # psycopg loads libpq, which a portal with SQLite doesn't need
    from django.db.backends.postgresql.psycopg_any import BaseTzLoader  # noqa: PLC0415

    class UtcLoader(BaseTzLoader):
        timezone = UTC  # of the session

        def load(self, data: bytes) -> datetime:
            try:
                return datetime.fromisoformat(str(data, "ascii"))
            except ValueError:  # such as "infinity"
                return super().load(data)

    connection.connection.adapters.register_loader("timestamptz", UtcLoader)
