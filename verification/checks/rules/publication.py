"""Is it published where users will look for it, with its pages, and under the standing that it has here?"""

from portal.core.repository_urls import BadAddress, parse_repository
from portal.core.translation import gettext_noop
from verification.checks.types import Subject, check
from verification.outcomes import Evidence, Outcome, Result
from verification.sources import Sources
from verification.sources.errors import NotFound
from verification.sources.published_versions import Published, kept

PUBLISHING = "https://developer.hashicorp.com/terraform/registry/providers/publishing"
DOCS = "https://developer.hashicorp.com/terraform/registry/providers/docs"
NOTHING_NAMED = Result(Outcome.FAIL, "No repository is named yet, so there is nothing to look for.")
LISTED_HERE = ("verified", "notice")
TIERS = {
    "verified": ("partner",), "partner": ("partner",), "partner-premier": ("partner", "partner-premier", "premier"),
    "official": ("official",), "community": ("community",),
}  # fmt: skip
MOST_PAGES = 1000


def picture(subject: Subject, sources: Sources) -> Published:
    """What the registry has published, read once in a run. Raises Unreadable."""
    wanted = f"{subject.namespace}/{subject.provider}"
    before = kept(subject.known.get("registry"))
    same = before if before is not None and before.full_name.lower() == wanted.lower() else None
    return sources.read(
        f"registry:{wanted}", lambda: sources.registry.published(subject.namespace, subject.provider, same)
    )


def shown(subject: Subject, sources: Sources, found: Published) -> Evidence:
    page = sources.registry.page_of(subject.namespace, subject.provider)
    return Evidence("Registry", f"{found.full_name} {found.newest}".strip(), page)


def state_of(found: Published) -> tuple[tuple[str, str], ...]:
    return (("version", found.newest),)


@check(
    "registry.listed",
    title=gettext_noop("Listed in the registry"),
    advice=gettext_noop("Sign in to the registry with the owner's GitHub account and publish the repository there."),
    version=2,
    help=PUBLISHING,
)
def listed(subject: Subject, sources: Sources) -> Result:
    """The registry shows the provider under this namespace, from this repository, with a version."""
    if not (subject.namespace and subject.provider):
        return NOTHING_NAMED
    wanted = f"{subject.namespace}/{subject.provider}"
    page = sources.registry.page_of(subject.namespace, subject.provider)
    try:
        found = picture(subject, sources)
    except NotFound:
        sought = (Evidence("Looked for", wanted, page),)
        return Result(Outcome.FAIL, f"The registry does not list {wanted}.", sought, absent=f"{wanted} in the registry")
    outcome, summary = _source(subject, found)
    seen = Evidence("Provider", found.full_name, page), Evidence("Source", found.source, _link(found.source))
    is_ours = _is_named(found, wanted) and (outcome != Outcome.FAIL or not found.newest)
    known = {"registry": found.as_dict()} if is_ours else {}
    return Result(outcome, summary, seen, state_of(found), remember=known)


def _is_named(found: Published, wanted: str) -> bool:
    """Whether the registry means the same provider: it finds names in any case, and shows the owner's capitals."""
    return found.full_name.lower() == wanted.lower()


def _source(subject: Subject, found: Published) -> tuple[Outcome, str]:
    """Whether it is this provider, and from this repository: by GitHub's number where it is known, else by address."""
    wanted = f"{subject.namespace}/{subject.provider}"
    if not _is_named(found, wanted):
        return Outcome.FAIL, f"The registry answers with {found.full_name or 'no name'} instead of {wanted}."
    ids = (found.repository_id, subject.repository_id)
    other = None not in ids and ids[0] != ids[1]
    same_address = _repository(found.source).lower() == subject.repository.lower()
    if other or not (same_address or None not in ids):
        return Outcome.FAIL, f"The registry lists {found.full_name} from another repository."
    if not same_address:
        return Outcome.WARN, f"The registry lists {found.full_name} under an older address of the repository."
    if not found.newest:
        return Outcome.FAIL, f"The registry lists {found.full_name}, but no version of it."
    return Outcome.PASS, f"The registry lists {found.full_name} {found.newest}."


def _repository(address: str) -> str:
    """ "owner/name" of the address that the registry gives; blank for one on another host."""
    try:
        return parse_repository(address)
    except BadAddress:
        return ""


