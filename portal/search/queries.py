"""Search of the index, the same for both databases."""

from dataclasses import dataclass

from django.db.models import Case, F, Q, Value, When, Window
from django.db.models.functions import RowNumber

from integrations.partners import permissions
from portal.accounts.requests import AnyUser
from portal.search.backends import match
from portal.search.models import Kind, SearchEntry
from portal.search.words import parse_query


@dataclass(frozen=True, slots=True)
class Hit:
    """Result of a search."""

    kind: Kind
    title: str
    subtitle: str
    url: str


def search(user: AnyUser, text: str, limit: int, *, limit_per_kind: int = 0) -> list[Hit]:
    """Return what the user can find with a query, best matches first: titles before texts, then newest first.

    With `limit_per_kind`, no kind has more results than that.
    """
    words = parse_query(text)
    if not words:
        return []
    is_staff = permissions.is_program_staff(user)
    scopes = [] if is_staff else ["everybody", *(f"partner{pk}" for pk in permissions.get_roles(user))]
    order = (_build_rank(words), F("kind"), F("pk").desc())
    entries = SearchEntry.objects.visible_to(user).filter(pk__in=match(words, scopes)).order_by(*order)
    if limit_per_kind:
        position = Window(RowNumber(), partition_by="kind", order_by=order)
        entries = entries.annotate(position=position).filter(position__lte=limit_per_kind)
    rows = entries.values_list("kind", "title", "subtitle", "url", "staff_url")[:limit]
    return [
        Hit(Kind(kind), title, subtitle, (is_staff and staff_url) or url)
        for kind, title, subtitle, url, staff_url in rows
    ]


def _build_rank(words: list[str]) -> Case:
    """Return the rank of an entry: its title is the query, begins with it, contains its words, or does not."""
    phrase, in_title = " ".join(words), Q()
    for word in words:
        in_title &= Q(title_words__startswith=word) | Q(title_words__contains=f" {word}")
    return Case(
        When(title_words=phrase, then=Value(0)),
        When(title_words__startswith=phrase, then=Value(1)),
        When(in_title, then=Value(2)),
        default=Value(3),
    )
