"""Full-text search of PostgreSQL and of SQLite: the entries that contain all words of a query.

Each word of the query can be the beginning of a word. Queries as short as "a" match nearly everything. A backend
therefore returns a limited number of matches, always including those whose title is the query.
"""

from collections.abc import Callable, Sequence

from django.db import connection
from django.db.models import BigIntegerField
from django.db.models.expressions import RawSQL

MAX_MATCHES = 500
MIN_STEM_LENGTH = 3
Scopes = Sequence[str]

_POSTGRESQL = """
(SELECT id FROM search_searchentry WHERE title_words = %s LIMIT {limit})
UNION ALL (SELECT id FROM search_searchentry WHERE document @@ ({conditions}) LIMIT {limit})
"""
_SQLITE = """
SELECT id FROM (SELECT id FROM search_searchentry WHERE title_words = %s LIMIT {limit})
UNION ALL
SELECT rowid FROM (SELECT rowid FROM search_words WHERE search_words MATCH %s ORDER BY rowid DESC LIMIT {limit})
"""


def _match_on_postgresql(words: Sequence[str], scopes: Scopes) -> RawSQL:
    conditions = ["(to_tsquery('simple', %s) || to_tsquery('english', %s))"] * len(words)
    parameters = [part for word in words for part in (f"'{word}':*", f"'{word}'")]
    if scopes:
        conditions.append("%s::tsquery")
        parameters.append(" | ".join(f"'_{scope}'" for scope in scopes))
    return _select(_POSTGRESQL.replace("{conditions}", " && ".join(conditions)), [" ".join(words), *parameters])


def _match_on_sqlite(words: Sequence[str], scopes: Scopes) -> RawSQL:
    """Match the newest entries. FTS5 knows either prefixes or stems, so the singular of a plural is an alternative."""
    conditions = []
    for word in words:
        singular = word.removesuffix("s")
        alternative = f' OR "{singular}"' if len(word) > len(singular) >= MIN_STEM_LENGTH else ""
        conditions.append(f'("{word}"*{alternative})')
    if scopes:
        conditions.append("(" + " OR ".join(f'"_{scope}"' for scope in scopes) + ")")
    return _select(_SQLITE, [" ".join(words), " AND ".join(conditions)])


def _select(sql: str, parameters: list[str]) -> RawSQL:
    return RawSQL(sql.replace("{limit}", str(MAX_MATCHES)), parameters, output_field=BigIntegerField())  # noqa: S611


_BACKENDS: dict[str, Callable[[Sequence[str], Scopes], RawSQL]] = {
    "postgresql": _match_on_postgresql,
    "sqlite": _match_on_sqlite,
}


def match(words: Sequence[str], scopes: Scopes) -> RawSQL:
    """Return a query for IDs of entries that contain all words. The caller still checks permissions.

    Args:
        words: Normalized words of the query, so that none contains a quote or an operator.
        scopes: "everyone", and "partner7" for each partner of the user. Empty for program staff.
    """
    return _BACKENDS[connection.vendor](words, scopes)
