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
from verification.sources.registry.client import ProviderSummary
from verification.sources.repository_snapshot import GoModule, RepositorySnapshot, parse_go_mod
from verification.testruns.kinds.run_task.driver import RunTaskTarget, send_request
from verification.testruns.kinds.run_task.protocol import RunTaskUrls
from verification.testruns.kinds.run_task.records import Exchange
from verification.testruns.kinds.run_task.scenario import PROBES

GITHUB, REGISTRY, ENDPOINT = "GitHub", "Terraform Registry", "Run task endpoint"
MISSING_FACTS = frozenset({"license", "release"})  # worth knowing if there is none
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
    """What was found at an address. Parts that don't exist are None or empty.

    `former_name` is the name that was asked for if the repository has another one now, and `unread` says in sentences
    what couldn't be read.
    """

    repository: GitHubRepository | None = None
    releases: tuple[GitHubRelease, ...] = ()
    code: RepositorySnapshot | None = None
    go_module: GoModule = field(default_factory=GoModule)
    listing: RegistryListing | None = None
    signing_keys: tuple[str, ...] = ()
    reply: Exchange | None = None
    namespace: str = ""
    providers: tuple[ProviderSummary, ...] = ()
    former_name: str = ""
    unread: tuple[str, ...] = ()

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
    if address.kind == AddressKind.NAMESPACE:
        return read_namespace(address.name, sources)
    if address.kind == AddressKind.PROVIDER:
        namespace, _, name = address.name.partition("/")
        listing = sources.registry.read_listing(namespace, name)
        return read_repository(find_source_repository(listing), sources, listing)
    return read_repository(address.name, sources)


def read_namespace(namespace: str, sources: Sources) -> Reading:
    """Return the providers of a registry namespace. Raises SourceError."""
    providers = sources.registry.list_providers(namespace)
    if not providers:
        raise SourceNotFoundError(f"The registry lists no providers in the namespace {namespace}.")
    return Reading(namespace=providers[0].full_name.split("/")[0], providers=providers)


def find_source_repository(listing: RegistryListing) -> str:
    """Return "owner/name" of a provider's code. Raises SourceNotFoundError if it isn't on the allowed host."""
    try:
        return parse_repository(listing.source)
    except InvalidRepositoryUrlError as error:
        raise SourceNotFoundError(f"The registry names no readable repository for {listing.full_name}.") from error


def read_repository(full_name: str, sources: Sources, listing: RegistryListing | None = None) -> Reading:
    """Read a repository, its newest release's code, and its registry listing."""
    repository, unread = sources.github.repository(full_name), list[str]()
    releases = _try_read(lambda: sources.github.releases(repository.full_name), unread) or ()
    published = tuple(release for release in releases if not release.draft)
    newest = find_newest_release(published)
    ref = newest.tag if newest else repository.default_branch or "HEAD"
    code = _try_read(lambda: sources.github.code(repository.full_name, ref), unread)
    go_mod = _try_read(lambda: code.text("go.mod"), unread) if code else None
    listing = listing or _try_read(lambda: find_listing(repository, sources), unread)
    keys = listing and _try_read(lambda: read_fingerprints(listing, sources), unread)
    return Reading(
        repository,
        published,
        code,
        parse_go_mod(go_mod or ""),
        listing,
        keys or (),
        former_name=full_name if full_name.lower() != repository.full_name.lower() else "",
        unread=tuple(dict.fromkeys(unread)),
    )


def find_listing(repository: GitHubRepository, sources: Sources) -> RegistryListing | None:
    """Return the provider that the registry publishes from this repository. Raises SourceError."""
    owner, name = repository.full_name.split("/")
    listing = sources.registry.read_listing(owner, get_product_name(name))
    return listing if listing.repository_id in (None, repository.id) else None


def read_fingerprints(listing: RegistryListing, sources: Sources) -> tuple[str, ...]:
    """Return the fingerprints of the keys that the registry has for the newest version. Raises SourceError."""
    namespace, name = listing.full_name.split("/")
    subject = Subject("", "", "", name, namespace=namespace, provider=name)
    return read_signing_keys(subject, sources).fingerprints


def _try_read(read: Callable[[], Value], unread: list[str]) -> Value | None:
    """Return what was read, or None. `unread` gets the reason unless it doesn't exist."""
    try:
        return read()
    except SourceNotFoundError:
        return None
    except SourceError as error:
        unread.append(str(error))
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
        facts.append(Fact("endpoint", reading.reply.url, ENDPOINT))
        facts.append(Fact("reply", reading.reply.line if reading.reply.status else "", ENDPOINT))
    if reading.providers:
        url = f"{settings.REGISTRY_URL}/namespaces/{reading.namespace}"
        facts.append(Fact("namespace", reading.namespace, REGISTRY, url))
        facts.append(Fact("providers", str(len(reading.providers)), REGISTRY))
    return [fact for fact in facts if fact.value or fact.key in MISSING_FACTS]


def _list_repository_facts(reading: Reading) -> list[Fact]:
    repository = reading.repository
    if repository is None:
        return []
    newest = find_newest_release(reading.releases)
    url = repository.html_url
    values: Mapping[str, tuple[str, str]] = {
        "repository": (repository.full_name, url),
        "former_name": (reading.former_name, ""),
        "archived": ("archived" if repository.archived else "", ""),
        "owner_type": (repository.owner_type.lower(), ""),
        "license": (repository.license_spdx, ""),
        "default_branch": (repository.default_branch, ""),
        "language": (repository.language, ""),
        "topics": (", ".join(repository.topics), ""),
        "release": (newest.tag if newest else "", newest.html_url if newest else ""),
        "artifacts": (str(len(newest.assets)) if newest else "", newest.html_url if newest else ""),
        "open_issues": (str(repository.open_issues), f"{url}/issues" if repository.open_issues else ""),
    }
    return [Fact(key, value, GITHUB, address) for key, (value, address) in values.items()]


def _list_code_facts(reading: Reading) -> list[Fact]:
    code, repository = reading.code, reading.repository
    if code is None or repository is None:
        return []
    folders = {file.path.partition("/")[0] for file in code.files if "/" in file.path}
    owners_path = next((path for path in CODEOWNERS_PATHS if path in code.files_by_path), "")
    owners = _try_read(lambda: code.text(owners_path), []) or ""
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
