"""Services for observations: values from earlier runs with their source, start, and last confirmation.

Only a response of a source changes an observation, so an outage changes none. A value that is suddenly "not found" is
kept until it has been missing for a day.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta

from django.db import transaction

from integrations.submissions.models import Integration
from portal.core.value_types import JsonObject
from verification.checks.models import CheckResult, Observation
from verification.checks.rules import provider_schema, release
from verification.checks.types import Subject
from verification.outcomes import Outcome, Result

ABSENCE_GRACE_PERIOD = timedelta(hours=24)
LAST_SEEN_PREFIX = "seen:"  # what a check last observed, apart from the values that checks record themselves
FACT_PREFIX = "fact:"  # what sources state for people, see verification.checks.services.facts
REPOSITORY_PREFIX = "repository:"  # the repositories so far, and the histories of all but the current one
REPOSITORIES_KEY = f"{REPOSITORY_PREFIX}all"
# What earlier releases were like. Not the signing keys: a reviewer has to accept a new one, also of a new repository.
HISTORY_KEYS = (release.DIGESTS_KEY, release.NEWEST_KEY, release.TAGS_KEY, provider_schema.OBSERVATION_KEY)
CONCLUSIVE_OUTCOMES = (Outcome.PASS, Outcome.WARN, Outcome.FAIL)
MAX_KEY_LENGTH = 120


def get_known_values(integration: Integration) -> dict[str, object]:
    """Return the values that checks recorded, by the checks' own keys."""
    observations = Observation.objects.filter(integration=integration)
    for prefix in (LAST_SEEN_PREFIX, FACT_PREFIX, REPOSITORY_PREFIX):
        observations = observations.exclude(key__startswith=prefix)
    return dict(observations.values_list("key", "value"))


@transaction.atomic
def select_history(integration: Integration, now: datetime) -> None:
    """Store the history of the previous repository, and restore that of the current one.

    Call before a run reads the known values. Runs of an integration never overlap, so none stores values of a
    former repository afterward.
    """
    rows = Observation.objects.filter(integration=integration)
    stored = rows.filter(key=REPOSITORIES_KEY).values_list("value", flat=True).first()
    repositories: list[JsonObject] = list(stored["repositories"]) if stored else []
    current: JsonObject = {"name": integration.repository.lower(), "number": integration.repository_id}
    matches = (index for index, each in enumerate(repositories) if _is_same_repository(each, current))
    index = next(matches, len(repositories))
    if index < len(repositories):
        current["number"] = current["number"] or repositories[index]["number"]
    repositories[index : index + 1] = [current]
    last_index = stored["index"] if stored else index
    for key in HISTORY_KEYS if index != last_index else ():
        rows.filter(key=key).update(key=f"{REPOSITORY_PREFIX}{last_index}:{key}")
        rows.filter(key=f"{REPOSITORY_PREFIX}{index}:{key}").update(key=key)
    values = {"index": index, "repositories": repositories}
    if values != stored:
        store_observation(integration, REPOSITORIES_KEY, {REPOSITORIES_KEY: values}, now)


def _is_same_repository(first: JsonObject, second: JsonObject) -> bool:
    # The number outlives renames, but it's unknown if GitHub didn't answer when the repository was entered.
    if first["number"] and second["number"]:
        return bool(first["number"] == second["number"])
    return bool(first["name"] == second["name"])


def store_observation(integration: Integration, source: str, values: Mapping[str, object], now: datetime) -> None:
    """Store recorded values: a changed value starts a new observation, an equal one is confirmed. Two queries."""
    values = {key[:MAX_KEY_LENGTH]: value for key, value in values.items()}
    if not values:
        return
    known = Observation.objects.filter(integration=integration, key__in=values)
    stored = {observation.key: observation for observation in known}
    observations = []
    for key, value in values.items():
        previous = stored.get(key)
        since = previous.since if previous is not None and previous.value == value else now
        confirmed_at = max(previous.confirmed_at, now) if previous is not None else now
        fields = {"value": value, "source": source, "since": since, "confirmed_at": confirmed_at}
        observations.append(Observation(integration=integration, key=key, **fields))
    Observation.objects.bulk_create(
        observations,
        update_conflicts=True,  # a concurrent test run can store the same
        unique_fields=("integration", "key"),
        update_fields=("value", "source", "since", "confirmed_at", "missing_since"),
    )


