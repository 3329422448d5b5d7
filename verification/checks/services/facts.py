"""Services for facts: values that sources state about an integration, stored as observations.

They are read when the integration starts, and again after each check run. An outage changes nothing.
"""

import logging
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from itertools import groupby
from operator import attrgetter

from django.db import transaction
from django.db.models import QuerySet

from integrations.submissions.models import Integration
from integrations.submissions.services.transitions import lock_integration
from portal.core.json_text import clean_json
from verification.checks.facts import FACTS, GITHUB, REGISTRY, Fact, list_repository_facts
from verification.checks.models import Observation
from verification.checks.repository_reading import read_repository
from verification.checks.services.observations import FACT_PREFIX, store_observation
from verification.sources import Sources
from verification.sources.errors import SourceError

logger = logging.getLogger(__name__)


def _select_facts(integration: Integration) -> QuerySet[Observation]:
    return Observation.objects.filter(integration=integration, key__startswith=FACT_PREFIX)


def _select_repository_facts(integration: Integration) -> QuerySet[Observation]:
    # Facts of an endpoint were stated once, at the start, and aren't read again.
    return _select_facts(integration).filter(source__in=(GITHUB, REGISTRY))


def load_facts(integration: Integration) -> tuple[list[Fact], dict[str, datetime]]:
    """Return the stored facts in the order of the page, and when each was read, by key."""
    rows = {row.key.removeprefix(FACT_PREFIX): row for row in _select_facts(integration)}
    facts = [Fact(key, source=rows[key].source, **(rows[key].value or {})) for key in FACTS if key in rows]
    return facts, {key: row.confirmed_at for key, row in rows.items()}


def get_release_dates(integrations: Iterable[Integration]) -> dict[int, date]:
    """Return when the newest release of each integration was published, by its ID. Unknown dates are left out."""
    ids = [integration.pk for integration in integrations]
    rows = Observation.objects.filter(integration__in=ids, key=f"{FACT_PREFIX}released_on")
    values = rows.values_list("integration_id", "value")
    return {pk: date.fromisoformat(value["value"]) for pk, value in values if value}


def is_read_as_private(integration: Integration) -> bool:
    """Return whether someone's GitHub access is needed: the repository was private when it was last read."""
    if integration.repository_reader_id is None:
        return False
    # Only private repositories have this fact.
    return _select_facts(integration).filter(key=f"{FACT_PREFIX}visibility").exists()


def get_public_repository(integration: Integration) -> str:
    """Return the repository for public pages, blank if it was private when it was last read."""
    return "" if is_read_as_private(integration) else integration.repository


@transaction.atomic
def store_facts(integration: Integration, facts: Sequence[Fact], now: datetime) -> None:
    """Store facts: a changed value starts a new observation, an equal one is confirmed."""
    for source, facts_of_source in groupby(facts, key=attrgetter("source")):
        values = {f"{FACT_PREFIX}{fact.key}": {"value": fact.value, "url": fact.url} for fact in facts_of_source}
        store_observation(integration, source, clean_json(values), now)


def refresh_facts(integration: Integration, sources: Sources, now: datetime) -> None:
    """Read the facts about the repository again. After a complete reading, those that no source states are deleted.

    An error in reading is only logged: facts inform people, and nothing depends on them.
    """
    if not integration.repository:
        return
    # A provider keeps its name in the registry when its repository is renamed, so the last known name counts.
    provider = {fact.key: fact.value for fact in load_facts(integration)[0]}.get("listing", "")
    try:
        reading = read_repository(integration.repository, sources, provider=provider)
    except SourceError:
        return
    except Exception:
        logger.exception("can't read the facts about %s", integration.repository)
        return
    facts = list_repository_facts(reading)
    with transaction.atomic():
        # A change of the repository since the run began has deleted the facts, and the next run reads new ones.
        if lock_integration(integration.pk).repository != integration.repository:
            return
        store_facts(integration, facts, now)
        if not reading.unread:
            stated = [f"{FACT_PREFIX}{fact.key}" for fact in facts]
            _select_repository_facts(integration).exclude(key__in=stated).delete()


def delete_facts(integration: Integration) -> None:
    """Delete the facts about the former repository."""
    _select_repository_facts(integration).delete()
