"""Reading of an address: what GitHub, the registry, or an endpoint states about the integration."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import TypeVar

from django.conf import settings

from portal.core.repository_urls import InvalidRepositoryUrlError, get_product_name, parse_repository
from verification.checks.rules.shared_reads import find_newest_release
from verification.checks.rules.signing_keys import read_signing_keys
from verification.checks.types import Subject
from verification.discovery.addresses import Address, AddressKind
from verification.sources import Sources
from verification.sources.errors import SourceError, SourceNotFoundError
from verification.sources.github.responses import GitHubRelease, GitHubRepository
from verification.sources.published_versions import RegistryListing
from verification.sources.repository_snapshot import GoModule, RepositorySnapshot, parse_go_mod
from verification.testruns.kinds.run_task.driver import RunTaskTarget, send_request
from verification.testruns.kinds.run_task.protocol import RunTaskUrls
from verification.testruns.kinds.run_task.records import Exchange
from verification.testruns.kinds.run_task.scenario import PROBES

GITHUB, REGISTRY = "GitHub", "Terraform Registry"
CODEOWNERS_PATHS = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS")
MAX_OWNERS = 5
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Fact:
    """A stated value. `key` names it in FACT_LABELS of the presenters; `source` is who states it."""

    key: str
    value: str
    source: str
    url: str = ""

    def as_dict(self) -> dict[str, str]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Reading:
    """What was found at an address. Parts that don't exist or couldn't be read are None or empty."""

    repository: GitHubRepository | None = None
    releases: tuple[GitHubRelease, ...] = ()
    code: RepositorySnapshot | None = None
    go_module: GoModule = field(default_factory=GoModule)
    listing: RegistryListing | None = None
    signing_keys: tuple[str, ...] = ()
    reply: Exchange | None = None

    @property
    def name(self) -> str:
        return self.repository.name if self.repository else ""


def read_address(address: Address, sources: Sources) -> Reading:
    """Read everything that an address leads to.

    Raises:
        SourceNotFoundError: GitHub or the registry doesn't have it.
        SourceError: It can't be read now.
    """
    if address.kind == AddressKind.ENDPOINT:
        return Reading(reply=verify_endpoint(address.name, sources))
    if address.kind == AddressKind.PROVIDER:
        namespace, _, name = address.name.partition("/")
        listing = sources.registry.read_listing(namespace, name)
        return read_repository(find_source_repository(listing), sources, listing)
    return read_repository(address.name, sources)


def find_source_repository(listing: RegistryListing) -> str:
    """Return "owner/name" of a provider's code. Raises SourceNotFoundError if it isn't on the allowed host."""
    try:
        return parse_repository(listing.source)
    except InvalidRepositoryUrlError as error:
        raise SourceNotFoundError(f"The registry names no readable repository for {listing.full_name}.") from error


def read_repository(full_name: str, sources: Sources, listing: RegistryListing | None = None) -> Reading:
    """Read a repository, its newest release's code, and its registry listing."""
    repository = sources.github.repository(full_name)
    releases = _try_read(lambda: sources.github.releases(repository.full_name)) or ()
    published = tuple(release for release in releases if not release.draft)
    newest = find_newest_release(published)
    ref = newest.tag if newest else repository.default_branch or "HEAD"
    code = _try_read(lambda: sources.github.code(repository.full_name, ref))
    go_mod = _try_read(lambda: code.text("go.mod")) if code else None
    if listing is None:
        owner, name = full_name.split("/")[0], get_product_name(repository.name)
        listing = _try_read(lambda: sources.registry.read_listing(owner, name))
        if listing is not None and listing.repository_id not in (None, repository.id):
            listing = None
    keys = listing and _try_read(lambda: read_fingerprints(listing, sources))
    return Reading(repository, published, code, parse_go_mod(go_mod or ""), listing, keys or ())


def read_fingerprints(listing: RegistryListing, sources: Sources) -> tuple[str, ...]:
    """Return the fingerprints of the keys that the registry has for the newest version. Raises SourceError."""
    namespace, name = listing.full_name.split("/")
    subject = Subject("", "", "", name, namespace=namespace, provider=name)
    return read_signing_keys(subject, sources).fingerprints


def _try_read(read: Callable[[], Value]) -> Value | None:
    """Return what was read, or None if it can't be read: the checks say why."""
    try:
        return read()
    except SourceError:
        return None


def verify_endpoint(url: str, sources: Sources) -> Exchange:
    """Send the request that Terraform Cloud sends when a run task is created, without a signature."""
    step = next(step for step in PROBES if step.is_verification)
    base = settings.SITE_URL
    return send_request(step, RunTaskTarget(url, "", ()), RunTaskUrls(base, base, base), "", sources.web)


def list_facts(reading: Reading) -> list[Fact]:
    """Return the facts that a partner needn't type, in the order of the page."""
    facts = [*_list_repository_facts(reading), *_list_code_facts(reading), *_list_registry_facts(reading)]
    if reading.reply is not None:
        facts.append(Fact("endpoint", reading.reply.url, "", reading.reply.url))
    return [fact for fact in facts if fact.value]


def _list_repository_facts(reading: Reading) -> list[Fact]:
    repository = reading.repository
    if repository is None:
        return []
    newest = find_newest_release(reading.releases)
    url = repository.html_url
    values: Mapping[str, tuple[str, str]] = {
        "repository": (repository.full_name, url),
        "owner_type": (repository.owner_type, ""),
        "license": (repository.license_spdx, ""),
        "default_branch": (repository.default_branch, ""),
        "language": (repository.language, ""),
        "topics": (", ".join(repository.topics), ""),
        "release": (newest.tag if newest else "", newest.html_url if newest else ""),
        "artifacts": (str(len(newest.assets)) if newest else "", newest.html_url if newest else ""),
        "open_issues": (str(repository.open_issues), f"{url}/issues"),
    }
    return [Fact(key, value, GITHUB, address) for key, (value, address) in values.items()]


def _list_code_facts(reading: Reading) -> list[Fact]:
    code, repository = reading.code, reading.repository
    if code is None or repository is None:
        return []
    folders = {file.path.partition("/")[0] for file in code.files if "/" in file.path}
    owners_path = next((path for path in CODEOWNERS_PATHS if path in code.files_by_path), "")
    owners = _try_read(lambda: code.text(owners_path)) or ""
    names = dict.fromkeys(word for line in owners.splitlines() for word in line.split()[1:] if word.startswith("@"))
    tree = f"{repository.html_url}/tree/{code.commit}"
    return [
        *(Fact(key, key, GITHUB, f"{tree}/{key}") for key in ("docs", "examples") if key in folders),
        Fact("maintainers", ", ".join([*names][:MAX_OWNERS]), GITHUB, f"{tree}/{owners_path}"),
    ]


def _list_registry_facts(reading: Reading) -> list[Fact]:
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