def store_result_observations(integration: Integration, check: str, result: Result, now: datetime) -> None:
    """Store what a result recorded, and that the check has seen the repository if it passed, with warnings or not."""
    last_seen = {}
    if result.outcome in (Outcome.PASS, Outcome.WARN) and not result.missing_item:
        last_seen = {LAST_SEEN_PREFIX + check: integration.repository}
    elif result.outcome == Outcome.FAIL and not result.missing_item:
        # A failure for another reason shows that nothing is missing, so a later absence starts over.
        rows = Observation.objects.filter(integration=integration, key=LAST_SEEN_PREFIX + check)
        rows.update(missing_since=None)
    store_observation(integration, check, {**last_seen, **result.observations}, now)


def apply_absence_grace_period(
    integration: Integration, subject: Subject, check: str, result: Result, now: datetime
) -> Result:
    """Return the result as it counts now: the first "not found" of a known object has no effect yet.

    Until the second one, it is a warning for a listed integration, unless the check failed last. Otherwise, the check
    counts as not run, so that it never passes.
    """
    if not result.missing_item:
        return result
    rows = Observation.objects.filter(integration=integration, key=LAST_SEEN_PREFIX + check, value=subject.repository)
    observation = rows.first()
    if observation is None:
        return result
    if observation.missing_since is None:
        observation.missing_since = now
        observation.save(update_fields=["missing_since"])
    # Terraform's messages have no period.
    summary = result.summary if result.summary.endswith(".") else f"{result.summary}."
    summary += f" We haven't been able to see it since {_format_moment(observation.missing_since)}."
    # Deleting a faulty file fixes nothing. A warning would verify the finding of the failure.
    keeps_failing = integration.is_listed and _has_failed_last(integration, check)
    if keeps_failing or now - observation.missing_since >= ABSENCE_GRACE_PERIOD:
        return replace(result, summary=summary)
    summary += " We check again before anything changes."
    outcome = Outcome.WARN if integration.is_listed else Outcome.NOT_RUN
    return replace(result, outcome=outcome, summary=summary, observations={})


def list_absence_warnings(integration: Integration) -> set[str]:
    """Return the checks whose last result is a warning instead of a failure, because something was just not found."""
    absent = Observation.objects.filter(integration=integration, key__startswith=LAST_SEEN_PREFIX)
    absent_keys = absent.exclude(missing_since=None).values_list("key", flat=True)
    keys = [key.removeprefix(LAST_SEEN_PREFIX) for key in absent_keys]
    results = CheckResult.objects.filter(integration=integration, key__in=keys).newest()
    return {result.key for result in results if result.outcome == Outcome.WARN}


def _has_failed_last(integration: Integration, check: str) -> bool:
    """Return whether the last result of the check, apart from errors on our side, is a failure."""
    last_result = CheckResult.objects.filter(integration=integration, key=check).conclusive().first()
    return last_result is not None and last_result.outcome == Outcome.FAIL


def has_been_read(integration: Integration, subject: Subject) -> bool:
    """Return whether a check has read the repository before."""
    observations = Observation.objects.filter(integration=integration, key__startswith=LAST_SEEN_PREFIX)
    return observations.filter(value=subject.repository).exists()


def _format_moment(moment: datetime) -> str:
    return f"{moment:%a}, {moment:%b} {moment.day}, {moment:%I:%M %p} UTC".replace(", 0", ", ")
