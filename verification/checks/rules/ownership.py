"""Is it still the repository that was entered: under the same owner, under the same name?"""

from portal.core.translation import gettext_noop
from verification.checks.rules.shared_reads import NO_ADDRESS, entered
from verification.checks.types import Subject, check
from verification.outcomes import Evidence, Outcome, Result
from verification.sources import Sources
from verification.sources.errors import NotFound
from verification.sources.github.client import Repository

NEW_OWNER = "new owner"


def _found(subject: Subject, sources: Sources) -> Repository | Result:
    if not subject.repository:
        return NO_ADDRESS
    try:
        found: Repository = sources.github.repository(subject.repository)
    except NotFound as answer:
        seen = (Evidence("Address", subject.repository),)
        return Result(Outcome.FAIL, str(answer), seen, absent=f"the repository {subject.repository}")
    return found


@check(
    "repository.owner",
    title=gettext_noop("Same owner"),
    advice=gettext_noop("Move the repository back, or ask the program to accept the new owner."),
    accepts=NEW_OWNER,
)
def owner(subject: Subject, sources: Sources) -> Result:
    """The account that owned the repository when it was entered owns it now, by GitHub's number of it."""
    found = _found(subject, sources)
    if isinstance(found, Result):
        return found
    name = found.full_name.partition("/")[0]
    looked_at = (("repository", found.full_name), ("owner", str(found.owner_id)))
    seen: tuple[Evidence, ...] = (Evidence("Owner", f"{name} ({found.owner_id})", found.html_url),)
    recorded, remember = entered(subject, "owner", subject.repository_owner_id, found.owner_id)
    if remember and remember != {key: subject.known.get(key) for key in remember}:
        summary = f"The owner was not recorded before; from now on it is {name}."
        return Result(Outcome.WARN, summary, seen, looked_at, remember=remember)
    if found.owner_id == recorded:
        return Result(Outcome.PASS, f"{name} owns it, as when it was entered.", seen, looked_at, remember=remember)
    seen += (Evidence("Owner when entered", str(recorded)),)
    if str(found.owner_id) == subject.accepted("repository.owner"):
        return Result(Outcome.PASS, f"{name} owns it, as the program has accepted.", seen, looked_at)
    looked_at = (("repository", found.full_name), (NEW_OWNER, str(found.owner_id)))
    why = f"{subject.repository} now belongs to {name}; a person confirms the new owner."
    return Result(Outcome.FAIL, f"The repository has moved to another owner, {name}.", seen, looked_at, freeze=why)


@check(
    "repository.renamed",
    title=gettext_noop("Same name"),
    advice=gettext_noop("Enter the new address here; the registry too has to be told of a new name."),
)
def renamed(subject: Subject, sources: Sources) -> Result:
    """The repository still bears the name under which it was entered; GitHub redirects from older ones."""
    found = _found(subject, sources)
    if isinstance(found, Result):
        return found
    looked_at = (("repository", found.full_name), ("id", str(found.id)))
    seen = (Evidence("Repository", found.full_name, found.html_url),)
    if found.full_name.lower() == subject.repository.lower():
        return Result(Outcome.PASS, f"It is still called {found.full_name}.", seen, looked_at)
    return Result(Outcome.WARN, f"{subject.repository} is now called {found.full_name}.", seen, looked_at)
