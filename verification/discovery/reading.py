"""Reading of an address: what GitHub, the registry, or an endpoint states about the integration."""

from dataclasses import dataclass, fields

from django.conf import settings

from portal.core.repository_urls import find_repository
from verification.checks.facts import MISSING_FACTS, REGISTRY, Fact, list_repository_facts
from verification.checks.repository_reading import RepositoryReading, read_repository
from verification.discovery.addresses import AddressKind
from verification.sources import Sources
from verification.sources.errors import SourceNotFoundError
from verification.sources.registry.client import ProviderSummary
from verification.testruns.kinds.run_task.driver import send_request
from verification.testruns.kinds.run_task.protocol import PROBES, RunTaskTarget, RunTaskUrls
from verification.testruns.kinds.run_task.records import Exchange

ENDPOINT = "Run task endpoint"


@dataclass(frozen=True, slots=True)
class Reading(RepositoryReading):
    """What was found at an address: a repository, an endpoint's reply, or the providers of a namespace."""

    reply: Exchange | None = None
    namespace: str = ""
    providers: tuple[ProviderSummary, ...] = ()


def read_address(kind: str, name: str, sources: Sources) -> Reading:
    """Read everything that an address of this AddressKind and name leads to.

    Raises:
        SourceNotFoundError: GitHub or the registry doesn't have it.
        SourceError: It can't be read now.
    """
    if kind == AddressKind.ENDPOINT:
        step = next(step for step in PROBES if step.is_verification)
        # A verification request needs no callback, plan, or configuration, but the payload requires their URLs.
        urls = RunTaskUrls(settings.SITE_URL, settings.SITE_URL, settings.SITE_URL)
        # Without a signature: no one has entered the HMAC key yet.
        return Reading(reply=send_request(step, RunTaskTarget(name, "", ()), urls, "", sources.web))
    if kind == AddressKind.NAMESPACE:
        return read_namespace(name, sources)
    if kind == AddressKind.PROVIDER:
        namespace, _, provider = name.partition("/")
        listing = sources.registry.read_listing(namespace, provider)
        repository = find_repository(listing.source)
        if not repository:
            raise SourceNotFoundError(f"The registry lists no readable repository for {listing.full_name}.")
        return _extend(read_repository(repository, sources, listing))
    return _extend(read_repository(name, sources))


def _extend(reading: RepositoryReading) -> Reading:
    return Reading(**{each.name: getattr(reading, each.name) for each in fields(reading)})


def read_namespace(namespace: str, sources: Sources) -> Reading:
    """Return the providers of a registry namespace. Raises SourceError."""
    providers = sources.registry.list_providers(namespace)
    if not providers:
        # A filter that matches nothing returns an empty list instead of a 404.
        raise SourceNotFoundError(f"The registry lists no providers in the namespace {namespace}.")
    return Reading(namespace=providers[0].full_name.split("/")[0], providers=providers)


def list_facts(reading: Reading) -> list[Fact]:
    """Return the facts that a partner needn't type, in the order of the page."""
    facts = list_repository_facts(reading)
    if reading.reply is not None:
        facts.append(Fact("endpoint", reading.reply.url, ENDPOINT))
        # Without a status, there was no reply, which the page reports as a problem.
        facts.append(Fact("reply", reading.reply.line if reading.reply.status else "", ENDPOINT))
    if reading.providers:
        url = f"{settings.REGISTRY_URL}/namespaces/{reading.namespace}"
        facts.append(Fact("namespace", reading.namespace, REGISTRY, url))
        facts.append(Fact("providers", str(len(reading.providers)), REGISTRY))
    return [fact for fact in facts if fact.value or fact.key in MISSING_FACTS]