def _link(address: str) -> str:
    return address if address.startswith("https://") else ""


@check(
    "registry.state",
    title=gettext_noop("No warning, no move"),
    advice=gettext_noop(
        "Write to the registry's team if the warning or the move is wrong; otherwise enter the new address here."
    ),
)
def state(subject: Subject, sources: Sources) -> Result:
    """The registry neither warns of the provider, nor hides it, nor sends people elsewhere."""
    if not (subject.namespace and subject.provider):
        return NOTHING_NAMED
    found = picture(subject, sources)
    seen: tuple[Evidence, ...] = (shown(subject, sources, found),)
    if found.warning is None or found.unlisted is None or found.moved_to is None:
        return Result(Outcome.NOT_RUN, "The registry did not say whether it warns of the provider.", seen)
    if found.moved_to:
        seen += (Evidence("Moved to", found.moved_to),)
        return Result(Outcome.FAIL, f"The registry sends users on to {found.moved_to}.", seen, state_of(found))
    if found.unlisted:
        return Result(Outcome.FAIL, "The registry does not show the provider in its lists.", seen, state_of(found))
    if found.warning:
        seen += (Evidence("Warning", found.warning[:500]),)
        return Result(Outcome.WARN, "The registry shows a warning with the provider.", seen, state_of(found))
    return Result(Outcome.PASS, "The registry shows it without a warning.", seen, state_of(found))


@check(
    "registry.tier",
    title=gettext_noop("Tier in the registry"),
    advice=gettext_noop(
        "The program's team has the registry change the tier; write to its mailbox where the two differ."
    ),
)
def tier(subject: Subject, sources: Sources) -> Result:
    """The registry's tier is that of the standing that the integration has in the program."""
    if not (subject.namespace and subject.provider):
        return NOTHING_NAMED
    found = picture(subject, sources)
    seen = (
        shown(subject, sources, found),
        Evidence("Tier in the registry", found.tier or "none"),
        Evidence("Tier in the program", subject.tier or "none"),
    )
    if not found.tier:
        return Result(Outcome.NOT_RUN, "The registry names no tier.", seen, state_of(found))
    if subject.standing not in LISTED_HERE:
        if found.tier == "partner":
            return Result(
                Outcome.WARN, "The registry shows it as partner, the program does not.", seen, state_of(found)
            )
        return Result(Outcome.PASS, f"{found.tier} in the registry, not listed by the program.", seen, state_of(found))
    wanted = TIERS.get(subject.tier, (subject.tier,))
    if found.tier in wanted:
        return Result(Outcome.PASS, f"{found.tier} in the registry, {subject.tier} here.", seen, state_of(found))
    summary = f"The registry shows it as {found.tier}, the program as {subject.tier}."
    return Result(Outcome.FAIL, summary, seen, state_of(found))


@check(
    "registry.docs",
    title=gettext_noop("Pages in the registry"),
    advice=gettext_noop("Put docs/index.md and a page for each resource into the repository, then publish a release."),
    help=DOCS,
)
def docs(subject: Subject, sources: Sources) -> Result:
    """The registry shows an overview and at least one resource, data source or function."""
    if not (subject.namespace and subject.provider):
        return NOTHING_NAMED
    found = picture(subject, sources)
    if found.docs is None:
        return Result(Outcome.NOT_RUN, "The registry names no version whose pages could be looked at.")
    counted, total = found.docs, sum(found.docs.values())
    seen = (shown(subject, sources, found), *(Evidence(category, str(n)) for category, n in sorted(counted.items())))
    things = sum(number for category, number in counted.items() if category not in ("overview", "guides", "other"))
    if not counted.get("overview"):
        return Result(Outcome.FAIL, "The registry shows no overview of the provider.", seen, state_of(found))
    if not things:
        return Result(Outcome.FAIL, "The registry shows no page of a resource or data source.", seen, state_of(found))
    if total >= MOST_PAGES:
        summary = f"{total} pages: the registry shows at most {MOST_PAGES} of a version."
        return Result(Outcome.WARN, summary, seen, state_of(found))
    return Result(Outcome.PASS, f"An overview and {things} further pages.", seen, state_of(found))
