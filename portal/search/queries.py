"""Search of the index, the same for both databases."""

from collections import Counter
from dataclasses import dataclass

from django.db.models import F

from integrations.partners import permissions
from integrations.partners.models import VerificationState
from portal.accounts.requests import AnyUser
from portal.search.backends import match
from portal.search.models import Kind, SearchEntry
from portal.search.words import parse_query


@dataclass(frozen=True, slots=True)
class Hit:
    """Result of a search. `company_state` is for program staff, who must notice companies that are not verified."""

    kind: Kind
    title: str
    subtitle: str
    url: str
    company_state: VerificationState | None = None


def search(user: AnyUser, text: str, limit: int, *, limit_per_kind: int = 0) -> list[Hit]:
    """Return what the user can find with a query, best matches first: titles before texts, then newest first.

    With `limit_per_kind`, no kind has more results than that.
    """
    words = parse_query(text)
    if not words:
        return []
    is_staff = permissions.is_program_staff(user)
    scopes = [] if is_staff else ["everyone", *(f"partner{pk}" for pk in permissions.get_roles(user))]
    matches = SearchEntry.objects.visible_to(user).filter(pk__in=match(words, scopes)).defer("words")
    matches = matches.annotate(company_state=F("partner__verification_state"))
    hits = []
    counts = Counter[int]()
    for entry in sorted(matches, key=lambda entry: (_rank(entry, words), entry.kind, -entry.pk)):
        counts[entry.kind] += 1
        if not limit_per_kind or counts[entry.kind] <= limit_per_kind:
            url = entry.staff_url if is_staff and entry.staff_url else entry.url
            state = VerificationState(entry.company_state) if is_staff and entry.kind == Kind.PARTNER else None
            hits.append(Hit(Kind(entry.kind), entry.title, entry.subtitle, url, state))
        if len(hits) == limit:
            break
    return hits


def _rank(entry: SearchEntry, words: list[str]) -> int:
    """Return 0 if the title is the query, 1 if it begins with it, 2 if it contains its words, or else 3."""
    title = entry.title_words
    phrase = " ".join(words)
    if title.startswith(phrase):
        return int(title != phrase)
    return 2 if all(f" {word}" in f" {title}" for word in words) else 3
