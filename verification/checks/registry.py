"""Is it published where users will look for it?"""

from integrations.repositories import BadAddress, parse_repository
from verification.base import Evidence, NotFound, Outcome, Result, Subject, check
from verification.sources import Sources


@check(
    "registry.listed",
    title="Listed in the registry",
    advice="Sign in to the registry with the owner's GitHub account and publish the repository there.",
)
def listed(subject: Subject, sources: Sources) -> Result:
    """The registry shows the provider under this namespace, and from this repository."""
    if not (subject.namespace and subject.provider):
        return Result(Outcome.FAIL, "No repository is named yet, so there is nothing to look for.")
    wanted = f"{subject.namespace}/{subject.provider}"
    page = sources.registry.page_of(subject.namespace, subject.provider)
    try:
        listing = sources.registry.provider(subject.namespace, subject.provider)
    except NotFound:
        return Result(Outcome.FAIL, f"The registry does not list {wanted}.", (Evidence("Looked for", wanted, page),))
    seen = (Evidence("Provider", listing.full_name, page), Evidence("Source", listing.source, listing.source))
    state = (("version", listing.version),)
    if _source(listing.source).lower() != subject.repository.lower():
        return Result(Outcome.FAIL, f"The registry lists {listing.full_name} from another repository.", seen, state)
    return Result(Outcome.PASS, f"The registry lists {listing.full_name} {listing.version}.", seen, state)


def _source(address: str) -> str:
    """ "owner/name" of the address that the registry gives; blank for one on another host."""
    try:
        return parse_repository(address)
    except BadAddress:
        return ""
