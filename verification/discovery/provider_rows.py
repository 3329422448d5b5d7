"""Rows of a namespace: providers that can be selected, and the summary of the last import."""

from collections.abc import Collection
from dataclasses import dataclass

from django.forms import BoundField
from django.urls import reverse
from django.utils.formats import number_format
from django.utils.translation import gettext as _, gettext_noop, ngettext

from integrations.partners.models import Partner
from integrations.submissions.models import Integration
from portal.core.repository_urls import get_allowed_host
from verification.checks.facts import FACT_VALUES
from verification.discovery.forms import NamespaceForm
from verification.discovery.imports import ImportOutcome, ProviderRow, find_open_integrations, load_rows
from verification.discovery.models import Discovery

SKIP_REASONS = {
    ImportOutcome.EXISTS: gettext_noop("Your company already has an integration with this repository."),
    ImportOutcome.NO_REPOSITORY: gettext_noop("The registry lists no repository on %(host)s."),
    ImportOutcome.NAME_REFUSED: gettext_noop(
        "The name looks like a badge. Start this integration from its repository."
    ),
}


@dataclass(frozen=True, slots=True)
class ProviderChoiceRow:
    """Provider with its fields. `note` says what the portal knows about it, `url` where to read more."""

    provider: ProviderRow
    form: NamespaceForm
    note: str
    url: str
    is_available: bool

    @property
    def is_selected(self) -> bool:
        return self.provider.full_name in (self.form["providers"].value() or ())

    @property
    def category(self) -> BoundField:
        return self.form[f"category-{self.provider.full_name}"]

    @property
    def tier(self) -> str:
        tier = self.provider.tier
        return _(FACT_VALUES[tier]) if tier in FACT_VALUES else tier

    @property
    def downloads(self) -> str:
        """Return the downloads with their unit, blank if the registry doesn't state them."""
        count = self.provider.downloads
        if count is None:
            return ""
        number = number_format(count, use_l10n=True, force_grouping=True)
        return ngettext("%(number)s download", "%(number)s downloads", count) % {"number": number}


def list_providers(form: NamespaceForm, partners: Collection[Partner]) -> list[ProviderChoiceRow]:
    """Return the providers of the form with what the portal already has, the available ones first."""
    own_ids = {partner.pk for partner in partners}
    integrations = list(find_open_integrations(form.rows.values()))
    rows = [ProviderChoiceRow(row, form, *_describe(row, integrations, own_ids)) for row in form.rows.values()]
    # Sorting is stable, so both groups keep the registry's order.
    return sorted(rows, key=lambda row: not row.is_available)


def _describe(row: ProviderRow, integrations: list[Integration], own_ids: set[int]) -> tuple[str, str, bool]:
    """Return what the portal knows about a provider, where to read more, and whether it can be selected."""
    if not row.repository:
        return _describe_outcome(ImportOutcome.NO_REPOSITORY), "", False
    matches = [integration for integration in integrations if _is_same(integration, row)]
    own = next((integration for integration in matches if integration.partner_id in own_ids), None)
    # The person may see their own company's integration, so it is linked.
    if own is not None:
        return _("Already in the portal"), reverse("submissions:detail", args=[own.uuid]), False
    # Only listings are public, so other work of other partners stays anonymous.
    listed = next((integration for integration in matches if integration.is_listed), None)
    if listed is not None:
        return _("%(partner)s lists this provider.") % {"partner": listed.partner.name}, "", True
    return _("Someone is working on this.") if matches else "", "", True


def _is_same(integration: Integration, row: ProviderRow) -> bool:
    # A rename changes the name, and an outage at the start leaves no number, so either is enough.
    is_same_id = row.repository_id is not None and integration.repository_id == row.repository_id
    return is_same_id or integration.repository.lower() == row.repository.lower()


def list_imported_rows(discovery: Discovery) -> list[tuple[ProviderRow, str]]:
    """Return the selected providers of earlier imports, the created integrations first, and why one was skipped."""
    rows = sorted(load_rows(discovery), key=lambda row: row.outcome != ImportOutcome.CREATED)
    return [(row, _describe_outcome(ImportOutcome(row.outcome))) for row in rows if row.outcome]


def _describe_outcome(outcome: ImportOutcome) -> str:
    """Return why a provider was skipped, blank if its integration was created."""
    return _(SKIP_REASONS[outcome]) % {"host": get_allowed_host()} if outcome in SKIP_REASONS else ""
