"""Services for saved views of lists."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from urllib.parse import urlencode

from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.forms import ChoiceField, Form
from django.http import QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _, gettext_noop

from integrations.partners import permissions
from integrations.reviews.forms.filters import AgreementFilterForm, PartnerFilterForm
from integrations.reviews.forms.queue import QueueFilterForm
from integrations.reviews.selectors.queue import TAB_LABELS
from integrations.reviews.selectors.queue_items import SORT_ORDERS
from integrations.reviews.selectors.queue_kinds import KINDS
from integrations.sla.filters import FILTER_NAMES as SLA_NAMES, STATE_LABELS
from integrations.submissions.forms.filters import IntegrationFilterForm
from portal.accounts.models import User
from portal.accounts.requests import AnyUser
from portal.analytics.filters import FILTER_NAMES, PAGE_TITLES, PAGES_WITHOUT_PERIOD, AnalyticsFilterForm
from portal.analytics.models import SavedView
from portal.core.errors import ActionRefused
from portal.notifications.models import EmailMessage

MAX_VALUE_CHARACTERS = 200
MAX_QUERY_LENGTH = 500  # of the column
MAX_VIEWS_PER_PAGE = 50  # of one owner


@dataclass(frozen=True, slots=True)
class SavablePage:
    """List that can be saved: URL name, title, and relevant query parameters.

    `form` has the current choices of its fields. `choices` has those of parameters outside the form.
    """

    name: str
    url_name: str
    title: str
    form: type[Form] | None = None
    choices: Mapping[str, Iterable[str]] = field(default_factory=dict)
    parameter_names: tuple[str, ...] = ()

    @property
    def parameters(self) -> tuple[str, ...]:
        return self.parameter_names or (*self.choices, *(self.form.base_fields if self.form else ()))

    def build_url(self, query: str) -> str:
        """Return the URL of the list with a query, or without filters."""
        return f"{reverse(self.url_name)}?{normalize_query(self, query) or 'view=all'}"


EMAIL_STATES = {"state": ["", *EmailMessage.State.values]}
QUEUE_CHOICES: dict[str, Iterable[str]] = {"kind": KINDS, "tab": TAB_LABELS, "sort": SORT_ORDERS}
PAGES = {
    page.name: page
    for page in (
        SavablePage("queue", "reviews:queue", gettext_noop("Review queue"), QueueFilterForm, QUEUE_CHOICES),
        SavablePage("integrations", "submissions:list", gettext_noop("Integrations"), IntegrationFilterForm),
        SavablePage("sla", "reports:sla_dashboard", "SLA", None, {"state": STATE_LABELS}, SLA_NAMES),
        SavablePage("partners", "reviews:partners", gettext_noop("Partners"), PartnerFilterForm),
        SavablePage("agreements", "reviews:agreements", gettext_noop("Agreements"), AgreementFilterForm),
        SavablePage("emails", "inbox:email_log", gettext_noop("Email log"), None, EMAIL_STATES, ("q", "state")),
        *(
            SavablePage(
                name,
                f"analytics:{name}",
                title,
                AnalyticsFilterForm,
                parameter_names=("program",) if name in PAGES_WITHOUT_PERIOD else FILTER_NAMES,
            )
            for name, title in PAGE_TITLES.items()
        ),
    )
}
PAGES_BY_URL_NAME = {page.url_name: page for page in PAGES.values()}
PROGRAM_PAGES = {"queue", "partners", "agreements", "emails", *PAGE_TITLES}


def normalize_query(page: SavablePage, query: str) -> str:
    """Return the relevant, non-empty query parameters in a fixed order, one value each."""
    # The query comes from the address and ends up in links on other people's pages, so only known parameters remain.
    parameters = QueryDict(query[:2000])
    values = {name: parameters.get(name, "").replace("\x00", "")[:MAX_VALUE_CHARACTERS] for name in page.parameters}
    return urlencode({name: value for name, value in values.items() if value})


def find_obsolete_filters(page: SavablePage, query: str) -> list[str]:
    """Return the saved filters that no longer exist, as "parameter: value"."""
    values = QueryDict(query).dict()
    known_values = {name: value for name, value in values.items() if name in page.parameters}
    names = [name for name in values if name not in page.parameters]
    names += [name for name, choices in page.choices.items() if known_values.get(name, "") not in ("", *choices)]
    if page.form is not None:
        form = page.form(data=known_values)
        form.is_valid()
        names += [name for name in form.errors if known_values.get(name) and isinstance(form.fields[name], ChoiceField)]
    return [f"{name}: {values[name]}" for name in names]


def can_save(name: str, user: AnyUser) -> bool:
    """Return whether the page is a list that the user can see."""
    return name in PAGES and user.is_authenticated and (name not in PROGRAM_PAGES or permissions.is_program_staff(user))


def get_page(name: str, user: AnyUser) -> SavablePage:
    """Return the page. Raises ActionRefused unless the user can save it."""
    if not can_save(name, user):
        raise ActionRefused(_("You can't save views of this list."), "forbidden")
    return PAGES[name]


def list_visible_views(user: AnyUser) -> QuerySet[SavedView]:
    """Return the user's own views, and for program staff also shared views. Those of removed lists are left out."""
    condition = Q(owner=user) | Q(owner=None) if permissions.is_program_staff(user) else Q(owner=user)
    return SavedView.objects.filter(condition, page__in=PAGES)


