"""Facts: values about an integration that GitHub, the registry, or an endpoint states."""

import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType

from django.conf import settings
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from portal.core.content_files import Content, load_content
from verification.checks.repository_reading import RepositoryReading, try_read
from verification.checks.rules.shared_reads import find_newest_release
from verification.checks.types import CONTENT_FOLDER

GITHUB = "GitHub"
REGISTRY = "Terraform Registry"
MISSING_FACTS = frozenset({"license", "release"})  # shown as "None" if a source states none
# The order in which GitHub looks for the file. Only the first one counts.
CODEOWNERS_PATHS = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS")
CODEOWNERS_COMMENT_PATTERN = re.compile(r"(?:^|\s)#.*")
MAX_OWNERS = 5


class FactDescription(Content):
    """How pages show a fact.

    `is_source_page`: whether its URL is the source's page; `has_named_value`: whether its value is in FACT_VALUES.
    """

    label: str
    is_count: bool = False
    is_source_page: bool = False
    has_named_value: bool = False


class FactValue(Content):
    """How pages show a value of a fact that has named values."""

    label: str


class FactsFile(Content):
    """Content of facts.yaml: facts by key, and values by what the source states."""

    facts: dict[str, FactDescription]
    values: dict[str, FactValue]


CONTENT = load_content(CONTENT_FOLDER / "facts.yaml", FactsFile)
FACTS = CONTENT.facts
FACT_VALUES = {value: description.label for value, description in CONTENT.values.items()}


@dataclass(frozen=True, slots=True)
class Fact:
    """A value that a source states. `key` is its key in FACTS."""

    key: str
    value: str
    source: str
    url: str = ""


def list_repository_facts(reading: RepositoryReading) -> list[Fact]:
    """Return what GitHub and the registry state about a repository, in the order of the page."""
    facts = [*_list_github_facts(reading), *_list_code_facts(reading), *_list_registry_facts(reading)]
    # A missing license or release matters to the reader. Other missing facts don't.
    return [fact for fact in facts if fact.value or fact.key in MISSING_FACTS]


def _list_github_facts(reading: RepositoryReading) -> list[Fact]:
    repository = reading.repository
    if repository is None:
        return []
    newest = find_newest_release(reading.releases)
    url = repository.html_url
    values: Mapping[str, tuple[str, str]] = {
        "repository": (repository.full_name, url),
        "former_name": (reading.former_name, ""),
        # Blank for public repositories, so that only private ones have this fact: see is_read_as_private().
        "visibility": ("private" if repository.private else "", ""),
        "archived": ("archived" if repository.archived else "", ""),
        "owner_type": (repository.owner_type.lower(), ""),
        "license": (repository.license_spdx, ""),
        "default_branch": (repository.default_branch, ""),
        "language": (repository.language, ""),
        "topics": (", ".join(repository.topics), ""),
        "release": (newest.tag if newest else "", newest.html_url if newest else ""),
        "released_on": (str(newest.published_at.date()) if newest and newest.published_at else "", ""),
        "artifacts": (str(len(newest.assets)) if newest else "", newest.html_url if newest else ""),
        "open_issues": (str(repository.open_issues), f"{url}/issues" if repository.open_issues else ""),
    }
    return [Fact(key, value, GITHUB, address) for key, (value, address) in values.items()]


def _list_code_facts(reading: RepositoryReading) -> list[Fact]:
    code = reading.code
    repository = reading.repository
    if code is None or repository is None:
        return []
    folders = {file.path.partition("/")[0] for file in code.files if "/" in file.path}
    owners_path = next((path for path in CODEOWNERS_PATHS if path in code.files_by_path), "")
    # The owners are a detail, so a failed read doesn't make the reading incomplete.
    owners = try_read(lambda: code.read_text(owners_path), []) or ""
    lines = (CODEOWNERS_COMMENT_PATTERN.sub("", line) for line in owners.splitlines())
    names = dict.fromkeys(word for line in lines for word in line.split()[1:] if word.startswith("@"))
    tree = f"{repository.html_url}/tree/{code.commit}"
    return [
        *(Fact(key, key, GITHUB, f"{tree}/{key}") for key in ("docs", "examples") if key in folders),
        Fact("maintainers", ", ".join([*names][:MAX_OWNERS]), GITHUB, f"{tree}/{owners_path}"),
    ]


def _list_registry_facts(reading: RepositoryReading) -> list[Fact]:
    listing = reading.listing
    if listing is None:
        return []
    url = f"{settings.REGISTRY_URL}/providers/{listing.full_name}/latest"
    values = {
        "listing": listing.full_name,
        "tier": listing.tier,
        "version": listing.newest,
        "downloads": "" if listing.downloads is None else str(listing.downloads),
        "signing_keys": ", ".join(reading.signing_keys),
    }
    return [Fact(key, value, REGISTRY, url if key == "listing" else "") for key, value in values.items()]


@dataclass(frozen=True, slots=True)
class FactRow:
    """Fact with its label in the reader's language. `edit_url` is set if people can change it here."""

    label: str
    value: str
    url: str
    read_at: datetime | None
    edit_url: str


@dataclass(slots=True)
class FactGroup:
    """Facts that one source states, with the page that states them and the newest time when they were read."""

    source: str
    rows: list[FactRow] = field(default_factory=list)
    url: str = ""
    read_at: datetime | None = None


def group_facts(
    facts: Sequence[Fact],
    read_at: Mapping[str, datetime] = MappingProxyType({}),
    edit_urls: Mapping[str, str] = MappingProxyType({}),
    hidden: Container[str] = frozenset(),
) -> list[FactGroup]:
    """Return the facts by source.

    Args:
        facts: The facts in the order of the page.
        read_at: When each was read, by key.
        edit_urls: Where people can change it, by key.
        hidden: Keys of facts without a row of their own.
    """
    groups = {fact.source: FactGroup(fact.source) for fact in facts}
    for fact in facts:
        group = groups[fact.source]
        moment = read_at.get(fact.key)
        if FACTS[fact.key].is_source_page:
            group.url = group.url or fact.url
        # Hidden facts count too, so that the time of a group doesn't depend on the page.
        group.read_at = max(filter(None, (group.read_at, moment)), default=None)
        if fact.key not in hidden:
            label = _(FACTS[fact.key].label)
            value = _format_value(fact.key, fact.value)
            group.rows.append(FactRow(label, value, fact.url, moment, edit_urls.get(fact.key, "")))
    return list(groups.values())


def _format_value(key: str, value: str) -> str:
    """Return the value for readers: a zero and a missing value read "None"."""
    if value in {"", "0"}:
        return _("None")
    if FACTS[key].is_count:
        return number_format(int(value), use_l10n=True, force_grouping=True)
    return _(FACT_VALUES[value]) if FACTS[key].has_named_value and value in FACT_VALUES else value
