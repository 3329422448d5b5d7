"""Which lists can be saved, what of their address is kept, and whether it still means the same? Queries, no HTML."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.forms import ChoiceField, Form
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from integrations.partners import permissions
from integrations.reviews.forms.queue import FILTERS, QueueFilter
from integrations.reviews.selectors.queue import TABS
from integrations.sla.filters import NAMES as SLA_NAMES
from integrations.sla.filters import STATES
from integrations.submissions.forms.filters import ListFilter
from portal.analytics.filters import OfficeFilter
from portal.analytics.models import SavedView
from portal.core.errors import NotAllowed
from portal.notifications.models import Email

LONGEST, MOST = 200, 50  # characters of one value; views that a person or the program may keep of a page
OFFICE = ("program", "period")


@dataclass(frozen=True, slots=True)
class Page:
    """A list that can be saved: its URL name, what it is called, and the words of its address that count.

    `form`: knows the choices of today; `choices`: those that stand in no form.
    """

    name: str
    title: str
    words: tuple[str, ...]
    form: Callable[[Mapping[str, str]], Form] | None = None
    choices: Mapping[str, Iterable[str]] | None = None


PAGES = {
    page.name: page
    for page in (
        Page("queue", gettext_noop("Queue"), ("tab", *FILTERS), QueueFilter, {"tab": TABS}),
        Page("integrations", gettext_noop("Integrations"), tuple(ListFilter.base_fields), ListFilter),
        Page("sla", "SLA", SLA_NAMES, None, {"state": STATES}),
        Page("companies", gettext_noop("Companies"), ("q",)),
        Page("outbox", gettext_noop("Outbox"), ("q", "state"), None, {"state": ["", *Email.State.values]}),
        Page("office", gettext_noop("Time in stages"), OFFICE, OfficeFilter),
        Page("office_flow", gettext_noop("Throughput and funnel"), OFFICE, OfficeFilter),
        Page("office_people", gettext_noop("Reviewers and checks"), ("program",), OfficeFilter),
        Page("office_forecast", gettext_noop("Forecast"), ("program",), OfficeFilter),
    )
}
FOR_PROGRAM = {"queue", "companies", "outbox", "office", "office_flow", "office_people", "office_forecast"}


def normalised(page: Page, query: str) -> str:
    """The part of a query that the list reads: known words in their order, one value each, without blanks."""
    given = QueryDict(query[:2000])
    kept = {word: given.get(word, "").replace("\x00", "")[:LONGEST] for word in page.words}
    return urlencode({word: value for word, value in kept.items() if value})[:500]


def gone(page: Page, query: str) -> list[str]:
    """What a kept query asks for that there no longer is, as "word: value"."""
    given = {key: value for key, value in QueryDict(query).items() if isinstance(value, str)}
    lost = [f"{word}: {value}" for word, value in given.items() if word not in page.words]
    known = {word: value for word, value in given.items() if word in page.words}
    for word, choices in (page.choices or {}).items():
        if known.get(word, "") and known[word] not in choices:
            lost.append(f"{word}: {known[word]}")
    if page.form is not None:
        form = page.form(known)
        form.is_valid()
        fields = [word for word in form.errors if isinstance(form.fields.get(word), ChoiceField) and known.get(word)]
        lost += [f"{word}: {known[word]}" for word in fields]
    return lost


def may_save(name: str, user: Any) -> bool:
    """Whether it is a list, and one that is meant for this person."""
    return name in PAGES and user.is_authenticated and (name not in FOR_PROGRAM or permissions.works_for_program(user))


def page_of(name: str, user: Any) -> Page:
    """The page, where this person has it. Raises NotAllowed."""
    if not may_save(name, user):
        raise NotAllowed(_("This list cannot be saved."), "gone")
    return PAGES[name]


def visible(user: Any) -> QuerySet[SavedView]:
    """One's own views, and for people of the program those that it shares."""
    of = Q(owner=user) | Q(owner=None) if permissions.works_for_program(user) else Q(owner=user)
    return SavedView.objects.filter(of)


def save(user: Any, name: str, title: str, query: str, *, shared: bool, now: datetime) -> SavedView:
    """Keep a list under a name. Raises NotAllowed where the name is taken or it is not theirs to share."""
    page = page_of(name, user)
    if shared and not permissions.works_for_program(user):
        raise NotAllowed(_("Only people of the program share views."), "may")
    owner = None if shared else user
    if SavedView.objects.filter(owner=owner, page=page.name).count() >= MOST:
        raise NotAllowed(_("%(most)s views of this list are kept already: delete one first.") % {"most": MOST})
    view = SavedView(owner=owner, page=page.name, query=normalised(page, query), saved_by=user, saved_at=now)
    return _named(view, title)


def rename(view: SavedView, title: str) -> SavedView:
    return _named(view, title)


def _named(view: SavedView, title: str) -> SavedView:
    view.name = title
    try:
        with transaction.atomic():
            view.save()
    except IntegrityError:
        raise NotAllowed(_("A view of this list is already called “%(title)s”.") % {"title": title}) from None
    return view


def set_default(view: SavedView, user: Any, *, on: bool) -> None:
    """Open the list with this one's own view from now on, or with everything again."""
    if view.owner_id != user.pk:
        raise NotAllowed(_("Only a view of your own can be what a list opens with: save it as yours first."), "may")
    with transaction.atomic():
        SavedView.objects.filter(owner=user, page=view.page, is_default=True).update(is_default=False)
        if on:
            SavedView.objects.filter(pk=view.pk).update(is_default=True)