def save_view(user: User, name: str, title: str, query: str, *, shared: bool, now: datetime) -> SavedView:
    """Save a view. Raises ActionRefused if the name is taken or the user can't share views."""
    page = get_page(name, user)
    # Auditors are program staff who can't change anything.
    if shared and not permissions.can_write_for_programs(user):
        raise ActionRefused(_("Only program staff can share views."), "forbidden")
    owner = None if shared else user
    if SavedView.objects.filter(owner=owner, page=page.name).count() >= MAX_VIEWS_PER_PAGE:
        raise ActionRefused(
            _("You reached the limit of %(limit)s views for this list. Delete a view first.")
            % {"limit": MAX_VIEWS_PER_PAGE},
            "limit-reached",
        )
    query = normalize_query(page, query)
    if len(query) > MAX_QUERY_LENGTH:
        raise ActionRefused(
            _("The filters are too long. Shorten the search text, then save the view."), "validation-error"
        )
    view = SavedView(owner=owner, page=page.name, name=title, query=query, saved_by=user, saved_at=now)
    with _refuse_taken_name(title):
        view.save()
    return view


@contextmanager
def _refuse_taken_name(title: str) -> Iterator[None]:
    """Raise ActionRefused if another view of the list has the name that the block saves."""
    try:
        with transaction.atomic():
            yield
    # The constraint decides, because two people can save a shared view with the same name at once.
    except IntegrityError:
        raise ActionRefused(
            _("A view named “%(title)s” already exists for this list. Enter another name.") % {"title": title},
            "validation-error",
        ) from None


def can_change(view: SavedView, user: AnyUser) -> bool:
    """Return whether a user can rename or delete a view. Auditors can only use shared views."""
    return view.owner_id == user.pk or (view.owner_id is None and permissions.can_write_for_programs(user))


def _require_change(view: SavedView, user: User) -> None:
    if not can_change(view, user):
        raise ActionRefused(_("Only program staff can change shared views."), "forbidden")


def delete_view(view: SavedView, user: User) -> None:
    """Delete a view. Raises ActionRefused if the user can't change it."""
    _require_change(view, user)
    view.delete()


def rename_view(view: SavedView, title: str, user: User) -> SavedView:
    """Rename a view. Raises ActionRefused if another view of the list has the name, or if the view was deleted."""
    _require_change(view, user)
    with _refuse_taken_name(title):
        # Only the name: saving the row would restore a deleted view, or a default that was cleared meanwhile.
        is_renamed = SavedView.objects.filter(pk=view.pk).update(name=title)
    if not is_renamed:
        raise ActionRefused(_("This view was deleted. Reload the page."), "conflict")
    view.name = title
    return view


def set_default(view: SavedView, user: User, *, on: bool) -> None:
    """Set or clear the user's default view of a list. Raises ActionRefused for views of others."""
    if view.owner_id != user.pk:
        raise ActionRefused(_("Only your own views can be the default. Save this view as your own first."), "forbidden")
    with transaction.atomic():
        User.objects.select_for_update(no_key=True).get(pk=user.pk)  # two requests at once count one after the other
        # First, because the constraint allows one default for each list.
        SavedView.objects.filter(owner=user, page=view.page, is_default=True).update(is_default=False)
        if on:
            SavedView.objects.filter(pk=view.pk).update(is_default=True)
